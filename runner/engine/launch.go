package engine

import (
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"strings"
	"time"

	"drolab/runner"
	"drolab/runner/disk"
)

// startTimeout is how long a client waits for an engine that starts or ends. An ending engine
// waits for its runs to reach the end of a step or of an evaluation.
const startTimeout = 30 * time.Second

// maxLog is the size of the engine's log, in bytes, above which a new engine empties it.
const maxLog = 1 << 20

// reach connects to an engine of this very version. It starts one where there is none, and replaces
// an idle engine of another version.
func (c *Client) reach() (*messageConn, error) {
	var child *child
	for range polls(startTimeout) {
		w, h, err := c.dial(control, time.Now().Add(replyTimeout))
		held, broken := c.held()
		switch {
		case err == nil && h.Version == c.Version:
			return w, nil
		case err == nil:
			if err := c.replace(w, h); err != nil {
				return nil, err
			}
		case !errors.Is(err, ErrNone) && !errors.Is(err, errEnding):
			return nil, err
		case broken != nil:
			return nil, broken
		case held:
			// Somebody's engine is about to answer, or to end.
		case child == nil:
			if child, err = c.launch(); err != nil {
				return nil, fmt.Errorf(
					"starting the engine: %w: or train in this process with --inline", err)
			}
		default:
			if why, ended := child.ended(); ended {
				return nil, fmt.Errorf(
					"the engine did not start: %s: or train in this process with --inline", why)
			}
		}
	}
	return nil, fmt.Errorf("the engine of %s does not answer%s: "+
		"end that process, or train in this one with --inline", c.RunsDir,
		describeHolder(c.RunsDir))
}

// replace ends an engine of another version that has nothing to do.
func (c *Client) replace(w *messageConn, h hello) error {
	defer w.Close()
	end := &request{Order: runner.Order{Verb: verbShutdown}}
	if _, err := exchange(w, end, time.Time{}); err != nil {
		return fmt.Errorf("the engine (pid %d) is drolab %s and this is %s: %w (%s), or train "+
			"in this process with --inline", h.PID, h.Version, c.Version, err,
			c.Place.Command("drolab stop --all"))
	}
	return nil
}

// child is an engine that this client has started.
type child struct {
	exited chan error
	log    string
	from   int64 // offset in the log, in bytes, at which its part begins
}

// launch starts the engine in a session of its own. The engine goes on when its executable is
// removed, as go run does.
func (c *Client) launch() (*child, error) {
	cmd := c.Command()
	detach(cmd)
	cmd.Dir = "/" // no disk is kept from being unmounted
	started := &child{exited: make(chan error, 1), log: filepath.Join(c.RunsDir, logName)}
	// Without a log, the child's words are lost.
	if log, size, err := disk.AppendPlain(started.log, maxLog); err == nil {
		defer log.Close()
		started.from = size
		cmd.Stdout, cmd.Stderr = log, log
	}
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	go func() { started.exited <- cmd.Wait() }()
	return started, nil
}

// ended reports whether the engine exited before it was of use, and why: the last line of its log
// or, without one, its exit status.
func (s *child) ended() (why string, yes bool) {
	select {
	case err := <-s.exited:
		s.exited <- err
		if why = lastLine(s.log, s.from); why == "" {
			why = fmt.Sprint(err)
		}
		return why, true
	default:
		return "", false
	}
}

func lastLine(path string, from int64) string {
	f, _, err := disk.OpenRegular(path)
	if err != nil {
		return ""
	}
	defer f.Close()
	b, err := io.ReadAll(io.NewSectionReader(f, from, maxLog))
	if err != nil {
		return ""
	}
	lines := strings.Split(strings.TrimSpace(string(b)), "\n")
	return strings.TrimPrefix(lines[len(lines)-1], "drolab: ")
}
