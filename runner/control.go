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
		return r.save()
	case pause:
		return r.rest()
	case turn:
		return r.turn(o.knob)
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
	r.pauseClock()
	defer func() { r.clock = time.Now() }()
	r.gate.leave()
	err := r.gate.enter(nil, func() {}, true, r.mark)
	switch {
	case err == nil:
		return r.mark(Running)
	case err == errStopped:
		if failed := r.turnLast(); failed != nil {
			return failed
		}
	}
	return err
}

// turnLast turns the knobs that were asked for during a pause that ends in a
// stop, for the resume that may come.
func (r *run) turnLast() error {
	for _, o := range r.gate.later {
		if o.verb != turn {
			continue
		}
		if err := r.turn(o.knob); err != nil {
			return err
		}
	}
	return nil
}

func (r *run) stop() error {
	if err := r.save(); err != nil {
		return err
	}
	return errStopped
}

// mark puts a status into the log.
func (r *run) mark(s Status) error { return r.append(&StatusEvent{Head: r.head(), Status: s}) }

// append puts e into the log. A patient run waits for room on a full disk.
func (r *run) append(e Event) error {
	return r.write(func() error { return r.record.Append(e) })
}

// write does a write of any kind as append does. The time it takes is not the
// steps'.
func (r *run) write(do func() error) error {
	began := time.Now()
	defer func() { r.clock = r.clock.Add(time.Since(began)) }()
	tell := func(cause error) error {
		if err := r.record.Append(&WarningEvent{Head: r.head(), Message: cause.Error()}); err != nil {
			return err
		}
		return r.record.Append(&StatusEvent{Head: r.head(), Status: Paused, Cause: cause.Error()})
	}
	back := func() error { return r.record.Append(&StatusEvent{Head: r.head(), Status: Running}) }
	return r.gate.write(do, tell, back)
}
