package engine

import (
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"drolab/runner"
	"drolab/runner/record"
)

// Client asks the engine of a runs folder. It keeps no connection, so that an
// engine may end and another start between two verbs. Its methods may be used
// from any goroutine. It implements runner.Verbs; Start and Resume start an
// engine where there is none.
type Client struct {
	RunsDir string // exists
	// RuntimeDir is $XDG_RUNTIME_DIR.
	RuntimeDir string
	Version    string // of this program
	// Means travels with Start and Resume.
	Means runner.Means
	// Note, if not nil, is told what was passed over on the way to the engine.
	Note func(string)
	// Command returns the command that is an engine of RunsDir, not started.
	Command func() *exec.Cmd
}

// ErrNone says that the runs folder has no engine.
var ErrNone = errors.New("no engine is running")

// errEnding says that an engine was met that serves nobody any more.
var errEnding = errors.New("the engine is ending")

// Start implements runner.Verbs.
func (c *Client) Start(r runner.Request) ([]string, error) {
	r.Means = c.Means
	out, err := c.askStarting(&request{Verb: verbStart, Start: &r})
	if err != nil {
		return nil, err
	}
	return out.IDs, nil
}

// Wake starts the engine where there is none. It looks for work of its own then.
func (c *Client) Wake() error {
	_, err := c.askStarting(&request{Verb: verbStatus})
	return err
}

// Resume implements runner.Verbs.
func (c *Client) Resume(id string) error {
	_, err := c.askStarting(&request{Verb: verbResume, Run: id, Means: &c.Means})
	return err
}

// Pause implements runner.Verbs.
func (c *Client) Pause(id string) error { return c.ask(&request{Verb: verbPause, Run: id}) }

// Stop implements runner.Verbs.
func (c *Client) Stop(id string) error { return c.ask(&request{Verb: verbStop, Run: id}) }

// Checkpoint implements runner.Verbs.
func (c *Client) Checkpoint(id string) (step int64, err error) {
	out, err := c.askAt(control, &request{Verb: verbCheckpoint, Run: id})
	if err != nil {
		return 0, err
	}
	if out.Step == nil { // an engine of a program before
		return 0, fmt.Errorf("run %s: %w", id, runner.ErrSlow)
	}
	return *out.Step, nil
}

// Knob implements runner.Verbs.
func (c *Client) Knob(id, key, value string) error {
	return c.ask(&request{Verb: verbKnob, Run: id, Key: key, Value: value})
}

// Status asks on the read-only socket. The error is ErrNone where there is no
// engine.
func (c *Client) Status() (*Status, error) {
	out, err := c.askAt(func(a address) string { return a.View }, &request{Verb: verbStatus})
	if err != nil {
		return nil, err
	}
	if out.Status == nil {
		return nil, errors.New("the engine's status is empty")
	}
	return out.Status, nil
}

// Shutdown ends the engine, and returns when it has ended. With force its runs
// stop with a checkpoint; without, one that has live runs refuses.
func (c *Client) Shutdown(force bool) error {
	if err := c.ask(&request{Verb: verbShutdown, Force: force}); err != nil {
		return err
	}
	return c.await(func() bool { return !record.Held(c.lock()) }, "the engine ends, but holds its lock still")
}

func (c *Client) ask(r *request) error {
	_, err := c.askAt(control, r)
	return err
}

// askAt asks the engine that there is.
func (c *Client) askAt(socket func(address) string, r *request) (*reply, error) {
	w, err := c.connect(socket)
	if err != nil {
		return nil, err
	}
	defer w.Close()
	return exchange(w, r)
}

// connect connects to the engine that there is. One that has too much to do,
// or begins or ends just now, is given a while.
func (c *Client) connect(socket func(address) string) (w *wire, err error) {
	for range looks(patience) {
		w, _, err = c.dial(socket)
		passing := (errors.Is(err, ErrNone) || errors.Is(err, errEnding)) && record.Held(c.lock())
		if !passing {
			break
		}
	}
	return w, c.explain(err)
}

// askStarting asks an engine of this very version, and starts it if need be.
func (c *Client) askStarting(r *request) (*reply, error) {
	w, err := c.reach()
	if err != nil {
		return nil, err
	}
	defer w.Close()
	return exchange(w, r)
}

func exchange(w *wire, r *request) (*reply, error) {
	if err := w.send(r); err != nil {
		return nil, fmt.Errorf("asking the engine: %w", err)
	}
	w.gap = patience
	var out reply
	if err := w.receive(&out, 0); err != nil {
		return nil, fmt.Errorf("the engine's answer: %w: its log may say why, see drolab engine status", err)
	}
	if err := out.err(); err != nil {
		return nil, err
	}
	return &out, nil
}

func control(a address) string { return a.Control }

// dial finds the engine and reads its hello. The error is ErrNone or errEnding
// where that is the reason.
func (c *Client) dial(socket func(address) string) (*wire, hello, error) {
	var passed []error
	for _, a := range addresses(c.RuntimeDir, c.RunsDir) {
		path := socket(a)
		if _, err := os.Lstat(path); err != nil {
			continue // nobody is there
		}
		if err := ours(filepath.Dir(path)); err != nil {
			passed = append(passed, err)
			continue
		}
		conn, err := net.DialTimeout("unix", path, patience)
		if err != nil {
			continue // nobody is there any more
		}
		w := newWire(conn)
		h, err := greet(w)
		if errors.Is(err, errStranger) {
			w.Close()
			passed = append(passed, fmt.Errorf("%s: %w", path, err))
			continue
		}
		if err != nil {
			w.Close()
			return nil, h, err
		}
		c.note(passed)
		return w, h, nil
	}
	c.note(passed)
	return nil, hello{}, ErrNone
}

// note tells what was passed over.
func (c *Client) note(passed []error) {
	if c.Note != nil && len(passed) > 0 {
		c.Note("passed over: " + errors.Join(passed...).Error())
	}
}

// errStranger says that somebody else answers.
var errStranger = errors.New("the engine is not yours")

func greet(w *wire) (h hello, err error) {
	if err := sameUser(w.Conn); err != nil {
		return h, fmt.Errorf("%w: %w", errStranger, err)
	}
	err = w.receive(&h, patience)
	var broken *net.OpError // by one that did not even accept it
	if errors.Is(err, errClosed) || errors.As(err, &broken) && !broken.Timeout() {
		return h, errEnding
	}
	if err != nil {
		return h, fmt.Errorf("the engine does not answer: %w", err)
	}
	if h.Protocol != protocol {
		return h, fmt.Errorf("the engine (pid %d) is drolab %s, which this one cannot talk to: "+
			"let its runs end, or use that program", h.PID, h.Version)
	}
	return h, nil
}

// explain says what is meant by there being no engine.
func (c *Client) explain(err error) error {
	if !errors.Is(err, ErrNone) {
		return err
	}
	if record.Held(c.lock()) {
		return fmt.Errorf("the engine of %s does not answer here%s: ask it on its own machine, or end that process",
			c.RunsDir, whose(c.RunsDir))
	}
	return fmt.Errorf("%w for %s, so nothing there runs in one", ErrNone, c.RunsDir)
}

func (c *Client) lock() string { return filepath.Join(c.RunsDir, lockName) }

// await looks until it is so, for a while.
func (c *Client) await(so func() bool, otherwise string) error {
	for range looks(patience) {
		if so() {
			return nil
		}
	}
	return errors.New(otherwise + strings.TrimSuffix(whose(c.RunsDir), " "))
}

var _ runner.Verbs = (*Client)(nil)

// ReadOnly is runner.Verbs for a viewer that may change nothing.
type ReadOnly struct{}

var errReadOnly = errors.New("this view is read-only: leave it and use drolab attach to change anything")

// Start refuses.
func (ReadOnly) Start(runner.Request) ([]string, error) { return nil, errReadOnly }

func (ReadOnly) Pause(string) error                { return errReadOnly }    // Pause refuses.
func (ReadOnly) Resume(string) error               { return errReadOnly }    // Resume refuses.
func (ReadOnly) Stop(string) error                 { return errReadOnly }    // Stop refuses.
func (ReadOnly) Checkpoint(string) (int64, error)  { return 0, errReadOnly } // Checkpoint refuses.
func (ReadOnly) Knob(string, string, string) error { return errReadOnly }    // Knob refuses.

var _ runner.Verbs = ReadOnly{}
