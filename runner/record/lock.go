package record

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"time"
)

// errHeld says that another process, or another part of this one, holds a lock.
var errHeld = errors.New("lock is held")

// A lock is held from acquire to release, or to the end of the process.
type lock struct{ file *os.File }

// acquire takes the lock file for a writer, made if missing. The error is
// errHeld where somebody else has it.
func acquire(path string) (*lock, error) {
	f, err := openLock(path)
	if err != nil {
		return nil, err
	}
	// A reader that looks whether the lock is held takes it for a moment:
	// that must not turn a writer away.
	const tries, pause = 20, 5 * time.Millisecond
	for range tries {
		if err = tryLock(f, true); !errors.Is(err, errHeld) {
			break
		}
		time.Sleep(pause)
	}
	if err != nil {
		f.Close()
		return nil, lockError(path, err)
	}
	return &lock{f}, nil
}

func lockError(path string, err error) error {
	if errors.Is(err, errHeld) {
		return err
	}
	return fmt.Errorf("locking %s: %w (keep the runs on a file system with locks: --runs DIR)", path, err)
}

func (l *lock) release() error { return unlock(l.file) }

// held tells whether somebody holds the lock, without disturbing him. Where it
// cannot be found out, the answer is yes: no run is taken for dead by mistake.
func held(path string) bool {
	f, _, err := openRegular(path)
	if err != nil {
		return !errors.Is(err, fs.ErrNotExist)
	}
	defer f.Close()
	return tryLock(f, false) != nil
}
