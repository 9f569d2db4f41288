package eventlog

import (
	"io"

	"drolab/runner"
)

// Names of files in a run's folder.
const (
	LogName  = "events.jsonl"
	LockName = "lock" // held while the log has a writer
)

// Log gives the events of a run as they are appended.
type Log interface {
	// Read returns the next events; none means that there are no more for now.
	Read() ([]runner.Event, error)
	// Skipped counts the lines that are no events.
	Skipped() int
	// Share is how much was read of what there was at the last Read, 0 to 1: below
	// 1 another Read has more.
	Share() float64
}

// ForkEvent stands where a fork leaves its parent. It is in no file.
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
