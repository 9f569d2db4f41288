package disk

import (
	"errors"
	"os"

	"golang.org/x/sys/windows"
)

// locksFollowRename is false: Windows does not rename a folder with open files in it.
const locksFollowRename = false

// tryLock locks the first byte of f, which nobody reads, shared or exclusive,
// or returns ErrHeld at once.
func tryLock(f File, exclusive bool) error {
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

// openPlain, Linked, Nameless and Foreign are for links and owners as Unix has them.
const openPlain = 0

// StampOf returns the stamp of the file at path. It does not follow a link.
func StampOf(path string) Stamp {
	info, err := os.Lstat(path)
	if err != nil {
		return Stamp{}
	}
	return Stamp{Size: info.Size(), Written: info.ModTime().UnixNano()}
}

// Device tells one disk from another on systems that number their disks; here it is 0.
func Device(string) uint64 { return 0 }

func Linked(os.FileInfo) bool { return false }

func Nameless(os.FileInfo) bool { return false }

func Foreign(os.FileInfo) bool { return false }

// unlock gives up the lock of f by closing the last handle of the file.
func unlock(f File) error { return f.Close() }

func diskFull(err error) bool {
	return errors.Is(err, windows.ERROR_DISK_FULL) || errors.Is(err, windows.ERROR_HANDLE_DISK_FULL)
}

func diskFails(error) bool { return false }

// noLocks, takeLease and heldLocally are for disks without locks, which this system does not
// report.
func noLocks(error) bool { return false }

func (f *Folder) takeLease(File, int) (*lease, error) { return nil, errors.ErrUnsupported }

func heldLocally(File) bool { return true }
