//go:build !(darwin || dragonfly || freebsd || linux || netbsd || openbsd)

package disk

import (
	"errors"
	"os"

	"drolab/runner/internal/atomicfile"
)

// locksFollowRename is false: Windows does not rename a folder with open files in it.
const locksFollowRename = false

// regularFlags holds no flags: they are for the links and pipes of Unix.
const regularFlags = 0

// StampOf returns the stamp of the file at path. It does not follow a link.
func StampOf(path string) Stamp {
	info, err := os.Lstat(path)
	if err != nil {
		return Stamp{}
	}
	return Stamp{Size: info.Size(), Written: info.ModTime().UnixNano()}
}

// Identity returns numbers on systems that number their folders; here they are 0.
func Identity(string) (device, inode uint64) { return 0, 0 }

// Linked, Nameless and Foreign look at links and owners as Unix has them, and report false here.
func Linked(os.FileInfo) bool { return false }

func Nameless(os.FileInfo) bool { return false }

func Foreign(os.FileInfo) bool { return false }

func diskFails(error) bool { return false }

func overQuota(error) bool { return false }

// noLocks, takeLease and heldLocally are for disks without locks, which these systems do not
// report.
func noLocks(error) bool { return false }

func (f *Folder) takeLease(atomicfile.File, int) (*lease, error) {
	return nil, errors.ErrUnsupported
}

func heldLocally(atomicfile.File) bool { return true }
