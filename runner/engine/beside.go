package engine

import (
	"context"
	"io"
	"path/filepath"
	"time"

	"drolab/runner"
	"drolab/runner/queue"
	"drolab/runner/record"
)

// A run whose loop is a script's lives in a process that the script has started, and not in the
// engine of the runs folder. It is asked the same things in the same words, at sockets that have
// the run's own folder for their name.

// Beside answers for the only run of a queue, until close is called.
func Beside(dir, runtimeDir string, host runner.Host, q *queue.Queue, log io.Writer) (
	end func(), err error,
) {
	e := &engine{settings: Settings{RunsDir: dir, RuntimeDir: runtimeDir, Host: host, Log: log},
		queue: q, started: time.Now(), last: time.Now(), wake: make(chan struct{}, 1)}
	if e.folder, err = folderAt(dir); err != nil {
		return nil, err
	}
	e.over, e.setOver = context.WithCancel(context.Background())
	a, _, err := newAddress(runtimeDir, e.folder)
	if err != nil {
		return nil, err
	}
	verbs := e.controlVerbs()
	delete(verbs, verbStart)
	delete(verbs, verbShutdown)
	verbs[verbResume] = of(q.GoOn) // and never anew: that is the script's
	c, err := e.open(a.Control, verbs, func() (func(), bool) { return func() {}, true })
	if err != nil {
		return nil, err
	}
	return func() {
		c.close()
		<-c.done
		e.setOver()
		e.conns.Wait()
	}, nil
}

// script is the client for a run whose loop is a script's; nil for every other run.
func (c *Client) script(id string) *Client {
	r, err := record.Find(c.RunsDir, id)
	if err != nil || !r.Meta.Spec.IsScript() {
		return nil // the engine says what is wrong
	}
	s := *c
	s.RunsDir, s.run = filepath.Join(c.RunsDir, r.Meta.ID), r.Meta.ID
	return &s
}

// of is the client that a run is asked by.
func (c *Client) of(id string) *Client {
	if s := c.script(id); s != nil {
		return s
	}
	return c
}
