//go:build darwin || dragonfly || freebsd || linux || netbsd || openbsd

package disk

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"drolab/runner/internal/atomicfile"
)

// Some shared disks have no locks (NFS without its lock daemon, Lustre, some FUSE file systems).
// There, a file in /tmp is locked in place of the lock file, which separates this user's processes
// on this machine. For other machines the lock file says who holds it, and is rewritten at
// intervals: see lease.go.

// noLocks reports whether err says that the file system has no locks.
func noLocks(err error) bool {
	return errors.Is(err, unix.ENOLCK) || errors.Is(err, unix.EOPNOTSUPP) ||
		errors.Is(err, unix.ENOTSUP) || errors.Is(err, unix.ENOSYS)
}

// takeLease locks the file that stands in for o, and writes this machine's name into o.
func (f *Folder) takeLease(o atomicfile.File, tries int) (*lease, error) {
	machine, err := os.Hostname()
	if err != nil {
		return nil, err
	}
	if there, claimed := parseLease(lockText(o)); claimed && !there.isOf(machine) {
		if err := f.checkFree(o, there); err != nil {
			return nil, err
		}
	}
	words, err := json.Marshal(leaseText{machine, f.Who.Name})
	if err != nil {
		return nil, err
	}
	s, err := openStandIn(o, os.O_CREATE)
	if err != nil {
		return nil, err
	}
	l := &lease{file: o, local: s}
	if err = retry(tries, func() error { return tryLock(s, true) }); err == nil {
		_, err = l.write(append(words, '\n'))
	}
	if err != nil {
		return nil, errors.Join(err, s.Close())
	}
	go l.keep()
	return l, nil
}

// checkFree returns an error that says why another machine's lease cannot be taken over, or nil if
// it can.
func (f *Folder) checkFree(o atomicfile.File, there leaseText) error {
	if there.Holder != "" && f.Who.Alive != nil {
		alive, known := f.Who.Alive(there.Holder)
		switch {
		case alive && known: // perhaps it was last heard of before it was suspended
			return fmt.Errorf("%w (%s), which is still running", ErrLeased, there)
		case known:
			return nil
		}
	}
	age, err := f.age(o)
	if err == nil && age.Abs() >= leaseTime {
		return nil
	}
	return errors.Join(fmt.Errorf("%w (%s): it is free %v after that process was last heard of",
		ErrLeased, there, leaseTime), err)
}

// heldLocally reports whether a lease is held, for readers. A reader whose clock is wrong may get a
// wrong answer, but harms nobody: a writer asks the disk for its time.
func heldLocally(o atomicfile.File) bool {
	machine, err := os.Hostname()
	if err != nil {
		return true
	}
	if there, claimed := parseLease(lockText(o)); claimed && !there.isOf(machine) {
		info, err := o.Stat()
		return err != nil || time.Since(info.ModTime()) < leaseTime
	}
	s, err := openStandIn(o, 0)
	if err != nil {
		return !errors.Is(err, fs.ErrNotExist)
	}
	defer s.Close()
	return tryLock(s, false) != nil
}

// openStandIn opens the file that is locked in place of o. Its name consists of o's device and
// inode, which stay the same when the folder of o is renamed.
func openStandIn(o atomicfile.File, flags int) (atomicfile.File, error) {
	info, err := o.Stat()
	if err != nil {
		return nil, err
	}
	id, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return nil, errors.New("the disk has no locks, and its files no numbers")
	}
	path := fmt.Sprintf("/tmp/drolab-%d", os.Getuid())
	if flags&os.O_CREATE != 0 {
		if err := MakeOwnFolder(path); err != nil {
			return nil, err
		}
	}
	f, err := OpenFolder(nil, path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return f.Open(fmt.Sprintf("lock-%d-%d", id.Dev, id.Ino), os.O_RDWR|flags, lockMode)
}
