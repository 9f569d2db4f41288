// Package eventlog is the log of a run: one event a line, appended with one write each.
//
//	Log       what gives events: Tail, InSmall, Replay           reader.go
//	Tail      a log as it grows                                  tail.go
//	History   what stands of it, from either end                 history.go, end.go
//	Progress  how fast the run comes on                          progress.go
//	Index     a long log in small, for curves                    index.go, indexed.go
//	Audit     every line checked, for a resume and the doctor    audit.go, repair.go
//	EventLog  the one writer                                     log.go
//
// What a resume takes back is decided in History alone. A line that is torn, changed or of
// a newer program is passed over, and PassedOver says so; memory is bounded whatever a
// file holds. It knows the log and its index of a run's folder, and nothing else there.
//
// Start reading at history.go for what a log says, at log.go for how it is written.
package eventlog
