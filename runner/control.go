package runner

import "time"

// obey does what was asked since the last step. Without a request it costs
// one look at an empty channel. A closed gate is a request to stop.
func (r *run) obey() error {
	for {
		select {
		case <-r.gate.done:
			return r.stop()
		default:
		}
		o, ok := r.gate.next()
		if !ok {
			return nil
		}
		if err := r.serve(o); err != nil {
			return err
		}
	}
}

func (r *run) serve(o order) error {
	switch o.verb {
	case stop:
		return r.stop()
	case checkpoint:
		err := r.save()
		o.answer(r.step, err)
		return err
	case pause:
		return r.rest()
	case turn:
		return o.turn(r)
	}
	return nil // resume, of a run that is not paused
}

// rest saves, lets another run train, and waits until the run may go on. A
// stop needs no further checkpoint then.
func (r *run) rest() error {
	if err := r.save(); err != nil {
		return err
	}
	if err := r.mark(Paused); err != nil {
		return err
	}
	defer r.stopClock()()
	r.gate.leave()
	err := r.gate.enter(nil, func() {}, true, r)
	if err == nil {
		return r.mark(Running)
	}
	return err
}

func (r *run) stop() error {
	if err := r.save(); err != nil {
		return err
	}
	return errStopped
}

// saved implements waiting: what waits, and what has stopped, was saved before.
func (r *run) saved() error { return nil }

// mark puts a status into the log.
func (r *run) mark(s Status) error { return r.append(&StatusEvent{Head: r.head(), Status: s}) }

// append puts e into the log, and waits for room on a full disk.
func (r *run) append(e Event) error {
	told, err := r.write(func() error { return r.record.Append(e) })
	if _, isStatus := e.(*StatusEvent); err != nil || !told || isStatus {
		return err
	}
	return r.mark(Running)
}

// write does a write of any kind. Where it has to wait, the log says so as soon
// as it can: told, and the run is paused there. The time is not the steps'.
func (r *run) write(do func() error) (told bool, err error) {
	began := time.Now()
	defer func() { r.clock = r.clock.Add(time.Since(began)) }()
	return r.gate.write(do, waits(r.record, r.head()))
}

// waits returns what leaves in the log that a run waits for the disk: a warning
// and a pause. Where only the first found room, the next call goes on behind it.
func waits(to Recorder, h Head) func(cause error) error {
	warned := false
	return func(cause error) error {
		if !warned {
			if err := to.Append(&WarningEvent{Head: h, Message: cause.Error()}); err != nil {
				return err
			}
			warned = true
		}
		return to.Append(&StatusEvent{Head: h, Status: Paused, Cause: cause.Error()})
	}
}
