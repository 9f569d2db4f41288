package data

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"runtime"
	"slices"
	"strings"
	"sync/atomic"
	"syscall"

	"drolab/runner/internal/room"
)

// apart holds the function that returns the command of a process that reads the user's own files.
var apart atomic.Pointer[func() *exec.Cmd]

// ReadApart makes separate processes read the user's own files from now on, until undo is called.
// command returns such a process, not yet started, that does nothing but [Serve]. Each process may
// take a bounded part of the remaining memory, so that a malicious file ends that process and not
// this one. Without ReadApart, [Open] reads the files in this process.
func ReadApart(command func() *exec.Cmd) (undo func()) {
	before := apart.Swap(&command)
	return func() { apart.Store(before) }
}

const (
	// readerPart is the part of the remaining memory for the reading process and the data that it
	// reads.
	readerPart  = 0.9
	readerLeast = 64 << 20 // the least size of that part, in bytes
)

// readBy opens the dataset of a Provider, in a separate process if ReadApart is in effect and the
// Provider reads the user's own files.
func readBy(ctx context.Context, p *Provider, name string, o Options) (*Dataset, error) {
	command := apart.Load()
	if command == nil || *command == nil || !p.Apart {
		return p.Open(name, o)
	}
	for {
		share, err := room.TakePart(ctx, readerPart, readerLeast, "reading it")
		if err != nil {
			return nil, err
		}
		d, err := (&reader{cmd: (*command)(), share: share}).read(ctx, name, o)
		if err == nil {
			return d, nil
		}
		share.Release()
		// Its part was small because of other readers: it tries again when they have ended.
		var bound *boundError
		if !share.Crowded || !errors.As(err, &bound) {
			return nil, err
		}
		if err := room.Settled(ctx); err != nil {
			return nil, err
		}
	}
}

// boundError is the error of a data set that needs more memory than its reading process may take.
type boundError struct {
	bounded bool
	bytes   float64
}

func (e *boundError) Error() string {
	than := "there is"
	if e.bounded {
		than = "the " + room.Size(e.bytes) + " allowed here"
	}
	return fmt.Sprintf("reading it takes more memory than %s: "+
		"make it smaller, or use a machine with more", than)
}

// reader is a process that reads a data set.
type reader struct {
	cmd   *exec.Cmd
	share *room.Share
	said  said
}

func (r *reader) read(ctx context.Context, name string, o Options) (*Dataset, error) {
	in, err := r.cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	defer in.Close() // the process ends then, whatever it does
	out, err := r.cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	r.cmd.Stderr = &r.said
	if err := r.cmd.Start(); err != nil {
		return nil, fmt.Errorf("starting the process that reads it: %w", err)
	}
	defer context.AfterFunc(ctx, func() {
		r.cmd.Process.Kill()
		out.Close()
	})()
	ask := request{name, o, r.share.Bounded, r.share.Bytes(), runtime.GOMAXPROCS(0)}
	var d *Dataset
	if err = writeHeader(in, &ask); err == nil || errors.Is(err, syscall.EPIPE) {
		d, err = receive(bufio.NewReader(out), r.share)
	}
	ended := errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF)
	if err != nil && !ended {
		r.cmd.Process.Kill()
	}
	switch exited := r.wait(ctx); {
	case err != nil && ctx.Err() != nil:
		return nil, fmt.Errorf("reading it was stopped: %w", ctx.Err())
	case ended && exited:
		return nil, r.why()
	}
	return d, err
}

// wait waits for the process to end and reports whether it has ended. Once ctx ends, it abandons
// the process, which may hang on a disk that is gone.
func (r *reader) wait(ctx context.Context) (exited bool) {
	over := make(chan struct{})
	go func() {
		defer close(over)
		r.cmd.Wait() // ProcessState holds the result
	}()
	select {
	case <-over:
		return true
	case <-ctx.Done():
		return false
	}
}

// why returns the reason why a process ended without sending a data set.
func (r *reader) why() error {
	line, state := r.said.line(), r.cmd.ProcessState.String()
	// A Go program without memory writes one of these or, if it cannot even do that, is killed by
	// the system.
	wants := []string{room.OutOfMemory, "cannot allocate memory", "newosproc", "pthread_create",
		"SIG", "killed"}
	if slices.ContainsFunc(wants, func(w string) bool { return strings.Contains(line+state, w) }) {
		return &boundError{r.share.Bounded, r.share.Bytes()}
	}
	return fmt.Errorf("the process that read it ended with %s: %q: please report it", state, line)
}

// said is the beginning of the standard error of a process.
type said struct{ bytes.Buffer }

// Write implements io.Writer.
func (s *said) Write(p []byte) (int, error) {
	const most = 4 << 10
	s.Buffer.Write(p[:min(len(p), max(0, most-s.Len()))])
	return len(p), nil
}

// line returns the line that states the error: the first that begins as an error of a failing Go
// program does, else the last line.
func (s *said) line() (text string) {
	for text = range strings.Lines(s.String()) {
		for _, begin := range []string{"fatal error: ", "runtime/cgo: ", "panic: ", "SIG",
			"drolab: "} {
			if strings.HasPrefix(text, begin) {
				return strings.TrimSpace(text)
			}
		}
	}
	return strings.TrimSpace(text)
}
