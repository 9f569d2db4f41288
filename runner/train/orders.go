package train

import (
	"errors"
	"time"

	"drolab/runner"
)

// serveOrders carries out the orders that arrived since the last step. Without an order it costs
// one check of an empty channel. A closed Gate.Done is a request to stop.
func (r *Run) serveOrders() error {
	for {
		select {
		case <-r.Gate.Done:
			return r.stop()
		default:
		}
		o, ok := r.Gate.Next()
		if !ok {
			return nil
		}
		if err := r.serve(o); err != nil {
			return err
		}
	}
}

// serve carries out one order. An error ends the run, as ErrStopped does for a stop; an error
// that concerns only the sender of the order goes into the answer.
func (r *Run) serve(o Order) error {
	if o.Alert != nil {
		r.alert(o.Alert)
		return nil
	}
	switch o.Verb {
	case runner.Stop:
		return r.stop()
	case runner.Checkpoint:
		if r.leader != nil {
			r.asked = append(r.asked, o)
			return nil
		}
		err := r.save()
		o.Answer(r.step, err)
		return err
	case runner.Pause:
		return r.pauseUntilResumed()
	case runner.Knob:
		return o.Turn(r)
	}
	return nil // a resume of a run that is not paused
}

// pauseUntilResumed saves, gives the slot to another run, and waits until this run may continue. A
// stop in the meantime needs no further checkpoint.
func (r *Run) pauseUntilResumed() error {
	if r.leader == nil { // else only the script can save, and it waits during the pause
		if err := r.save(); err != nil {
			return err
		}
	}
	if err := r.Mark(runner.Paused); err != nil {
		return err
	}
	defer r.pause()()
	r.Gate.Leave()
	err := r.Gate.Enter(nil, func() {}, true, r)
	if errors.Is(err, ErrStopped) && r.leader != nil {
		err = r.stop()
	}
	if err == nil {
		return r.Mark(runner.Running)
	}
	return err
}

// stop writes a checkpoint of this moment and ends the run, so that a resume continues from this
// very step.
func (r *Run) stop() error {
	if r.leader != nil {
		r.stopping = true
		return nil
	}
	if err := r.save(); err != nil {
		return err
	}
	return ErrStopped
}

// Saved implements Waiting: a run that waits or has stopped was saved before, unless only its
// script can save.
func (r *Run) Saved() error {
	if r.leader != nil && (r.savedStep != r.step || r.step == 0) {
		return errOwnSaves
	}
	return nil
}

// Mark implements Waiting: it appends a status to the log, at the run's present step.
func (r *Run) Mark(s runner.Status) error {
	return r.append(&runner.StatusEvent{Head: r.Head(), Status: s})
}

// append writes e to the log, and waits for space on a full disk. After a wait that the log
// mentions, it writes that the run continues, unless e is itself a status.
func (r *Run) append(e runner.Event) error {
	told, err := r.write(func() error { return r.Record.Append(e) })
	if _, isStatus := e.(*runner.StatusEvent); err != nil || !told || isStatus {
		return err
	}
	return r.Mark(runner.Running)
}

// write performs a write of any kind. If it has to wait, the log says as soon as it can that the
// run is paused, and told is true. The time is not counted as time of steps.
func (r *Run) write(do func() error) (told bool, err error) {
	began := time.Now()
	defer func() { r.since = r.since.Add(time.Since(began)) }()
	return r.Gate.Write(do, WaitLogger(r.Record, r.Head()))
}
