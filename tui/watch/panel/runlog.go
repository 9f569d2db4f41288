package panel

import (
	"drolab/runner"
	"drolab/runner/eventlog"
	"drolab/runner/record"
	"drolab/tui/lab"
)

// RunLog is a run with its log and the state that it had when it was opened. A command makes it,
// and the goroutine of the interface owns it afterwards, except for Log and Tape: the one command
// that reads has these for as long as it runs.
type RunLog struct {
	Run *record.Run
	Log eventlog.Log // for a fork, it begins with the events of the parent
	// AtOpening is read from the end of the log, so that it is known before the log is read.
	AtOpening eventlog.Standing

	Tape *tape // the limited log of a replay; nil without a replay
}

// tape is a run whose log is limited by the replay's clock. It is a Source that hands out the
// limited log for this run alone, which lets record.Lineage put the parent's log before it.
type tape struct {
	lab.Source
	id     string
	Replay *eventlog.Replay
}

// Open implements Source. The logs of the runs that it was forked from are not limited, because
// their part happened before.
func (t tape) Open(r *record.Run) eventlog.Log {
	if r.Meta.ID == t.id {
		return t.Replay
	}
	return eventlog.InSmall(t.Source.Open(r), false)
}

// OpenReplay returns a run at the start of a replay. It stands as queued whatever became of it,
// because a replay must not show the end before its clock is there.
func OpenReplay(s lab.Source, r *record.Run) RunLog {
	t := tape{s, r.Meta.ID, eventlog.NewReplay(s.Open(r))}
	start := eventlog.Standing{Status: runner.Queued}
	return RunLog{Run: r, Log: record.Lineage(t, r), AtOpening: start, Tape: &t}
}

// Prepare limits the log to a moment, and restarts it if it has to go back. Going back makes a new
// log, because a lineage that has left the parent's log does not return to it.
func (t *tape) Prepare(o *RunLog, back bool, until eventlog.Moment) {
	if back {
		t.Replay.Rewind()
		o.Log = record.Lineage(t, o.Run)
	}
	t.Replay.To(until)
}
