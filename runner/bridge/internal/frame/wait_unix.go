//go:build unix

package frame

import (
	"io"
	"os"
	"syscall"
	"time"
)

const (
	looking   = 100 * time.Microsecond // that a pipe is looked at before the reader sleeps
	worth     = 64                     // looks in a row that make the next pause a short one
	mostPause = 4096                   // the most waits of a pause
)

// eager reads a pipe. A process that sleeps takes longer to wake than a short answer takes to come.
// So the pipe is looked at again and again for a moment. Where that is in vain, since the other
// side computes or others want this processor, more and more waits go without it.
type eager struct {
	raw     syscall.RawConn
	read    func(fd uintptr) (done bool)
	worth   int // looks in a row that were not in vain
	without int // waits without a look, from now
	pause   int // the same behind the next look that is in vain

	into []byte // of the Read under way
	n    int
	err  error
}

// soon makes in a reader that waits well for what comes soon.
func soon(in io.Reader) io.Reader {
	f, ok := in.(*os.File)
	if !ok {
		return in
	}
	raw, err := f.SyscallConn()
	if err != nil {
		return in
	}
	e := &eager{raw: raw, pause: 1}
	e.read = e.look // once, since it is of the heap
	return e
}

// look reads what has come. False: nothing has, and the reader is to sleep.
func (e *eager) look(fd uintptr) bool {
	if e.try(fd) {
		return true
	}
	if e.without > 0 {
		e.without--
		return false
	}
	for until := time.Now().Add(looking); time.Now().Before(until); {
		if e.try(fd) {
			e.found()
			return true
		}
	}
	e.worth, e.without = 0, e.pause
	e.pause = min(2*e.pause, mostPause)
	return false
}

// found counts a look that was not in vain.
func (e *eager) found() {
	if e.worth++; e.worth == worth {
		e.pause = 1
	}
}

// try reads what has come, if something has.
func (e *eager) try(fd uintptr) bool {
	e.n, e.err = syscall.Read(int(fd), e.into)
	for e.err == syscall.EINTR {
		e.n, e.err = syscall.Read(int(fd), e.into)
	}
	return e.err != syscall.EAGAIN
}

// Read implements io.Reader.
func (e *eager) Read(b []byte) (int, error) {
	e.into = b
	if err := e.raw.Read(e.read); err != nil {
		return 0, err
	}
	switch {
	case e.err != nil:
		return 0, os.NewSyscallError("read", e.err)
	case e.n == 0 && len(b) > 0:
		return 0, io.EOF
	}
	return e.n, nil
}
