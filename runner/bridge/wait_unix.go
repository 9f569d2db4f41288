//go:build unix

package bridge

import (
	"io"
	"os"
	"syscall"
	"time"
)

const (
	// pollTime is how long a pipe is looked at before the reader sleeps.
	pollTime = 100 * time.Microsecond
	// hitsForShortPause is the number of successful looks in a row after which a pause is short.
	hitsForShortPause = 64
	mostPause         = 4096 // most waits of a pause
)

// pollingReader reads a pipe. A process that sleeps takes longer to wake than a short answer takes
// to come. So the reader looks at the pipe again and again for a moment. A look is in vain if the
// other side computes or others want this processor; then more and more waits go without a look.
type pollingReader struct {
	raw   syscall.RawConn
	read  func(fd uintptr) (done bool)
	hits  int // successful looks in a row
	skips int // number of further waits without a look
	pause int // number of waits without a look after the next look in vain

	into []byte // buffer of the Read under way
	n    int
	err  error
}

// newPollingReader wraps in into a reader that is quick to read an answer that comes soon.
func newPollingReader(in io.Reader) io.Reader {
	f, ok := in.(*os.File)
	if !ok {
		return in
	}
	raw, err := f.SyscallConn()
	if err != nil {
		return in
	}
	e := &pollingReader{raw: raw, pause: 1}
	e.read = e.poll // only once, since it is allocated on the heap
	return e
}

// poll reads what has come. It returns false if nothing has come and the reader is to sleep.
func (e *pollingReader) poll(fd uintptr) bool {
	if e.try(fd) {
		return true
	}
	if e.skips > 0 {
		e.skips--
		return false
	}
	for until := time.Now().Add(pollTime); time.Now().Before(until); {
		if e.try(fd) {
			e.countHit()
			return true
		}
	}
	e.hits, e.skips = 0, e.pause
	e.pause = min(2*e.pause, mostPause)
	return false
}

// countHit counts a successful look.
func (e *pollingReader) countHit() {
	if e.hits++; e.hits == hitsForShortPause {
		e.pause = 1
	}
}

// try reads what has come, if something has.
func (e *pollingReader) try(fd uintptr) bool {
	e.n, e.err = syscall.Read(int(fd), e.into)
	for e.err == syscall.EINTR {
		e.n, e.err = syscall.Read(int(fd), e.into)
	}
	return e.err != syscall.EAGAIN
}

// Read implements io.Reader.
func (e *pollingReader) Read(b []byte) (int, error) {
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
