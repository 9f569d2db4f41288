package engine

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"sync/atomic"
	"time"

	"drolab/runner"
	"drolab/runner/disk"
	"drolab/runner/record"
	"drolab/runner/spec"
)

// Client sends verbs to the engine of a runs folder. It keeps no connection, so that an engine may
// end and another start between two verbs. Its methods may be used from any goroutine. It
// implements runner.Verbs; Start and Resume start an engine where there is none.
type Client struct {
	runner.OrderFunc
	RunsDir string // must exist
	// Place is that of RunsDir, for the commands that errors advise.
	Place runner.Place
	// RuntimeDir is $XDG_RUNTIME_DIR.
	RuntimeDir string
	Version    string // of this program
	// Means are sent with Start and Resume.
	Means runner.Means
	// Program, if not nil, returns the means to start programs. They are sent within the Means of
	// runs that train a program.
	Program func() *runner.ProgramMeans
	// Note, if not nil, receives a message about the sockets that were passed over on the way to
	// the engine.
	Note func(string)
	// Command returns the command that runs an engine of RunsDir; it is not started yet.
	Command func() *exec.Cmd

	reading *atomic.Pointer[runner.Reading] // of the start under way

	timeout time.Duration // limit for an answer; 0: replyTimeout
	run     string        // ID of the run whose folder RunsDir is, if a script owns its loop
}

// NewClient returns a client with these settings, which may be those of another client.
func NewClient(settings Client) *Client {
	c := &settings
	c.OrderFunc, c.reading = c.sendOrder, &atomic.Pointer[runner.Reading]{}
	return c
}

// ErrNone says that the runs folder has no engine.
var ErrNone = errors.New("no engine is running")

// errEnding says that the engine serves nobody any more.
var errEnding = errors.New("the engine is ending")

// Start implements runner.Verbs.
func (c *Client) Start(r runner.Request) ([]string, error) {
	isProgram := func(s spec.Spec) bool { return s.IsProgram() }
	r.Means = c.means(slices.ContainsFunc(r.Specs, isProgram))
	out, err := c.askStarting(&request{Order: runner.Order{Verb: verbStart}, Start: &r})
	if err != nil {
		return nil, err
	}
	return out.IDs, nil
}

// Wake starts the engine where there is none. The engine then looks for work of its own.
func (c *Client) Wake() error {
	_, err := c.askStarting(&request{Order: runner.Order{Verb: verbStatus}})
	return err
}

// sendOrder sends an order. A resume starts an engine if need be, and tells it the means.
func (c *Client) sendOrder(o runner.Order) (step int64, err error) {
	var out reply
	switch to := c.script(o.Run); {
	case to != nil:
		out, err = to.askAt(control, &request{Order: o})
	case o.Verb == runner.Resume:
		r, wrong := record.Find(c.RunsDir, o.Run) // the engine says what is wrong
		means := c.means(wrong == nil && r.Meta.Spec.IsProgram())
		o.Means = &means
		out, err = c.askStarting(&request{Order: o})
	default:
		out, err = c.askAt(control, &request{Order: o})
	}
	if err != nil {
		return 0, err
	}
	return out.Step, nil
}

// means returns the means of a run; program says whether the run trains a program.
func (c *Client) means(program bool) runner.Means {
	m := c.Means
	if program && c.Program != nil {
		m.Program = c.Program()
	}
	return m
}

// Status asks on the read-only socket. The error is ErrNone if there is no engine.
func (c *Client) Status() (*Status, error) {
	view := func(a address) string { return a.View }
	out, err := c.askAt(view, &request{Order: runner.Order{Verb: verbStatus}})
	if err != nil {
		return nil, err
	}
	if out.Status == nil {
		return nil, errors.New("the engine's status is empty")
	}
	return out.Status, nil
}

// Shutdown ends the engine, and returns when it has ended. With force, its runs stop with a
// checkpoint; without force, an engine with live runs refuses. By then another engine may have come
// whose start was under way.
func (c *Client) Shutdown(force bool) error {
	limit := time.Now().Add(cmp.Or(c.timeout, replyTimeout))
	w, engine, err := c.connect(control, limit)
	if err != nil {
		return err
	}
	defer w.Close()
	end := &request{Order: runner.Order{Verb: verbShutdown}, Force: force}
	if _, err := exchange(w, end, limit); err != nil {
		return err
	}
	for range polls(replyTimeout) {
		if held, err := c.held(); !held && err == nil {
			return nil
		}
		if holder, ok := readLockInfo(c.RunsDir); ok && holder.PID != engine.PID {
			return nil
		}
	}
	return errors.New("the engine is ending, but still holds its lock" + describeHolder(c.RunsDir))
}

// askAt sends a request to the running engine. Connecting and asking share one limit, the timeout
// of c, but the answer to a verb that takes long has no limit.
func (c *Client) askAt(socket func(address) string, r *request) (out reply, err error) {
	limit := time.Now().Add(cmp.Or(c.timeout, replyTimeout))
	w, _, err := c.connect(socket, limit)
	if err != nil {
		return out, err
	}
	defer w.Close()
	return exchange(w, r, limit)
}

// connect connects to the running engine, and returns its hello. It tries an engine that is too
// busy, or that is starting or ending, again until the limit.
func (c *Client) connect(socket func(address) string, limit time.Time) (
	w *messageConn, engine hello, err error,
) {
	for range polls(time.Until(limit)) {
		w, engine, err = c.dial(socket, limit)
		if !errors.Is(err, ErrNone) && !errors.Is(err, errEnding) {
			return w, engine, err
		}
		switch held, broken := c.held(); {
		case broken != nil:
			return nil, engine, broken
		case held: // it is about to answer, or to end
		case c.run != "":
			return nil, engine, errors.New(runner.ByScript(c.run))
		case errors.Is(err, ErrNone):
			return nil, engine, fmt.Errorf("%w for %s", ErrNone, c.RunsDir)
		default:
			return nil, engine, err
		}
	}
	if errors.Is(err, errEnding) {
		return nil, engine, err
	}
	return nil, engine, fmt.Errorf("the engine of %s does not answer here%s: "+
		"ask it on its own machine, or end that process", c.RunsDir, describeHolder(c.RunsDir))
}

// askStarting sends a request to an engine of this very version, and starts that engine if need be.
func (c *Client) askStarting(r *request) (out reply, err error) {
	w, err := c.reach()
	if err != nil {
		return out, err
	}
	defer w.Close()
	w.reading = c.reading
	defer c.reading.Store(nil)
	return exchange(w, r, time.Time{})
}

// Reading says how far the data are that a start or a resume of this client reads now; nil if none
// is reading, or if its data do not tell.
func (c *Client) Reading() *runner.Reading { return c.reading.Load() }

// exchange sends a request and returns the reply. The reply to a verb that takes long has no limit,
// but the server has to send a blank now and then.
func exchange(w *messageConn, r *request, limit time.Time) (out reply, err error) {
	r.Folder = w.folder
	if err := w.send(r); err != nil {
		return out, fmt.Errorf("asking the engine: %w", err)
	}
	if takesLong(r.Verb) || limit.IsZero() {
		w.gap, limit = replyTimeout, time.Time{}
	}
	for {
		out = reply{}
		if err := w.receive(&out, limit); err != nil {
			return out, fmt.Errorf(
				"the engine's answer: %w: its log may say why, see drolab engine status", err)
		}
		if out.Reading == nil {
			return out, out.err()
		}
		if w.reading != nil {
			w.reading.Store(out.Reading)
		}
	}
}

func control(a address) string { return a.Control }

// dial finds the engine and reads its hello. The error is ErrNone or errEnding
// where that is the reason.
func (c *Client) dial(socket func(address) string, limit time.Time) (*messageConn, hello, error) {
	mine, err := folderAt(c.RunsDir)
	if errors.Is(err, fs.ErrNotExist) {
		err = ErrNone
	}
	if err != nil {
		return nil, hello{}, err
	}
	var passed []error
	for _, a := range addresses(c.RuntimeDir, mine) {
		path := socket(a)
		if _, err := os.Lstat(path); err != nil {
			continue // nobody is there
		}
		if err := disk.OwnFolder(filepath.Dir(path)); err != nil {
			passed = append(passed, err)
			continue
		}
		dialer := net.Dialer{Deadline: limit}
		conn, err := dialer.Dial("unix", path)
		if err != nil {
			continue // nobody is there any more
		}
		w := newMessageConn(conn)
		w.folder = mine
		h, err := readHello(w, limit)
		if err == nil {
			c.note(passed)
			return w, h, nil
		}
		w.Close()
		if !errors.Is(err, errStranger) {
			return nil, h, err
		}
		passed = append(passed, fmt.Errorf("%s: %w", path, err))
	}
	c.note(passed)
	return nil, hello{}, ErrNone
}

// note reports the sockets that were passed over.
func (c *Client) note(passed []error) {
	if c.Note != nil && len(passed) > 0 {
		c.Note("passed over: " + errors.Join(passed...).Error())
	}
}

// errStranger says that somebody else answers.
var errStranger = errors.New("the engine is not yours")

// readHello reads the hello of an engine. It refuses an engine of another user or of another folder
// than w.folder.
func readHello(w *messageConn, limit time.Time) (h hello, err error) {
	if err := sameUser(w.Conn); err != nil {
		return h, fmt.Errorf("%w: %w", errStranger, err)
	}
	err = w.receive(&h, limit)
	var broken *net.OpError // by an engine that did not even accept it
	switch {
	case errors.Is(err, errClosed) || errors.As(err, &broken) && !broken.Timeout():
		return h, errEnding
	case err != nil:
		return h, fmt.Errorf("the engine does not answer: %w", err)
	case h.Protocol != protocol:
		return h, fmt.Errorf("the engine (pid %d) is drolab %s, which this one cannot talk to: "+
			"let its runs end, or use that program", h.PID, h.Version)
	case !h.Folder.isSame(w.folder):
		return h, fmt.Errorf("%w: it (pid %d) is the engine of %s, not of %s", errStranger, h.PID,
			h.Folder.Path, w.folder.Path)
	}
	return h, nil
}

// held reports whether somebody holds the engine's lock. An error says that nobody can hold it,
// because it is no regular file or cannot be read.
func (c *Client) held() (bool, error) {
	f, _, err := disk.OpenRegular(c.lock())
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	if err != nil {
		return false, fmt.Errorf("the engine's lock: %w", err)
	}
	f.Close()
	return disk.Held(c.lock()), nil
}

func (c *Client) lock() string { return filepath.Join(c.RunsDir, lockName) }

var _ runner.Verbs = (*Client)(nil)
