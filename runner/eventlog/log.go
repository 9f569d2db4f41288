package eventlog

import (
	"io"

	"drolab/runner"
)

// MaxLine bounds one line of the log, in bytes: an eval event with ten
// thousand classes has about 600 000. Longer lines are not written, and are
// skipped by readers.
const MaxLine = 1 << 20

// Names of files in a run's folder.
const (
	LogName  = "events.jsonl"
	LockName = "lock" // held while the log has a writer
)

// Log gives the events of a run as they are appended.
type Log interface {
	// Read returns the next events; none means that there are no more for now.
	Read() ([]runner.Event, error)
	// Skipped returns the number of lines that are not events.
	Skipped() int
	// Share returns the part of the log, 0 to 1, that had been read at the last Read. Below 1,
	// another Read returns more.
	Share() float64
}

// ForkEvent marks the place where a fork leaves its parent. No file holds it.
type ForkEvent struct {
	runner.Head
	Parent string // RUN@STEP
}

// Kind implements runner.Event.
func (*ForkEvent) Kind() string { return "fork" }

// LogFile is the text of a log.
type LogFile interface {
	io.ReaderAt
	io.Closer
}
