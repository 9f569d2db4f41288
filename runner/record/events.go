package record

import (
	"drolab/runner"
	"drolab/runner/record/internal/eventlog"
)

// The types with which a run's log is read.
type (
	Log       = eventlog.Log
	Tail      = eventlog.Tail
	ForkEvent = eventlog.ForkEvent
	History   = eventlog.History
	Standing  = eventlog.Standing
	Progress  = eventlog.Progress
	Replay    = eventlog.Replay
	Tape      = eventlog.Tape
	Mark      = eventlog.Mark
	Moment    = eventlog.Moment
)

// ReadHistory is eventlog.ReadHistory.
func ReadHistory(l Log, see func(runner.Event)) (*History, error) {
	return eventlog.ReadHistory(l, see)
}

// NewProgress is eventlog.NewProgress.
func NewProgress(m *runner.Meta) *Progress { return eventlog.NewProgress(m) }

// InSmall is eventlog.InSmall.
func InSmall(l Log, keep bool) Log { return eventlog.InSmall(l, keep) }

// NewReplay is eventlog.NewReplay.
func NewReplay(l Log) *Replay { return eventlog.NewReplay(l) }

// Always is eventlog.Always.
func Always() Moment { return eventlog.Always() }
