package watch

import (
	"drolab/runner"
	"drolab/runner/record"
	"drolab/tui/lab"
)

// opened is a run with its log, and how it stood when it was looked for.
type opened struct {
	run *record.Run
	log lab.Log
	at  record.Standing

	tape *taped // of a replay
}

// taped is a run whose log is limited.
type taped struct {
	lab.Source
	id     string
	replay *record.Replay
}

// Open implements Source: what it came from happened before.
func (t taped) Open(r *record.Run) lab.Log {
	if r.Meta.ID == t.id {
		return t.replay
	}
	return record.InSmall(t.Source.Open(r), false)
}

// openReplay is a run at its start.
func openReplay(s lab.Source, r *record.Run) opened {
	t := taped{s, r.Meta.ID, record.NewReplay(s.Open(r))}
	return opened{run: r, log: record.Lineage(t, r), at: record.Standing{Status: runner.Queued}, tape: &t}
}

// prepare takes the log to a moment, from its start where it has to go back.
func (t *taped) prepare(o *opened, back bool, until record.Moment) {
	if back {
		t.replay.Rewind()
		o.log = record.Lineage(t, o.run)
	}
	t.replay.To(until)
}
