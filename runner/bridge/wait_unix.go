//go:build unix

package bridge

import (
	"io"
	"os"
	"syscall"
	"time"
)

const (
	looking   = 100 * time.Microsecond // how long a pipe is looked at before the reader sleeps
	worth     = 64                     // successful looks in a row that make the next pause short
	mostPause = 4096                   // most waits of a pause
)

// eager reads a pipe. A process that sleeps takes longer to wake than a short answer takes to come.
// So the reader looks at the pipe again and again for a moment. A look is in vain if the other side
// computes or others want this processor; then more and more waits go without a look.
type eager struct {
	raw     syscall.RawConn
	read    func(fd uintptr) (done bool)
	worth   int // successful looks in a row
	without int // number of further waits without a look
	pause   int // number of waits without a look after the next look in vain

	into []byte // buffer of the Read under way
	n    int
	err  error
}

// eagerReader wraps in into a reader that is quick to read an answer that comes soon.
func eagerReader(in io.Reader) io.Reader {
	f, ok := in.(*os.File)
	if !ok {
		return in
	}
	raw, err := f.SyscallConn()
	if err != nil {
		return in
	}
	e := &eager{raw: raw, pause: 1}
	e.read = e.look // only once, since it is allocated on the heap
	return e
}

// look reads what has come. It returns false if nothing has come and the reader is to sleep.
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

// found counts a successful look.
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
