package runner

import (
	"errors"
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
	knob KnobEvent // turn: Key and New
}

// errStopped ends a run that was asked to stop. It is no failure.
var errStopped = errors.New("stopped")

// gate is where a run waits: for one of the slots that training needs, for a
// resume, for room on the disk. Orders reach the run through it. It belongs to
// the run's goroutine, but for sending orders and looking at trouble.
type gate struct {
	orders  chan order
	slots   chan struct{}   // as many values as runs train
	done    <-chan struct{} // closed: every run shall stop
	patient bool            // wait for room on the disk in place of failing
	retry   time.Duration   // between two attempts to say so in the log

	held    bool    // a slot
	later   []order // asked while waiting, to be served when training
	trouble trouble
}

// enter waits for the turn and a slot, after a resume if the run is paused. It
// does meanwhile what is asked: note puts a new status into the log. passed is
// called once the turn is over: with a slot, or because the run is paused and
// nobody shall wait for it. The error is errStopped, or note's.
func (g *gate) enter(myTurn <-chan struct{}, passed func(), paused bool, note func(Status) error) error {
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
			if paused, err = g.outside(o, paused, note); err != nil {
				return err
			}
			if paused {
				passed()
			}
		}
	}
}

// outside serves an order to a run that has no slot.
func (g *gate) outside(o order, paused bool, note func(Status) error) (nowPaused bool, err error) {
	switch {
	case o.verb == stop:
		return paused, errStopped
	case o.verb == pause && !paused:
		return true, note(Paused)
	case o.verb == resume && paused:
		if len(g.slots) < cap(g.slots) {
			return false, nil // it goes on at once
		}
		return false, note(Queued)
	case o.verb == checkpoint || o.verb == turn:
		g.later = append(g.later, o)
	}
	return paused, nil
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
	if len(g.later) > 0 {
		o, g.later = g.later[0], g.later[1:]
		return o, true
	}
	select {
	case o := <-g.orders:
		return o, true
	default:
		return o, false
	}
}

// write does a write and, where the disk is full or fails for now and the gate
// is patient, waits until the run is resumed and does it again. tell leaves a
// warning in the log, as soon as one can be written; back says that the run
// goes on. A stop meanwhile gives the disk's error back.
func (g *gate) write(do func() error, tell func(cause error) error, back func() error) error {
	for {
		err := do()
		var disk *DiskError
		if err == nil || !g.patient || !errors.As(err, &disk) {
			return err
		}
		if g.awaitRoom(err, tell, back) != nil {
			return err
		}
	}
}

func (g *gate) awaitRoom(cause error, tell func(error) error, back func() error) error {
	g.trouble.set(cause)
	defer g.trouble.set(nil)
	retry := time.NewTicker(g.retry)
	defer retry.Stop()
	told := tell(cause) == nil
	for {
		select {
		case <-g.done:
			return errStopped
		case <-retry.C:
			told = told || tell(cause) == nil
		case o := <-g.orders:
			switch o.verb {
			case stop:
				return errStopped
			case resume:
				if told {
					back() // if this fails, so does the write that is tried next
				}
				return nil
			case checkpoint, turn:
				g.later = append(g.later, o)
			}
		}
	}
}
