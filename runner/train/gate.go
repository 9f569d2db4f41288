package train

import (
	"errors"
	"fmt"
	"sync/atomic"
	"time"

	"drolab/runner"
)

// Order is a request of a user to a run. The run carries it out between two steps. It is a value:
// its sender keeps nothing of it.
type Order struct {
	runner.Order
	// Alert is an event to log, in the place of a request; nil: there is none. A run that waits
	// does not log it.
	Alert *runner.AlertEvent
	// Done receives the outcome of the order, once that is on disk. It has room for one answer, so
	// that the run never waits for the sender; nil: nobody wants to know.
	Done chan<- Answer
}

// Answer is the outcome of an order: the step at which it was done, or why it was not.
type Answer struct {
	Step int64
	Err  error
}

// Answer sends the outcome to the sender, if it wants to know. It is called at most once: Done has
// room for one answer, and a second one would block the run.
func (o *Order) Answer(step int64, err error) {
	if o.Done != nil {
		o.Done <- Answer{step, err}
	}
}

// Waiting is a run without a slot, with the actions that are possible then: a job that is queued,
// or a run that is paused. The run's own goroutine calls its methods.
type Waiting interface {
	Head() runner.Head
	Mark(runner.Status) error     // appends a status to the log
	Turn(key, value string) error // turns a knob, and has it on disk when it returns
	Saved() error                 // says why no checkpoint of the present step is on disk, or nil
}

// ErrStopped ends a run that was asked to stop. It is not a failure.
var ErrStopped = errors.New("stopped")

// Gate is the place where a run waits: for one of the slots that training needs, for a resume, for
// space on the disk. Orders reach the run through it. It belongs to the run's goroutine; other
// goroutines may only send orders and read ending and trouble.
type Gate struct {
	Orders chan Order
	Slots  chan struct{}   // holds one value for each run that trains
	Done   <-chan struct{} // when closed, every run stops
	// Stops receives a value for each of the first two requests to stop. It serves a program that
	// the run waits for, since the run cannot stop while it waits; nil: there is none.
	Stops chan struct{}
	Retry time.Duration // between two attempts to log that the disk is full
	Alone bool          // nobody can resume the run: each attempt also retries the write
	Waits func(error)   // is called when a wait for the disk begins, with its cause; may be nil

	hasSlot  bool        // the run has a slot
	pauseDue bool        // a pause was asked for while the run waited for the disk
	ending   atomic.Bool // a stop was requested, or the run ends anyway
	// trouble is the text of Trouble. A full disk keeps it from the log, so the Queue tells it to
	// anyone who asks.
	trouble atomic.Value
}

// Enter waits for the turn and a slot, after a resume if the run is paused. Meanwhile it applies
// orders to w. It calls passed once the turn is over: with a slot, or because the run is paused and
// no other run must wait for it. The error is ErrStopped, or an error of w. Leave gives the slot
// back.
func (g *Gate) Enter(myTurn <-chan struct{}, passed func(), paused bool, w Waiting) error {
	defer passed()
	serve := func(o Order) (err error) {
		if paused, err = g.serveOutside(o, paused, w); paused {
			passed()
		}
		return err
	}
	for {
		slots := g.Slots
		if myTurn != nil || paused {
			slots = nil
		}
		select {
		case <-myTurn:
			myTurn = nil
		case slots <- struct{}{}:
			o, waits := g.Next()
			if !waits {
				g.hasSlot = true
				return nil
			}
			<-g.Slots // an order that was given while the run waited comes first
			if err := serve(o); err != nil {
				return err
			}
		case <-g.Done:
			return ErrStopped
		case o := <-g.Orders:
			if err := serve(o); err != nil {
				return err
			}
		}
	}
}

// serveOutside carries out an order to a run that has no slot.
func (g *Gate) serveOutside(o Order, paused bool, w Waiting) (nowPaused bool, err error) {
	switch {
	case o.Verb == runner.Stop:
		return paused, ErrStopped
	case o.Verb == runner.Pause && !paused:
		return true, w.Mark(runner.Paused)
	case o.Verb == runner.Resume && paused:
		if len(g.Slots) < cap(g.Slots) {
			return false, nil // it continues at once
		}
		return false, w.Mark(runner.Queued)
	}
	return paused, o.serveWithoutSlot(w)
}

// serveWithoutSlot carries out an order that a run without a slot obeys, too.
func (o *Order) serveWithoutSlot(w Waiting) error {
	switch o.Verb {
	case runner.Knob:
		return o.Turn(w)
	case runner.Checkpoint:
		o.Answer(w.Head().Step, w.Saved())
	}
	return nil
}

// Turn turns the knob and answers the sender. It returns only an error that ends the run.
func (o *Order) Turn(w Waiting) error {
	err := w.Turn(o.Key, o.Value)
	o.Answer(w.Head().Step, err)
	if errors.As(err, &knobRefusal{}) {
		return nil
	}
	return err
}

// ServeLast carries out the orders that still wait when a run stops. It turns knobs, for a later
// resume, and answers requests for a checkpoint with the one that the stop has left. All other
// orders have no effect any more.
func (g *Gate) ServeLast(w Waiting) (err error) {
	for o, ok := g.Next(); ok; o, ok = g.Next() {
		if err != nil {
			o.Answer(0, err)
		} else {
			err = o.serveWithoutSlot(w)
		}
	}
	return err
}

// Close refuses the orders that came too late.
func (g *Gate) Close() {
	for o, ok := g.Next(); ok; o, ok = g.Next() {
		o.Answer(0, runner.ErrNotRunning)
	}
}

// Send gives the run an order, unless too many orders wait already.
func (g *Gate) Send(o Order) error {
	if o.Verb == runner.Stop {
		select {
		case g.Stops <- struct{}{}:
		default:
		}
	}
	select {
	case g.Orders <- o:
		if o.Verb == runner.Stop {
			g.End()
		}
		return nil
	default:
		return runner.ErrBusy
	}
}

// End marks the run as ending.
func (g *Gate) End()         { g.ending.Store(true) }
func (g *Gate) Ending() bool { return g.ending.Load() } // Ending reports whether End was called.

// Trouble returns why the run waits for the disk; empty if it does not.
func (g *Gate) Trouble() string {
	text, _ := g.trouble.Load().(string)
	return text
}

// Leave gives up the slot, if the run has one: Enter may have returned without it.
func (g *Gate) Leave() {
	if g.hasSlot {
		<-g.Slots
		g.hasSlot = false
	}
}

// HasNext reports whether an order waits, or every run is to stop.
func (g *Gate) HasNext() bool {
	select {
	case <-g.Done:
		return true
	default:
		return g.pauseDue || len(g.Orders) > 0
	}
}

// Next returns a waiting order, without blocking. A pause that was requested while the run waited
// for the disk comes first, since it is older.
func (g *Gate) Next() (o Order, ok bool) {
	if g.pauseDue {
		g.pauseDue = false
		return Order{Order: runner.Order{Verb: runner.Pause}}, true
	}
	select {
	case o := <-g.Orders:
		return o, true
	default:
		return o, false
	}
}

// mostAway is the number of attempts, at the intervals of Retry, for which a missing folder is
// awaited without a resume: half a minute.
const mostAway = 15

// Write performs a write. While the disk is full or fails temporarily, it waits and retries: when
// the run is resumed or, if Alone is set, at intervals. A folder that is missing may be back soon,
// so the first mostAway attempts need no resume. tell logs a warning, as soon as one can be
// written, and told reports that it did. If a stop comes meanwhile, Write returns the disk's error.
func (g *Gate) Write(do func() error, tell func(cause error) error) (told bool, err error) {
	defer g.trouble.Store("")
	away := 0
	for first := true; ; first = false {
		err = do()
		disk, waits := errors.AsType[*runner.DiskError](err)
		if !waits {
			return told, err
		}
		again := g.Alone
		if disk.Away && away < mostAway {
			away++
			again = true
		}
		g.trouble.Store(err.Error())
		if first && g.Waits != nil {
			g.Waits(err)
		}
		note := func() { told = told || tell(err) == nil }
		note()
		if !g.awaitDisk(note, again) {
			return told, err
		}
	}
}

// Slow returns the reason why an order is not answered yet.
func (g *Gate) Slow() error {
	if cause := g.Trouble(); cause != "" {
		return fmt.Errorf("waits for the disk: %s", cause)
	}
	return runner.ErrSlow
}

// awaitDisk waits until the write may be tried again, or must not be, and calls note at intervals.
// With again, it may be tried after the first interval, and else after a resume. A resume cancels a
// pause that was requested meanwhile.
func (g *Gate) awaitDisk(note func(), again bool) (try bool) {
	retry := time.NewTicker(g.Retry)
	defer retry.Stop()
	for {
		select {
		case <-g.Done:
			return false
		case <-retry.C:
			note()
			if again {
				return true
			}
		case o := <-g.Orders:
			switch o.Verb {
			case runner.Stop:
				return false
			case runner.Resume:
				g.pauseDue = false
				return true
			case runner.Pause:
				g.pauseDue = true
			default: // the disk takes no record of the order, so it would not count
				o.Answer(0, g.Slow())
			}
		}
	}
}

// WaitLogger returns a function that logs that a run waits for the disk: a warning and a pause. If
// there was space for the warning alone, the next call writes only the pause.
func WaitLogger(to runner.Recorder, h runner.Head) func(cause error) error {
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
