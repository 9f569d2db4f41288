package track

import (
	"drolab/runner"
	"drolab/runner/record"
	"drolab/tui/lab"
)

// Opened is a run with its log, and how it stood when it was looked for. A command makes it; the
// goroutine of the interface owns it afterwards, but for Log and Tape, which the one command
// that reads has for as long as it runs.
type Opened struct {
	Run *record.Run
	Log lab.Log         // with what the parent did first, where the run is a fork
	At  record.Standing // from the log's end, so that it is there before the log is read

	Tape *taped // of a replay
}

// taped is a run whose log is limited by the replay's clock. It is a Source that hands out the
// limited log for this run alone, which lets record.Lineage put the parent's log before it.
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

// OpenReplay is a run at its start. It stands as queued whatever became of it, because a replay
// must not show the end before the clock is there.
func OpenReplay(s lab.Source, r *record.Run) Opened {
	t := taped{s, r.Meta.ID, record.NewReplay(s.Open(r))}
	start := record.Standing{Status: runner.Queued}
	return Opened{Run: r, Log: record.Lineage(t, r), At: start, Tape: &t}
}

// Prepare takes the log to a moment, from its start where it has to go back. Going back makes the
// log anew, since a lineage that has left the parent does not return to it.
func (t *taped) Prepare(o *Opened, back bool, until record.Moment) {
	if back {
		t.Replay.Rewind()
		o.Log = record.Lineage(t, o.Run)
	}
	t.Replay.To(until)
}
