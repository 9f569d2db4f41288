package gate

import (
	"drolab/runner"
	"drolab/runner/spec"
	"errors"
	"fmt"
	"sync/atomic"
	"time"
)

// Verb is something a user asks of a run. The run does it between two
// steps.
type Verb int

const (
	Pause Verb = iota
	Resume
	Stop
	Checkpoint
	Turn // a knob
)

// Order is a verb with what it needs. It is a value: who has sent it keeps nothing.
type Order struct {
	Verb Verb
	Knob runner.KnobEvent // turn: Key and New
	// Done gets what became of the order, once that is on disk. It has room for one
	// answer, so that the run never waits for who asked; nil: nobody wants to know.
	Done chan<- Answer
}

// Answer is the outcome of an order: the step at which it was done, or why it was not.
type Answer struct {
	Step int64
	Err  error
}

// Answer tells who asked, if somebody wants to know. It is called at most once:
// Done has room for one answer, and a second one would stop the run.
func (o *Order) Answer(step int64, err error) {
	if o.Done != nil {
		o.Done <- Answer{step, err}
	}
}

// Waiting is a run that has no slot, as far as it can act then: a job that is queued,
// or a run that is paused. Its methods are called by the run's own goroutine.
type Waiting interface {
	Head() runner.Head
	Mark(runner.Status) error    // puts a new status into the log
	Turn(runner.KnobEvent) error // turns a knob, which is on disk then
	Saved() error                // says why no checkpoint of where the run stands is on disk
}

// refused says that a knob cannot be turned; the run goes on.
type refused struct{ error }

// Unwrap returns why.
func (r refused) Unwrap() error { return r.error }

// ErrStopped ends a run that was asked to stop. It is no failure.
var ErrStopped = errors.New("stopped")

// Gate is where a run waits: for one of the slots that training needs, for a
// resume, for room on the disk. Orders reach the run through it. It belongs to
// the run's goroutine, but for sending orders and looking at ending and trouble.
type Gate struct {
	Orders chan Order
	Slots  chan struct{}   // as many values as runs train
	Done   <-chan struct{} // closed: every run shall stop
	// Stops has a value for each of the first two stops that are asked for, for what the
	// run may wait for and not be able to stop at; nil: nothing.
	Stops chan struct{}
	Retry time.Duration // between two attempts to say in the log that the disk is full
	Alone bool          // nobody can resume the run: every attempt is one to go on, too

	held    bool        // a slot
	rest    bool        // a pause was asked for while the run waited for the disk
	ending  atomic.Bool // a stop was asked for, or the run ends anyhow
	trouble trouble
}

// Enter waits for the turn and a slot, after a resume if the run is paused. It
// does meanwhile what is asked of w. passed is called once the turn is over: with
// a slot, or because the run is paused and nobody shall wait for it. The error is
// ErrStopped, or w's. Leave gives the slot back.
func (g *Gate) Enter(myTurn <-chan struct{}, passed func(), paused bool, w Waiting) error {
	defer passed()
	for {
		slots := g.Slots
		if myTurn != nil || paused {
			slots = nil
		}
		select {
		case <-myTurn:
			myTurn = nil
		case slots <- struct{}{}:
			g.held = true
			return nil
		case <-g.Done:
			return ErrStopped
		case o := <-g.Orders:
			var err error
			if paused, err = g.outside(o, paused, w); err != nil {
				return err
			}
			if paused {
				passed()
			}
		}
	}
}

// outside serves an order to a run that has no slot.
func (g *Gate) outside(o Order, paused bool, w Waiting) (nowPaused bool, err error) {
	switch {
	case o.Verb == Stop:
		return paused, ErrStopped
	case o.Verb == Pause && !paused:
		return true, w.Mark(runner.Paused)
	case o.Verb == Resume && paused:
		if len(g.Slots) < cap(g.Slots) {
			return false, nil // it goes on at once
		}
		return false, w.Mark(runner.Queued)
	case o.Verb == Turn:
		return paused, o.Turn(w)
	case o.Verb == Checkpoint:
		o.Answer(w.Head().Step, w.Saved())
	}
	return paused, nil
}

// Turn turns the knob and tells who asked. The error is one that ends the run.
func (o *Order) Turn(w Waiting) error {
	err := w.Turn(o.Knob)
	o.Answer(w.Head().Step, err)
	if errors.As(err, &refused{}) {
		return nil
	}
	return err
}

// ServeLast does what was asked before a stop: it turns knobs, for the resume that
// may come, and tells of the checkpoint that the stop has left. All else is over.
func (g *Gate) ServeLast(w Waiting) (err error) {
	for o, ok := g.Next(); ok; o, ok = g.Next() {
		switch {
		case err != nil:
			o.Answer(0, err)
		case o.Verb == Turn:
			err = o.Turn(w)
		case o.Verb == Checkpoint:
			o.Answer(w.Head().Step, w.Saved())
		}
	}
	return err
}

// Close refuses what was asked too late.
func (g *Gate) Close() {
	for o, ok := g.Next(); ok; o, ok = g.Next() {
		o.Answer(0, runner.ErrNotRunning)
	}
}

// Send gives the run an order, unless too many wait already.
func (g *Gate) Send(o Order) error {
	if o.Verb == Stop {
		select {
		case g.Stops <- struct{}{}:
		default:
		}
	}
	select {
	case g.Orders <- o:
		if o.Verb == Stop {
			g.End()
		}
		return nil
	default:
		return runner.ErrBusy
	}
}

// End says that the run ends, and Ending tells so.
func (g *Gate) End()         { g.ending.Store(true) }
func (g *Gate) Ending() bool { return g.ending.Load() } // Ending tells whether End was called.

// Trouble is why the run waits for the disk; empty if it does not.
func (g *Gate) Trouble() string { return g.trouble.String() }

// Leave gives up the slot, if the run has one: Enter may have returned without.
func (g *Gate) Leave() {
	if g.held {
		<-g.Slots
		g.held = false
	}
}

// Next returns an order that waits, without waiting. A pause that was asked for while
// the run waited for the disk comes first, since it is the older one.
func (g *Gate) Next() (o Order, ok bool) {
	if g.rest {
		g.rest = false
		return Order{Verb: Pause}, true
	}
	select {
	case o := <-g.Orders:
		return o, true
	default:
		return o, false
	}
}

// Write does a write and, where the disk is full or fails for now, waits and
// does it again: when the run is resumed or, if the gate tries by itself, after
// a while. tell leaves a warning in the log, as soon as one can be written, and
// told says that it did. A stop meanwhile gives the disk's error back.
func (g *Gate) Write(do func() error, tell func(cause error) error) (told bool, err error) {
	defer g.trouble.set("")
	for {
		err = do()
		var disk *runner.DiskError
		if !errors.As(err, &disk) {
			return told, err
		}
		g.trouble.set(err.Error())
		note := func() { told = told || tell(err) == nil }
		note()
		if !g.awaitRoom(note) {
			return told, err
		}
	}
}

// Slow says why an order is not answered yet.
func (g *Gate) Slow() error {
	if cause := g.trouble.String(); cause != "" {
		return fmt.Errorf("waits for the disk: %s", cause)
	}
	return runner.ErrSlow
}

// awaitRoom waits until the write may be tried again, or shall not be, and notes
// now and then that it waits. A resume takes back a pause that was asked for
// meanwhile.
func (g *Gate) awaitRoom(note func()) (try bool) {
	retry := time.NewTicker(g.Retry)
	defer retry.Stop()
	for {
		select {
		case <-g.Done:
			return false
		case <-retry.C:
			note()
			if g.Alone {
				return true
			}
		case o := <-g.Orders:
			switch o.Verb {
			case Stop:
				return false
			case Resume:
				g.rest = false
				return true
			case Pause:
				g.rest = true
			default: // it cannot be written, and so would not count
				o.Answer(0, g.Slow())
			}
		}
	}
}

// ChangeKnob turns the knob of s that somebody asked for, and returns what the log shall
// say. The error is a refused.
func ChangeKnob(s *spec.Spec, k runner.KnobEvent, at runner.Head) (*runner.KnobEvent, error) {
	after := k.Value()
	before, err := s.Change(k.Key, after)
	if err != nil {
		return nil, refused{err}
	}
	return runner.NewKnobEvent(at, k.Key, before, after), nil
}

// Waits returns what leaves in the log that a run waits for the disk: a warning
// and a pause. Where only the first found room, the next call goes on behind it.
func Waits(to runner.Recorder, h runner.Head) func(cause error) error {
	warned := false
	return func(cause error) error {
		if !warned {
			if err := to.Append(&runner.WarningEvent{Head: h, Message: cause.Error()}); err != nil {
				return err
			}
			warned = true
		}
		return to.Append(&runner.StatusEvent{Head: h, Status: runner.Paused, Cause: cause.Error()})
	}
}

// trouble is why a run waits for the disk. A full disk keeps it from the log,
// so whoever asks the Queue is told.
type trouble struct{ text atomic.Value }

// set stores what a person shall read, empty when the wait is over.
func (t *trouble) set(text string) { t.text.Store(text) }

func (t *trouble) String() string {
	text, _ := t.text.Load().(string)
	return text
}
