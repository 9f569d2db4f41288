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
type Lock struct {
	file  *os.File
	local *os.File // what is locked in its place where its file system has no locks
}

// try locks a file, shared or exclusive, or returns ErrHeld at once.
type try func(f *os.File, exclusive bool) error

// Acquire takes the lock file for a writer, made if missing. The error is
// ErrHeld where somebody else has it. See local.go for file systems without
// locks.
func Acquire(path string) (*Lock, error) {
	// A reader that looks whether the lock is held takes it for a moment:
	// that must not turn a writer away.
	const tries = 20
	return acquire(tryLock, path, tries)
}

func acquire(lock try, path string, tries int) (*Lock, error) {
	f, err := openLock(path)
	if err != nil {
		return nil, err
	}
	l := &Lock{file: f}
	err = insist(lock, f, tries)
	if noLocks(err) {
		l.local, err = lockLocally(f, tries)
	}
	if err != nil {
		f.Close()
		if !errors.Is(err, ErrHeld) {
			err = fmt.Errorf("locking %s: %w (keep the runs on a disk of this machine: --runs DIR)", path, err)
		}
		return nil, err
	}
	return l, nil
}

func insist(lock try, f *os.File, tries int) (err error) {
	const pause = 5 * time.Millisecond
	for n := range tries {
		if n > 0 {
			time.Sleep(pause)
		}
		if err = lock(f, true); !errors.Is(err, ErrHeld) {
			break
		}
	}
	return err
}

// Local tells whether the lock keeps only this machine's processes out, because
// its file system has no locks.
func (l *Lock) Local() bool { return l.local != nil }

// Release gives up the lock.
func (l *Lock) Release() error {
	if l.local == nil {
		return unlock(l.file)
	}
	return errors.Join(l.file.Truncate(0), unlock(l.file), l.local.Close())
}

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
func Held(path string) bool { return held(tryLock, path) }

func held(lock try, path string) bool {
	f, _, err := openRegular(path)
	if err != nil {
		return !errors.Is(err, fs.ErrNotExist)
	}
	defer f.Close()
	err = lock(f, false)
	if noLocks(err) {
		return heldLocally(f)
	}
	return err != nil
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
