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

// apart starts the process that reads one's own files.
var apart atomic.Pointer[func() *exec.Cmd]

// ReadApart has one's own files read by processes of their own from now on, until undo: command
// returns one, not started, that does nothing but [Serve]. Each may take a part of the memory that
// is left and no more, so that files that were made to hurt end it and not this process. Without it
// [Open] reads in this process.
func ReadApart(command func() *exec.Cmd) (undo func()) {
	before := apart.Swap(&command)
	return func() { apart.Store(before) }
}

const (
	// readerPart, of the memory that is left, is for the process that reads and what it has read.
	readerPart  = 0.9
	readerLeast = 64 << 20 // bytes
)

// readBy opens what a Provider has: in a process of its own, where that is wanted.
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
		// Beside other readers its part was small: it is tried again when they have ended.
		var bound *boundError
		if !share.Crowded || !errors.As(err, &bound) {
			return nil, err
		}
		if err := room.Settled(ctx); err != nil {
			return nil, err
		}
	}
}

// boundError says that a data set takes more memory than the process that reads it may have.
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
	defer in.Close() // it ends then, whatever it does
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

// wait waits for the end of the process. One that hangs in a disk that is gone is left, once it is
// not wanted.
func (r *reader) wait(ctx context.Context) (exited bool) {
	over := make(chan struct{})
	go func() {
		defer close(over)
		r.cmd.Wait() // ProcessState tells
	}()
	select {
	case <-over:
		return true
	case <-ctx.Done():
		return false
	}
}

// why says of what a process ended that sent no data set.
func (r *reader) why() error {
	line, state := r.said.line(), r.cmd.ProcessState.String()
	// So a Go program says that it has no memory, or cannot even say so; the system kills it.
	wants := []string{room.OutOfMemory, "cannot allocate memory", "newosproc", "pthread_create",
		"SIG", "killed"}
	if slices.ContainsFunc(wants, func(w string) bool { return strings.Contains(line+state, w) }) {
		return &boundError{r.share.Bounded, r.share.Bytes()}
	}
	return fmt.Errorf("the process that read it ended with %s: %q: please report it", state, line)
}

// said is the beginning of what a process wrote on its errors.
type said struct{ bytes.Buffer }

// Write implements io.Writer.
func (s *said) Write(p []byte) (int, error) {
	const most = 4 << 10
	s.Buffer.Write(p[:min(len(p), max(0, most-s.Len()))])
	return len(p), nil
}

// line is the one that tells of an error: of a Go program that fails, or the first.
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
