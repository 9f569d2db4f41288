package train

import (
	"drolab/runner"
	"drolab/runner/gate"
	"time"
)

// obey does what was asked since the last step. Without a request it costs
// one look at an empty channel. A closed gate is a request to stop.
func (r *Run) obey() error {
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

// serve does one order. An error ends the run, gate.ErrStopped as a stop does; what
// only the order's sender needs to know goes to them as an answer.
func (r *Run) serve(o gate.Order) error {
	switch o.Verb {
	case gate.Stop:
		return r.stop()
	case gate.Checkpoint:
		if r.leader != nil {
			r.asked = append(r.asked, o)
			return nil
		}
		err := r.save()
		o.Answer(r.step, err)
		return err
	case gate.Pause:
		return r.rest()
	case gate.Turn:
		return o.Turn(r)
	}
	return nil // resume, of a run that is not paused
}

// rest saves, lets another run train, and waits until the run may go on. A
// stop needs no further checkpoint then.
func (r *Run) rest() error {
	if err := r.saveNow(); err != nil {
		return err
	}
	if err := r.Mark(runner.Paused); err != nil {
		return err
	}
	defer r.pause()()
	r.Gate.Leave()
	err := r.Gate.Enter(nil, func() {}, true, r)
	if err == gate.ErrStopped && r.leader != nil {
		err = r.stop()
	}
	if err == nil {
		return r.Mark(runner.Running)
	}
	return err
}

// stop leaves a checkpoint of this moment and ends the run, so that a resume goes on
// from this very step.
func (r *Run) stop() error {
	if r.leader != nil {
		r.stopping = true
		return nil
	}
	if err := r.save(); err != nil {
		return err
	}
	return gate.ErrStopped
}

// saveNow saves before a pause. A script can only save by itself, and waits meanwhile.
func (r *Run) saveNow() error {
	if r.leader != nil {
		return nil
	}
	return r.save()
}

// Saved implements gate.Waiting: what waits, and what has stopped, was saved before.
func (r *Run) Saved() error {
	if r.leader != nil && (r.savedStep != r.step || r.step == 0) {
		return errOwnSaves
	}
	return nil
}

// Mark implements gate.Waiting: it puts a status into the log, of the step that the
// run has come to.
func (r *Run) Mark(s runner.Status) error {
	return r.append(&runner.StatusEvent{Head: r.Head(), Status: s})
}

// append puts e into the log, and waits for room on a full disk. After a wait that the
// log tells of, it says that the run goes on, unless e is itself a status.
func (r *Run) append(e runner.Event) error {
	told, err := r.write(func() error { return r.Record.Append(e) })
	if _, isStatus := e.(*runner.StatusEvent); err != nil || !told || isStatus {
		return err
	}
	return r.Mark(runner.Running)
}

// write does a write of any kind. Where it has to wait, the log says so as soon
// as it can: told, and the run is paused there. The time is not the steps'.
func (r *Run) write(do func() error) (told bool, err error) {
	began := time.Now()
	defer func() { r.since = r.since.Add(time.Since(began)) }()
	return r.Gate.Write(do, gate.Waits(r.Record, r.Head()))
}
