//go:build darwin || dragonfly || freebsd || linux || netbsd || openbsd

package disk

import (
	"errors"
	"os"
	"syscall"

	"golang.org/x/sys/unix"

	"drolab/runner/internal/atomicfile"
)

// locksFollowRename is true: a lock belongs to the open file, whatever its path.
const locksFollowRename = true

// tryLock locks f against every other open file of the same name, shared or
// exclusive, or returns ErrHeld at once.
func tryLock(f atomicfile.File, exclusive bool) error {
	how := unix.LOCK_SH
	if exclusive {
		how = unix.LOCK_EX
	}
	for {
		err := unix.Flock(int(f.Fd()), how|unix.LOCK_NB)
		switch {
		case errors.Is(err, unix.EINTR):
		case errors.Is(err, unix.EWOULDBLOCK):
			return ErrHeld
		default:
			return err
		}
	}
}

// lockFlags are the flags with which a lock file is opened.
const lockFlags = os.O_RDWR | os.O_CREATE

// regularFlags holds the flags for opening a file that was regular a moment ago. They keep the
// opening from waiting for the other end of a pipe, and from following a link.
const regularFlags = unix.O_NONBLOCK | unix.O_NOFOLLOW

// StampOf returns the stamp of the file at path. It does not follow a link.
func StampOf(path string) (s Stamp) {
	var st unix.Stat_t
	for {
		switch err := unix.Lstat(path, &st); err {
		case unix.EINTR:
		case nil:
			return Stamp{st.Size, uint64(st.Ino), st.Mtim.Nano(), st.Ctim.Nano()}
		default:
			return Stamp{}
		}
	}
}

// Identity returns the numbers that tell a folder from all others of this machine: that of its
// disk, and its own on that disk. They are 0 where it is missing.
func Identity(path string) (device, inode uint64) {
	var st unix.Stat_t
	if unix.Stat(path, &st) != nil {
		return 0, 0
	}
	return uint64(st.Dev), uint64(st.Ino)
}

// Linked reports whether a file has more than one name.
func Linked(info os.FileInfo) bool {
	id, ok := info.Sys().(*syscall.Stat_t)
	return ok && id.Nlink > 1
}

// Nameless reports whether an open file has no name left.
func Nameless(info os.FileInfo) bool {
	id, ok := info.Sys().(*syscall.Stat_t)
	return ok && id.Nlink == 0
}

// Foreign reports whether a file belongs to another user.
func Foreign(info os.FileInfo) bool {
	id, ok := info.Sys().(*syscall.Stat_t)
	return ok && int(id.Uid) != os.Getuid()
}

// unlock gives up the lock of f: the lock ends with its last open file.
func unlock(f atomicfile.File) error { return f.Close() }

func diskFull(err error) bool { return errors.Is(err, unix.ENOSPC) }

func overQuota(err error) bool { return errors.Is(err, unix.EDQUOT) }

// diskFails reports whether the error says that a disk, or the network to it, fails.
func diskFails(err error) bool {
	return errors.Is(err, unix.EIO) || errors.Is(err, unix.ESTALE)
}
