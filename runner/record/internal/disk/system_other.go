//go:build !(darwin || dragonfly || freebsd || linux || netbsd || openbsd || windows)

package disk

import (
	"errors"
	"os"
)

// Systems without flock: whoever makes the lock file holds the lock, and
// removes the file to give it up. A crash leaves the file: until somebody
// removes it by hand, the run counts as running.

const locksFollowRename = false

// lockFlags make the lock file, or fail where it exists.
const lockFlags = os.O_RDWR | os.O_CREATE | os.O_EXCL

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

// tryLock succeeds for the writer that made the file. For a reader that finds the file, the lock is
// held.
func tryLock(_ File, exclusive bool) error {
	if exclusive {
		return nil
	}
	return ErrHeld
}

func unlock(f File) error { return errors.Join(f.Close(), os.Remove(f.Name())) }

func diskFull(error) bool { return false }

func diskFails(error) bool { return false }

// noLocks, takeLease and heldLocally are for disks without locks, which this system does not
// report.
func noLocks(error) bool { return false }

func (f *Folder) takeLease(File, int) (*lease, error) { return nil, errors.ErrUnsupported }

func heldLocally(File) bool { return true }
