package source

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"
	"sync/atomic"
	"syscall"

	"drolab/runner/data"
	"drolab/runner/internal/memory"
)

// readerCommand holds the function that returns the command of a process that reads the user's own
// files.
var readerCommand atomic.Pointer[func() *exec.Cmd]

// ReadApart makes separate processes read the user's own files from now on, until undo is called.
// command returns such a process, not yet started, that does nothing but [Serve]. Each process may
// take a bounded part of the remaining memory, so that a malicious file ends that process and not
// this one. Without ReadApart, [Open] reads the files in this process.
func ReadApart(command func() *exec.Cmd) (undo func()) {
	before := readerCommand.Swap(&command)
	return func() { readerCommand.Store(before) }
}

const (
	// readerPart is the part of the remaining memory for the reading process and the data that it
	// reads.
	readerPart  = 0.9
	readerLeast = 64 << 20 // the least size of that part, in bytes
)

// readBy opens the dataset of a Provider, in a separate process if ReadApart is in effect and the
// Provider reads the user's own files.
func readBy(
	ctx context.Context, p *data.Provider, name string, o data.Options,
) (*data.Dataset, error) {
	command := readerCommand.Load()
	if command == nil || *command == nil || !p.Apart {
		return p.Open(name, o)
	}
	for {
		share, err := memory.ReservePart(ctx, readerPart, readerLeast, "reading it")
		if err != nil {
			return nil, err
		}
		d, err := (&reader{cmd: (*command)(), share: share}).read(ctx, name, o)
		if err == nil {
			return d, nil
		}
		share.Release()
		// Its part was small because of other readers: it tries again when they have ended.
		if _, bound := errors.AsType[*boundError](err); !share.Crowded || !bound {
			return nil, err
		}
		if err := memory.Settled(ctx); err != nil {
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
		than = "the " + memory.Size(e.bytes) + " allowed here"
	}
	return fmt.Sprintf("reading it takes more memory than %s: "+
		"make it smaller, or use a machine with more", than)
}

// reader is a process that reads a data set.
type reader struct {
	cmd    *exec.Cmd
	share  *memory.Share
	stderr errorOutput
}

func (r *reader) read(ctx context.Context, name string, o data.Options) (*data.Dataset, error) {
	in, err := r.cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	defer in.Close() // the process ends then, whatever it does
	out, err := r.cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	r.cmd.Stderr = &r.stderr
	if err := r.cmd.Start(); err != nil {
		return nil, fmt.Errorf("starting the process that reads it: %w", err)
	}
	defer context.AfterFunc(ctx, func() {
		r.cmd.Process.Kill()
		out.Close()
	})()
	ask := request{name, o, r.share.Bounded, r.share.Bytes(), runtime.GOMAXPROCS(0)}
	var d *data.Dataset
	if err = writeHeader(in, &ask); err == nil || errors.Is(err, syscall.EPIPE) {
		answer := bufio.NewReader(out)
		if err = hearProgress(answer, o.Progress); err == nil {
			d, err = receive(answer, r.share)
		}
	}
	ended := errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF)
	if err != nil && !ended {
		r.cmd.Process.Kill()
	}
	exited := r.wait(ctx)
	switch {
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
	line, state := r.stderr.line(), r.cmd.ProcessState.String()
	// A Go program without memory writes one of these or, if it cannot even do that, is killed by
	// the system.
	wants := []string{memory.OutOfMemory, "cannot allocate memory", "newosproc", "pthread_create",
		"SIG", "killed"}
	if slices.ContainsFunc(wants, func(w string) bool { return strings.Contains(line+state, w) }) {
		return &boundError{r.share.Bounded, r.share.Bytes()}
	}
	return fmt.Errorf("the process that read it ended with %s: %q: please report it", state, line)
}

// errorOutput is the beginning of the standard error of a process.
type errorOutput struct{ bytes.Buffer }

// Write implements io.Writer.
func (s *errorOutput) Write(p []byte) (int, error) {
	const most = 4 << 10
	s.Buffer.Write(p[:min(len(p), max(0, most-s.Len()))])
	return len(p), nil
}

// line returns the line that states the error: the first that begins as an error of a failing Go
// program does, else the last line.
func (s *errorOutput) line() (text string) {
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

// Serve does the whole work of a process that reads a data set for another. It takes the request
// from in, reads the files within its memory bound, and writes the data set to out. It ends the
// process when in ends, since nobody waits for the data then.
func Serve(in io.Reader, out io.Writer) error {
	var ask request
	if err := readHeader(in, &ask); err != nil {
		return fmt.Errorf("this command is for drolab itself: see drolab data show: %w", err)
	}
	go func() {
		io.Copy(io.Discard, in)
		os.Exit(1)
	}()
	runtime.GOMAXPROCS(ask.Threads)
	debug.SetGCPercent(10) // kept data hold no pointers, and garbage counts against the bound
	if ask.Bounded {
		if err := memory.Bound(ask.Bytes); err != nil {
			return err
		}
	}
	ask.Options.Progress = func(done, of int) error { return tellProgress(out, done, of) }
	d, err := readOwn(ask.Name, ask.Options)
	if err == nil {
		err = send(out, d)
	}
	if _, lost := errors.AsType[*lostError](err); err == nil || lost {
		return err // nobody reads any more, or a part has been read
	}
	failed := answer{Error: err.Error()}
	errors.As(err, &failed.Missing)
	return writeHeader(out, &failed)
}

// errCut is the error of files of the user that were cut while they were read.
var errCut = errors.New("its files were cut or lost while they were read: " +
	"bring them back and try again")

// readOwn opens the user's own files. It turns a fault in a mapped file into an error.
func readOwn(name string, o data.Options) (d *data.Dataset, err error) {
	err = Unfaulted(errCut, func() error {
		p, err := find(name)
		if err == nil {
			d, err = p.Open(name, o)
		}
		return err
	})
	return d, err
}

// Unfaulted calls do, which reads samples. A fault in one of their mapped files becomes the error
// cut.
func Unfaulted(cut error, do func() error) (err error) {
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	defer func() {
		p := recover()
		switch {
		case data.IsFault(p):
			err = cut
		case p != nil:
			panic(p)
		}
	}()
	return do()
}

// lostError is the error of numbers that did not reach the process that asked for them.
type lostError struct{ error }

func (e *lostError) Unwrap() error { return e.error }
