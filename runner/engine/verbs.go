package engine

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"drolab/runner"
)

// viewVerbs returns the verbs of the read-only socket: none changes anything.
func (e *engine) viewVerbs() map[runner.Verb]handler {
	return map[runner.Verb]handler{verbStatus: e.status}
}

func (e *engine) controlVerbs() map[runner.Verb]handler {
	return map[runner.Verb]handler{
		verbStatus: e.status, verbStart: e.start, verbShutdown: e.shutdown,
		runner.Pause: e.order, runner.Resume: e.order, runner.Stop: e.order,
		runner.Checkpoint: e.order, runner.Knob: e.order,
	}
}

func (e *engine) order(r *request) (*reply, error) {
	step, err := e.queue.CarryOut(r.Order)
	if err != nil {
		return nil, err
	}
	return &reply{Step: step}, nil
}

func (e *engine) status(*request) (*reply, error) {
	return &reply{Status: &Status{
		PID:     os.Getpid(),
		Version: e.settings.Host.Version,
		Started: e.started,
		RunsDir: e.settings.RunsDir,
		Log:     filepath.Join(e.settings.RunsDir, logName),
		Runs:    e.queue.Live(),
	}}, nil
}

func (e *engine) start(r *request) (*reply, error) {
	if r.Start == nil || len(r.Start.Specs) == 0 {
		return nil, errors.New("start: no run was named")
	}
	for _, s := range r.Start.Specs {
		if len(s.Algorithms) != 1 || s.Seeds != 1 {
			return nil, errors.New("start: expected one algorithm and one seed in each spec")
		}
	}
	ids, err := e.queue.Start(*r.Start)
	if err != nil {
		return nil, err
	}
	return &reply{IDs: ids}, nil
}

// shutdown answers when every run has ended.
func (e *engine) shutdown(r *request) (*reply, error) {
	if err := e.awaitEnd(r.Force); err != nil {
		return nil, err
	}
	e.lookNow()
	<-e.over.Done()
	return &reply{}, nil
}

// awaitEnd waits until the engine may end, and from then on nobody is served. Without force, the
// engine may end only if no run is live and no other client is connected: that client may be about
// to start a run.
func (e *engine) awaitEnd(force bool) error {
	e.count(&e.enders, 1)
	defer e.count(&e.enders, -1)
	for range polls(replyTimeout) {
		if ok, err := e.mayEnd(force); ok || err != nil {
			return err
		}
	}
	return errors.New("somebody asking it for something: try again")
}

func (e *engine) mayEnd(force bool) (bool, error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if live := e.queue.Live(); len(live) > 0 && !force {
		return false, fmt.Errorf("%d of its runs %w (%s ...): stop them first",
			len(live), runner.ErrLive, live[0].ID)
	}
	if !force && e.asking > e.enders {
		return false, nil
	}
	e.wanted, e.ending = true, true
	return true, nil
}

// count adds by to n, one of the numbers of connections.
func (e *engine) count(n *int, by int) {
	e.mu.Lock()
	defer e.mu.Unlock()
	*n += by
}
