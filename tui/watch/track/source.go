package track

import (
	"drolab/runner"
	"drolab/runner/record"
	"drolab/tui/lab"
)

// Opened is a run with its log, and how it stood when it was looked for.
type Opened struct {
	Run *record.Run
	Log lab.Log
	At  record.Standing

	Tape *taped // of a replay
}

// taped is a run whose log is limited.
type taped struct {
	lab.Source
	id     string
	Replay *record.Replay
}

// Open implements Source: what it came from happened before.
func (t taped) Open(r *record.Run) lab.Log {
	if r.Meta.ID == t.id {
		return t.Replay
	}
	return record.InSmall(t.Source.Open(r), false)
}

// OpenReplay is a run at its start.
func OpenReplay(s lab.Source, r *record.Run) Opened {
	t := taped{s, r.Meta.ID, record.NewReplay(s.Open(r))}
	start := record.Standing{Status: runner.Queued}
	return Opened{Run: r, Log: record.Lineage(t, r), At: start, Tape: &t}
}

// Prepare takes the log to a moment, from its start where it has to go back.
func (t *taped) Prepare(o *Opened, back bool, until record.Moment) {
	if back {
		t.Replay.Rewind()
		o.Log = record.Lineage(t, o.Run)
	}
	t.Replay.To(until)
}
