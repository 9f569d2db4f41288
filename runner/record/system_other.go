//go:build !(darwin || dragonfly || freebsd || linux || netbsd || openbsd || windows)

package record

import (
	"errors"
	"io/fs"
	"os"
)

// Systems without flock: whoever makes the lock file holds the lock, and
// removes the file to give it up. A crash leaves the file: until somebody
// removes it by hand, the run counts as running.

const locksFollowRename = false

func openLock(path string) (*os.File, error) {
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o644)
	if errors.Is(err, fs.ErrExist) {
		return nil, ErrHeld
	}
	return f, err
}

// tryLock succeeds for the writer that made the file; a reader that finds the
// file finds the lock held.
func tryLock(_ *os.File, exclusive bool) error {
	if exclusive {
		return nil
	}
	return ErrHeld
}

func unlock(f *os.File) error { return errors.Join(f.Close(), os.Remove(f.Name())) }

func diskFull(error) bool { return false }

func diskFails(error) bool { return false }

// noLocks, lockLocally and heldLocally are for disks without locks, which this
// system does not tell of.
func noLocks(error) bool { return false }

func lockLocally(*os.File, int) (*os.File, error) { return nil, errors.ErrUnsupported }

func heldLocally(*os.File) bool { return true }
