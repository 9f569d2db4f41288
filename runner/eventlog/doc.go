// Package eventlog is the log of a run: one event a line, appended with one write each.
//
//	Writer -> events.jsonl -> Tail, Replay, InSmall (each a Log) -> History, Progress
//	                       -> Audit, before a resume
//
// History alone decides which events a resume takes back. Readers pass over a line that is torn,
// changed or of a newer program, and PassedOver says so. Memory is bounded, whatever a file holds.
// Of a run's folder, the package knows the log, its index and the name of its lock, and nothing
// else.
//
// Start reading at history.go for what a log says, at writer.go for how it is written.
//
// # Files
//
//	log.go         Log, the interface of readers; names of the log and its lock; the longest line;
//	               where a fork leaves its parent
//	history.go     History: what stands of a log after resumes have taken events back; Standing,
//	               for summaries
//	end.go         how a run stands, read backward from the log's end
//	tail.go        Tail: a log as it grows, from its start; only some types of events; lost lines
//	progress.go    Progress: steps, speed, time trained, time left
//	replay.go      Replay: a log as it was at an earlier moment; the tape with its marks
//	gap.go         lines of a log that are lost, and the words about them
//	passedover.go  what readers passed over, collected
//
//	writer.go     Writer: the one writer; one write a line, syncs, which events are urgent, a torn
//	              line cut
//	firstline.go  the first line: whose the log is
//	lines.go      lines forward and backward in bounded memory; a line decoded
//	audit.go      Audit: every line checked against its checksum and the run's other files
//	repair.go     a damaged log copied, with a warning in the place of each lost line (doctor
//	              --mend)
//
//	index.go       Index: a long log in short, for curves: blocks with least and greatest values
//	indexedlog.go  InSmall: a log that gives its early part from the index; building an index
//	indexer.go     the index brought up to date while a run trains
//	indexfile.go   events.index.gz, written and read
//	round.go       numbers rounded to significant digits
package eventlog
