package runner

import (
	"context"
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
)

// errStopped ends a run that was asked to stop. It is no failure.
var errStopped = errors.New("stopped")

// obey does what was asked since the last step. Without a request it costs
// one look at an empty channel. A cancelled context is a request to stop.
func (r *run) obey(ctx context.Context) error {
	for {
		select {
		case <-ctx.Done():
			return r.stop()
		case v := <-r.verbs:
			if err := r.serve(ctx, v); err != nil {
				return err
			}
		default:
			return nil
		}
	}
}

func (r *run) serve(ctx context.Context, v verb) error {
	switch v {
	case stop:
		return r.stop()
	case checkpoint:
		return r.save()
	case pause:
		return r.rest(ctx)
	}
	return nil // resume, of a run that is not paused
}

// rest saves and waits until the run may go on.
func (r *run) rest(ctx context.Context) error {
	if err := r.save(); err != nil {
		return err
	}
	if err := r.record.Append(&StatusEvent{Head: r.head(), Status: Paused}); err != nil {
		return err
	}
	r.pauseClock()
	defer func() { r.clock = time.Now() }()
	for {
		select {
		case <-ctx.Done():
			return r.stop()
		case v := <-r.verbs:
			switch v {
			case stop:
				return r.stop()
			case checkpoint:
				if err := r.save(); err != nil {
					return err
				}
			case resume:
				return r.record.Append(&StatusEvent{Head: r.head(), Status: Running})
			}
		}
	}
}

func (r *run) stop() error {
	if err := r.save(); err != nil {
		return err
	}
	return errStopped
}
