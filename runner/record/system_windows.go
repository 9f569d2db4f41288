package record

import (
	"errors"
	"os"

	"golang.org/x/sys/windows"
)

// locksFollowRename: Windows does not rename a folder with open files in it.
const locksFollowRename = false

// tryLock locks the first byte of f, which nobody reads, shared or exclusive,
// or returns ErrHeld at once.
func tryLock(f *os.File, exclusive bool) error {
	flags := uint32(windows.LOCKFILE_FAIL_IMMEDIATELY)
	if exclusive {
		flags |= windows.LOCKFILE_EXCLUSIVE_LOCK
	}
	err := windows.LockFileEx(windows.Handle(f.Fd()), flags, 0, 1, 0, &windows.Overlapped{})
	if errors.Is(err, windows.ERROR_LOCK_VIOLATION) {
		return ErrHeld
	}
	return err
}

func openLock(path string) (*os.File, error) {
	return os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o644)
}

// unlock gives up the lock of f, with its last handle.
func unlock(f *os.File) error { return f.Close() }

func diskFull(err error) bool {
	return errors.Is(err, windows.ERROR_DISK_FULL) || errors.Is(err, windows.ERROR_HANDLE_DISK_FULL)
}

func diskFails(error) bool { return false }

// noLocks, lockLocally and heldLocally are for disks without locks, which this
// system does not tell of.
func noLocks(error) bool { return false }

func lockLocally(*os.File, int) (*os.File, error) { return nil, errors.ErrUnsupported }

func heldLocally(*os.File) bool { return true }
