package engine

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"drolab/runner"
)

// viewVerbs are those of the read-only socket: none changes anything.
func (e *engine) viewVerbs() map[string]handler {
	return map[string]handler{verbStatus: e.status}
}

func (e *engine) controlVerbs() map[string]handler {
	return map[string]handler{
		verbStatus:     e.status,
		verbStart:      e.start,
		verbResume:     e.resume,
		verbPause:      of(e.queue.Pause),
		verbStop:       of(e.queue.Stop),
		verbCheckpoint: of(e.queue.Checkpoint),
		verbKnob:       e.knob,
		verbShutdown:   e.shutdown,
	}
}

// of makes a handler of a verb that needs a run only.
func of(do func(id string) error) handler {
	return func(r *request) (*reply, error) { return &reply{}, do(r.Run) }
}

func (e *engine) status(*request) (*reply, error) {
	return &reply{Status: &Status{PID: os.Getpid(), Version: e.settings.Host.Version, Started: e.started, RunsDir: e.settings.RunsDir,
		Log: filepath.Join(e.settings.RunsDir, logName), Runs: e.queue.Live()}}, nil
}

func (e *engine) start(r *request) (*reply, error) {
	if r.Start == nil || len(r.Start.Specs) == 0 {
		return nil, errors.New("start: no run was named")
	}
	for _, s := range r.Start.Specs {
		if len(s.Algorithms) != 1 || s.Seeds != 1 {
			return nil, errors.New("start: want one algorithm and one seed in each spec")
		}
	}
	ids, err := e.queue.Start(*r.Start)
	return &reply{IDs: ids}, err
}

func (e *engine) resume(r *request) (*reply, error) {
	var m runner.Means
	if r.Means != nil {
		m = *r.Means
	}
	return &reply{}, e.queue.ResumeWith(r.Run, m)
}

func (e *engine) knob(r *request) (*reply, error) {
	return &reply{}, e.queue.Knob(r.Run, r.Key, r.Value)
}

// shutdown answers when every run has ended.
func (e *engine) shutdown(r *request) (*reply, error) {
	if live := e.queue.Live(); len(live) > 0 && !r.Force {
		return nil, fmt.Errorf("%d of its runs not ended (%s ...): stop them first", len(live), live[0].ID)
	}
	e.mu.Lock()
	e.wanted = true
	e.mu.Unlock()
	select {
	case e.wake <- struct{}{}:
	default: // it is about to look
	}
	<-e.over.Done()
	return &reply{}, nil
}
