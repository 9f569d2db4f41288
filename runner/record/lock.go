package record

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"time"
)

// ErrHeld says that another process, or another part of this one, holds a lock.
var ErrHeld = errors.New("lock is held")

// A Lock is held from Acquire to Release, or to the end of the process.
type Lock struct{ file *os.File }

// Acquire takes the lock file for a writer, made if missing. The error is
// ErrHeld where somebody else has it.
func Acquire(path string) (*Lock, error) {
	// A reader that looks whether the lock is held takes it for a moment:
	// that must not turn a writer away.
	const tries = 20
	return acquire(path, tries)
}

func acquire(path string, tries int) (*Lock, error) {
	f, err := openLock(path)
	if err != nil {
		return nil, err
	}
	const pause = 5 * time.Millisecond
	for try := range tries {
		if try > 0 {
			time.Sleep(pause)
		}
		if err = tryLock(f, true); !errors.Is(err, ErrHeld) {
			break
		}
	}
	if err != nil {
		f.Close()
		return nil, lockError(path, err)
	}
	return &Lock{f}, nil
}

func lockError(path string, err error) error {
	if errors.Is(err, ErrHeld) {
		return err
	}
	return fmt.Errorf("locking %s: %w (keep the runs on a file system with locks: --runs DIR)", path, err)
}

// Release gives up the lock.
func (l *Lock) Release() error { return unlock(l.file) }

// Write replaces what the lock file says, for people and processes that find
// it held.
func (l *Lock) Write(b []byte) (int, error) {
	if err := l.file.Truncate(0); err != nil {
		return 0, err
	}
	return l.file.WriteAt(b, 0)
}

// Held tells whether somebody holds the lock, without disturbing him. Where it
// cannot be found out, the answer is yes: no run is taken for dead by mistake.
func Held(path string) bool {
	f, _, err := openRegular(path)
	if err != nil {
		return !errors.Is(err, fs.ErrNotExist)
	}
	defer f.Close()
	return tryLock(f, false) != nil
}

// InPlace tells whether the file at path is the lock's still: it may have been
// removed, with the folder it was in.
func (l *Lock) InPlace(path string) bool {
	mine, err := l.file.Stat()
	if err != nil {
		return false
	}
	there, err := os.Stat(path)
	return err == nil && os.SameFile(mine, there)
}
