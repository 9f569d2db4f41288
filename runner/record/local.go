//go:build darwin || dragonfly || freebsd || linux || netbsd || openbsd

package record

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"

	"golang.org/x/sys/unix"
)

// Some shared disks have no locks (NFS without its lock daemon, Lustre, some
// FUSE file systems). There a file in /tmp is locked in place of the lock file,
// which keeps this user's processes on this machine apart. For other machines
// the lock file says who holds it: they take it for held until its holder
// releases it, or somebody there takes it after a crash.

// noLocks tells whether err says that the file system has no locks.
func noLocks(err error) bool {
	return errors.Is(err, unix.ENOLCK) || errors.Is(err, unix.EOPNOTSUPP) || errors.Is(err, unix.ENOTSUP) ||
		errors.Is(err, unix.ENOSYS)
}

// lockLocally locks what stands for f, and writes this machine's name into f.
func lockLocally(f *os.File, tries int) (*os.File, error) {
	machine, err := os.Hostname()
	if err != nil {
		return nil, err
	}
	if there := heldOn(f, machine); there != "" {
		return nil, fmt.Errorf("the disk has no locks, and the file says that another machine holds it (%s): "+
			"if nothing runs there, empty it", there)
	}
	s, err := standIn(f, os.O_CREATE)
	if err != nil {
		return nil, err
	}
	if err = insist(tryLock, s, tries); err == nil {
		_, err = f.WriteAt([]byte(machine+"\n"), 0)
	}
	if err != nil {
		return nil, errors.Join(err, s.Close())
	}
	return s, nil
}

func heldLocally(f *os.File) bool {
	machine, err := os.Hostname()
	if err != nil || heldOn(f, machine) != "" {
		return true
	}
	s, err := standIn(f, 0)
	if err != nil {
		return !errors.Is(err, fs.ErrNotExist)
	}
	defer s.Close()
	return tryLock(s, false) != nil
}

// heldOn returns what f says of another machine that holds it: "" for nothing.
func heldOn(f *os.File, machine string) string {
	b := make([]byte, 1<<10)
	n, _ := f.ReadAt(b, 0) // io.EOF, and what cannot be read says nothing
	if bytes.Contains(b[:n], []byte(machine)) {
		return ""
	}
	return string(bytes.TrimSpace(b[:n]))
}

// standIn opens the file that is locked in place of f. It goes by f's device and
// number, which stay when the folder of f is renamed.
func standIn(f *os.File, flags int) (*os.File, error) {
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	id, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return nil, errors.New("the disk has no locks, and its files no numbers")
	}
	folder := fmt.Sprintf("/tmp/drolab-%d", os.Getuid())
	if flags&os.O_CREATE != 0 {
		if err := os.Mkdir(folder, 0o700); err != nil && !errors.Is(err, fs.ErrExist) {
			return nil, err
		}
		// Another user's folder with these permissions cannot be entered.
		if info, err := os.Lstat(folder); err != nil || !info.IsDir() || info.Mode().Perm()&0o077 != 0 {
			return nil, errors.Join(fmt.Errorf("%s: want a folder of yours that nobody else may enter (chmod 700)",
				folder), err)
		}
	}
	return os.OpenFile(filepath.Join(folder, fmt.Sprintf("lock-%d-%d", id.Dev, id.Ino)), os.O_RDWR|flags, 0o600)
}
