//go:build darwin || dragonfly || freebsd || linux || netbsd || openbsd

package record

import (
	"errors"
	"os"

	"golang.org/x/sys/unix"
)

// locksFollowRename: a lock belongs to the open file, whatever its path.
const locksFollowRename = true

// tryLock locks f against every other open file of the same name, shared or
// exclusive, or returns ErrHeld at once.
func tryLock(f *os.File, exclusive bool) error {
	how := unix.LOCK_SH
	if exclusive {
		how = unix.LOCK_EX
	}
	for {
		switch err := unix.Flock(int(f.Fd()), how|unix.LOCK_NB); {
		case errors.Is(err, unix.EINTR):
		case errors.Is(err, unix.EWOULDBLOCK):
			return ErrHeld
		default:
			return err
		}
	}
}

func openLock(path string) (*os.File, error) {
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600)
	if err == nil {
		f.Chmod(0o600) // who may read a lock can hold it; where this fails, it is another user's
	}
	return f, err
}

// unlock gives up the lock of f, with its last open file.
func unlock(f *os.File) error { return f.Close() }

func diskFull(err error) bool {
	return errors.Is(err, unix.ENOSPC) || errors.Is(err, unix.EDQUOT)
}

// diskFails tells whether a disk or the network to it fails.
func diskFails(err error) bool {
	return errors.Is(err, unix.EIO) || errors.Is(err, unix.ESTALE)
}
