package eventlog

import (
	"math"

	"drolab/runner"
)

// Replay is the log of a run as it was at an earlier moment: it gives no more than
// what had been logged by then. It can be taken back to the start. It is for one
// goroutine at a time.
//
// What it gives of a log of more than a thousand lines is its Index, so that any
// moment of any run is a short way off.
type Replay struct {
	log    Log
	source *indexed // of a long log
	began  bool
	index  *Index
	tape   *Tape   // nil until the log was read
	events []dated // all of them
	given  int
	until  Moment
}

// Moment is how far a run had come.
type Moment struct {
	Seconds float64 // of training, what a resume has discarded with it
	Step    int64
}

// Always is behind the end of every run.
func Always() Moment { return Moment{math.Inf(1), math.MaxInt64} }

// Tape is what is known of a run that can be replayed.
type Tape struct {
	End   Moment
	Marks []Mark // in the log's order
}

// Mark is where something stands on a tape.
type Mark struct {
	Moment
	Kind string // of the event: "eval", "checkpoint" or "warning"
}

// NewReplay returns a replay of a log that was not read yet, at the run's start.
func NewReplay(l Log) *Replay { return &Replay{log: l, index: &Index{}} }

// Tape is nil until Share is 1.
func (r *Replay) Tape() *Tape { return r.tape }

// To sets the moment up to which events are given, both of its sides.
func (r *Replay) To(m Moment) { r.until = m }

// Rewind goes back to the start.
func (r *Replay) Rewind() { r.given = 0 }

// Read implements Log. While Share is below 1 it prepares, in parts, and gives
// nothing.
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
