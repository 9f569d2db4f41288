// Package eventlog is the log of a run: one event a line, appended with one write each.
//
//	Log       the interface of readers: Tail, InSmall, Replay    log.go
//	Tail      a log as it grows                                  tail.go
//	History   what stands of a log, read from either end         history.go, end.go
//	Progress  how a run stands, and how fast it goes             progress.go
//	Replay    a log as it was at an earlier moment               replay.go
//	Index     a long log in short, for curves                    index.go, indexedlog.go
//	Audit     every line checked, for a resume and the doctor    audit.go
//	Writer    the one writer                                     writer.go
//
// History alone decides which events a resume takes back. Readers pass over a line that is torn,
// changed or of a newer program, and PassedOver says so. Memory is bounded, whatever a file holds.
// Of a run's folder, the package knows the log, its index and the name of its lock, and nothing
// else.
//
// Start reading at history.go for what a log says, at writer.go for how it is written.
package eventlog
