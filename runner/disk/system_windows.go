package disk

import (
	"errors"
	"os"

	"golang.org/x/sys/windows"

	"drolab/runner/internal/atomicfile"
)

// tryLock locks the first byte of f, which nobody reads, shared or exclusive,
// or returns ErrHeld at once.
func tryLock(f atomicfile.File, exclusive bool) error {
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

// lockFlags are the flags with which a lock file is opened.
const lockFlags = os.O_RDWR | os.O_CREATE

// unlock gives up the lock of f by closing the last handle of the file.
func unlock(f atomicfile.File) error { return f.Close() }

func diskFull(err error) bool {
	return errors.Is(err, windows.ERROR_DISK_FULL) || errors.Is(err, windows.ERROR_HANDLE_DISK_FULL)
}
