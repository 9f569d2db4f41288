package eventlog

import (
	"math"

	"drolab/runner"
)

// Replay is the log of a run as it was at an earlier moment: it returns only events that had been
// logged by then. It can be taken back to the start. It is for one goroutine at a time.
//
// Of a log of more than a thousand lines it returns the events of its Index, so that any moment of
// any run is quickly reached.
type Replay struct {
	log    Log
	source *indexBuilder // of a long log
	began  bool
	index  *Index
	tape   *Tape        // nil until the log has been read
	events []timedEvent // all of them
	given  int
	until  Moment
}

// Moment is a point in the course of a run.
type Moment struct {
	Seconds float64 // of training, including what a resume has discarded
	Step    int64
}

// LastMoment returns a Moment behind the end of every run.
func LastMoment() Moment { return Moment{math.Inf(1), math.MaxInt64} }

// Tape is the extent of a run that can be replayed, with its marks.
type Tape struct {
	End   Moment
	Marks []Mark // in the log's order
}

// Mark is the place of a notable event on a tape.
type Mark struct {
	Moment
	Kind string // of the event: "eval", "checkpoint" or "warning"
}

// NewReplay returns a replay, at the run's start, of a log that has not been read yet.
func NewReplay(l Log) *Replay { return &Replay{log: l, index: &Index{}} }

// Tape returns the tape of the run, or nil until Share is 1.
func (r *Replay) Tape() *Tape { return r.tape }

// To sets the moment up to which events are returned: neither its Seconds nor its Step is exceeded.
func (r *Replay) To(m Moment) { r.until = m }

// Rewind goes back to the start.
func (r *Replay) Rewind() { r.given = 0 }

// Read implements Log. While Share is below 1 it prepares the index, in parts, and returns no
// events.
func (r *Replay) Read() (events []runner.Event, err error) {
	if r.tape == nil {
		return nil, r.prepare()
	}
	for ; r.given < len(r.events); r.given++ {
		e := r.events[r.given]
		if e.seconds > r.until.Seconds || e.Event.Header().Step > r.until.Step {
			break
		}
		events = append(events, e.Event)
	}
	return events, nil
}

// Skipped implements Log.
func (r *Replay) Skipped() int { return r.log.Skipped() }

// Share implements Log.
func (r *Replay) Share() float64 {
	switch {
	case r.tape != nil:
		return 1
	case r.source != nil:
		return min(r.source.share(), 0.99)
	}
	return min(r.log.Share(), 0.99)
}

// prepare reads a part of the log into the index.
func (r *Replay) prepare() error {
	if tail, ok := r.log.(*Tail); ok && !r.began && tail.Text == nil {
		if r.source = IndexLog(tail, ExactTail); r.source != nil {
			r.index = r.source.Index
		}
	}
	r.began = true
	if r.source != nil && r.source.share() < 1 {
		return r.source.extend()
	}
	events, err := r.log.Read()
	for _, e := range events {
		r.index.add(e, r.index.Size+1)
	}
	if err == nil && len(events) == 0 {
		r.finish()
	}
	return err
}

// finish makes the tape.
func (r *Replay) finish() {
	r.tape = &Tape{}
	for e := range r.index.All() {
		r.events = append(r.events, e)
		at := Moment{e.seconds, e.Event.Header().Step}
		r.tape.End = Moment{max(r.tape.End.Seconds, at.Seconds), max(r.tape.End.Step, at.Step)}
		switch e.Event.(type) {
		case *runner.EvalEvent, *runner.CheckpointEvent, *runner.WarningEvent:
			r.tape.Marks = append(r.tape.Marks, Mark{at, e.Event.Kind()})
		}
	}
	r.index, r.source = nil, nil
}
