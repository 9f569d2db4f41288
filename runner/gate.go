package runner

import (
	"errors"
	"fmt"
	"sync/atomic"
	"time"
)

// verb is something a user asks of a run.
type verb int

const (
	pause verb = iota
	resume
	stop
	checkpoint
	turn // a knob
)

// order is a verb with what it needs.
type order struct {
	verb verb
	knob KnobEvent     // turn: Key and New
	done chan<- answer // gets what became of it, once it is on disk; has room for that, or is nil
}

// answer is what became of an order: the step at which it was done, or why it was not.
type answer struct {
	step int64
	err  error
}

// answer tells who asked.
func (o *order) answer(step int64, err error) {
	if o.done != nil {
		o.done <- answer{step, err}
	}
}

// waiting is a run that has no slot, as far as it can act then.
type waiting interface {
	head() Head
	mark(Status) error    // puts a new status into the log
	turn(KnobEvent) error // turns a knob, which is on disk then
	saved() error         // says why no checkpoint of where the run stands is on disk
}

// refused says that a knob cannot be turned; the run goes on.
type refused struct{ error }

// Unwrap returns why.
func (r refused) Unwrap() error { return r.error }

// errStopped ends a run that was asked to stop. It is no failure.
var errStopped = errors.New("stopped")

// gate is where a run waits: for one of the slots that training needs, for a
// resume, for room on the disk. Orders reach the run through it. It belongs to
// the run's goroutine, but for sending orders and looking at ending and trouble.
type gate struct {
	orders chan order
	slots  chan struct{}   // as many values as runs train
	done   <-chan struct{} // closed: every run shall stop
	retry  time.Duration   // between two attempts to say in the log that the disk is full
	alone  bool            // nobody can resume the run: every attempt is one to go on, too

	held    bool        // a slot
	rest    bool        // a pause was asked for while the run waited for the disk
	ending  atomic.Bool // a stop was asked for, or the run ends anyhow
	trouble trouble
}

// enter waits for the turn and a slot, after a resume if the run is paused. It
// does meanwhile what is asked of w. passed is called once the turn is over: with
// a slot, or because the run is paused and nobody shall wait for it. The error is
// errStopped, or w's.
func (g *gate) enter(myTurn <-chan struct{}, passed func(), paused bool, w waiting) error {
	defer passed()
	for {
		slots := g.slots
		if myTurn != nil || paused {
			slots = nil
		}
		select {
		case <-myTurn:
			myTurn = nil
		case slots <- struct{}{}:
			g.held = true
			return nil
		case <-g.done:
			return errStopped
		case o := <-g.orders:
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
func (g *gate) outside(o order, paused bool, w waiting) (nowPaused bool, err error) {
	switch {
	case o.verb == stop:
		return paused, errStopped
	case o.verb == pause && !paused:
		return true, w.mark(Paused)
	case o.verb == resume && paused:
		if len(g.slots) < cap(g.slots) {
			return false, nil // it goes on at once
		}
		return false, w.mark(Queued)
	case o.verb == turn:
		return paused, o.turn(w)
	case o.verb == checkpoint:
		o.answer(w.head().Step, w.saved())
	}
	return paused, nil
}

// turn turns the knob and tells who asked. The error is one that ends the run.
func (o *order) turn(w waiting) error {
	err := w.turn(o.knob)
	o.answer(w.head().Step, err)
	if errors.As(err, &refused{}) {
		return nil
	}
	return err
}

// serveLast does what was asked before a stop: it turns knobs, for the resume that
// may come, and tells of the checkpoint that the stop has left. All else is over.
func (g *gate) serveLast(w waiting) (err error) {
	for o, ok := g.next(); ok; o, ok = g.next() {
		switch {
		case err != nil:
			o.answer(0, err)
		case o.verb == turn:
			err = o.turn(w)
		case o.verb == checkpoint:
			o.answer(w.head().Step, w.saved())
		}
	}
	return err
}

// close refuses what was asked too late.
func (g *gate) close() {
	for o, ok := g.next(); ok; o, ok = g.next() {
		o.answer(0, ErrNotRunning)
	}
}

// leave gives up the slot.
func (g *gate) leave() {
	if g.held {
		<-g.slots
		g.held = false
	}
}

// next returns an order that waits, without waiting.
func (g *gate) next() (o order, ok bool) {
	if g.rest {
		g.rest = false
		return order{verb: pause}, true
	}
	select {
	case o := <-g.orders:
		return o, true
	default:
		return o, false
	}
}

// write does a write and, where the disk is full or fails for now, waits and
// does it again: when the run is resumed or, if the gate tries by itself, after
// a while. tell leaves a warning in the log, as soon as one can be written, and
// told says that it did. A stop meanwhile gives the disk's error back.
func (g *gate) write(do func() error, tell func(cause error) error) (told bool, err error) {
	defer g.trouble.set("")
	for {
		err = do()
		var disk *DiskError
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

// slow says why an order is not answered yet.
func (g *gate) slow() error {
	if cause := g.trouble.String(); cause != "" {
		return fmt.Errorf("waits for the disk: %s", cause)
	}
	return ErrSlow
}

// awaitRoom waits until the write may be tried again, or shall not be, and notes
// now and then that it waits. A resume takes back a pause that was asked for
// meanwhile.
func (g *gate) awaitRoom(note func()) (try bool) {
	retry := time.NewTicker(g.retry)
	defer retry.Stop()
	for {
		select {
		case <-g.done:
			return false
		case <-retry.C:
			note()
			if g.alone {
				return true
			}
		case o := <-g.orders:
			switch o.verb {
			case stop:
				return false
			case resume:
				g.rest = false
				return true
			case pause:
				g.rest = true
			default: // it cannot be written, and so would not count
				o.answer(0, g.slow())
			}
		}
	}
}
