//go:build !(darwin || dragonfly || freebsd || linux || netbsd || openbsd || windows)

package disk

import (
	"errors"
	"os"

	"drolab/runner/internal/atomicfile"
)

// Systems without flock: whoever makes the lock file holds the lock, and
// removes the file to give it up. A crash leaves the file: until somebody
// removes it by hand, the run counts as running.

// lockFlags make the lock file, or fail where it exists.
const lockFlags = os.O_RDWR | os.O_CREATE | os.O_EXCL

// tryLock succeeds for the writer that made the file. For a reader that finds the file, the lock is
// held.
func tryLock(_ atomicfile.File, exclusive bool) error {
	if exclusive {
		return nil
	}
	return ErrHeld
}

func unlock(f atomicfile.File) error { return errors.Join(f.Close(), os.Remove(f.Name())) }

func diskFull(error) bool { return false }
