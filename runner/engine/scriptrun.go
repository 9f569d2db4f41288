package engine

import (
	"io"
	"path/filepath"

	"drolab/runner"
	"drolab/runner/queue"
	"drolab/runner/record"
)

// A run whose loop belongs to a script lives in a process that the script has started, not in the
// engine of the runs folder. That process speaks the same protocol, at a control socket that is
// named after the run's own folder.

// serveRun answers for the only run of a queue, whose folder is dir, until end is called.
func serveRun(dir, runtimeDir string, host runner.Host, q *queue.Queue, log io.Writer) (
	end func(), err error,
) {
	e, err := newEngine(Settings{Settings: queue.Settings{Host: host}, RunsDir: dir,
		RuntimeDir: runtimeDir, Log: log}, q)
	if err != nil {
		return nil, err
	}
	a, _, err := newAddress(runtimeDir, e.folder)
	if err != nil {
		return nil, err
	}
	verbs := e.controlVerbs()
	delete(verbs, verbStart)
	delete(verbs, verbShutdown)
	verbs[runner.Resume] = func(r *request) (*reply, error) { // a restart is the script's task
		return &reply{}, q.ContinuePaused(r.Run)
	}
	c, err := e.open(a.Control, verbs, func() (func(), bool) { return func() {}, true })
	if err != nil {
		return nil, err
	}
	return func() {
		c.close()
		e.setOver()
		e.conns.Wait()
	}, nil
}

// script returns the client for a run whose loop belongs to a script, and nil for every other run.
func (c *Client) script(id string) *Client {
	r, err := record.Find(c.RunsDir, id)
	if err != nil || !r.Meta.Spec.IsScript() {
		return nil // the engine says what is wrong
	}
	s := NewClient(*c)
	s.RunsDir, s.run = filepath.Join(c.RunsDir, r.Meta.ID), r.Meta.ID
	return s
}
