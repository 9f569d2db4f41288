package disk

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"drolab/runner/internal/atomicfile"
)

// ErrHeld says that another process, or another part of this one, holds a lock.
var ErrHeld = errors.New("lock is held")

// A Lock is held from Acquire until Release, or until the process ends.
type Lock struct {
	file  atomicfile.File
	lease *lease // lock in its place on file systems without locks; nil elsewhere
}

// A lockFunc locks a file, shared or exclusive, or returns ErrHeld at once.
type lockFunc func(f atomicfile.File, exclusive bool) error

// Acquire takes the lock on the file for a writer. It makes a missing file. The error is ErrHeld
// where somebody else holds the lock. See lease.go for file systems without locks.
func Acquire(path string) (*Lock, error) { return AcquireBy(tryLock, path, writerTries) }

const (
	// writerTries is the number of times that a writer tries to lock. A reader that tests a lock
	// holds it for a moment, which must not turn a writer away.
	writerTries = 20
	// longTries take some ten seconds, for a holder who gives the lock up soon.
	longTries = 2000
)

// AcquireBy is Acquire with another lock function than the system's, as for a test.
func AcquireBy(lock lockFunc, path string, tries int) (l *Lock, err error) {
	err = InFolderOf(nil, path, func(in *Folder, name string) error {
		l, err = in.acquire(lock, name, tries)
		return err
	})
	return l, err
}

// Acquire takes the lock on a file in f: see the function Acquire.
func (f *Folder) Acquire(name string) (*Lock, error) {
	return f.acquire(tryLock, name, writerTries)
}

// TryAcquire is Acquire with one try.
func (f *Folder) TryAcquire(name string) (*Lock, error) { return f.acquire(tryLock, name, 1) }

// Await is Acquire that waits for a holder, who may have large files to remove. With shared, others
// may hold the lock, too.
func (f *Folder) Await(name string, shared bool) (l *Lock, err error) {
	lock := tryLock
	if shared {
		lock = tryShared
	}
	err = retry(longTries, func() error {
		l, err = f.acquire(lock, name, 1)
		return err
	})
	if errors.Is(err, ErrHeld) {
		return nil, fmt.Errorf("%s: %w for long by another process: try again", f.Join(name), err)
	}
	return l, Explain(err, f.Path)
}

// Share takes a shared lock for a reader of files that nobody else may change meanwhile. With may,
// it makes a missing lock file. It returns nil where the lock cannot be had.
func (f *Folder) Share(name string, may bool) *Lock {
	if lockFlags&os.O_EXCL != 0 { // such a system has no shared locks
		return nil
	}
	o, _, err := f.Read(name)
	if errors.Is(err, fs.ErrNotExist) && may { // no lock file: nothing was ever removed
		o, err = f.openLock(name)
	}
	if err != nil {
		return nil
	}
	if retry(longTries, func() error { return tryShared(o, true) }) != nil {
		o.Close()
		return nil
	}
	return &Lock{file: o}
}

// tryShared is tryLock for one of several holders.
func tryShared(f atomicfile.File, _ bool) error { return tryLock(f, lockFlags&os.O_EXCL != 0) }

// retry calls lock until nobody else holds the lock, so many times at most.
func retry(tries int, lock func() error) (err error) {
	const pause = 5 * time.Millisecond
	for n := range tries {
		if n > 0 {
			time.Sleep(pause)
		}
		if err = lock(); !errors.Is(err, ErrHeld) {
			break
		}
	}
	return err
}

// RenameLocked renames a directory of f that holds the lock file name, whose lock is l. It returns
// the lock that it holds afterwards. On an error it returns l, which may be lost.
func (f *Folder) RenameLocked(l *Lock, name, from, to string) (*Lock, error) {
	if locksFollowRename {
		return l, f.Rename(from, to)
	}
	if err := l.Release(); err != nil {
		return l, err
	}
	if err := f.Rename(from, to); err != nil {
		return l, err
	}
	moved, err := f.Within(to)
	if err != nil {
		return l, err
	}
	defer moved.Close()
	again, err := moved.Acquire(name)
	if err != nil {
		return l, err
	}
	return again, nil
}

func (f *Folder) acquire(lock lockFunc, name string, tries int) (*Lock, error) {
	o, err := f.openLock(name)
	if err != nil {
		return nil, err
	}
	l := &Lock{file: o}
	err = retry(tries, func() error { return lock(o, true) })
	if noLocks(err) {
		l.lease, err = f.takeLease(o, tries)
	}
	if err != nil {
		o.Close()
		if !errors.Is(err, ErrHeld) {
			err = fmt.Errorf("locking %s: %w (keep the runs on a disk of this machine: --runs DIR)",
				f.Join(name), err)
		}
		return nil, err
	}
	return l, nil
}

func (f *Folder) openLock(name string) (atomicfile.File, error) {
	if lockFlags&os.O_EXCL == 0 {
		o, err := f.Open(name, lockFlags, lockMode)
		if err == nil {
			// A lock file that was copied may have another mode. Where the change is refused, the
			// lock is as good as it was.
			o.Chmod(lockMode)
		}
		return o, err
	}
	o, err := f.OpenFile(name, lockFlags, lockMode)
	if errors.Is(err, fs.ErrExist) {
		return nil, ErrHeld
	}
	return o, err
}

// Local reports whether the lock, in the long run, keeps out only processes of this machine,
// because its file system has no locks.
func (l *Lock) Local() bool { return l.lease != nil }

// Release gives up the lock. It does nothing for a nil Lock.
func (l *Lock) Release() error {
	switch {
	case l == nil:
		return nil
	case l.lease == nil:
		return unlock(l.file)
	}
	return errors.Join(l.lease.end(), unlock(l.file), l.lease.local.Close())
}

// Write replaces the text of the lock file, which people and processes read when they find the lock
// held.
func (l *Lock) Write(b []byte) (int, error) {
	if l.lease != nil {
		return l.lease.write(b)
	}
	return rewrite(l.file, b)
}

func rewrite(f atomicfile.File, b []byte) (int, error) {
	if err := f.Truncate(0); err != nil {
		return 0, err
	}
	return f.WriteAt(b, 0)
}

// Held reports whether somebody holds the lock, without disturbing the holder. Where that cannot be
// found out, the answer is yes, so that no live run is taken for dead.
func Held(path string) bool { return held(tryLock, path) }

func held(lock lockFunc, path string) bool {
	f, err := OpenFolder(nil, filepath.Dir(path))
	if err != nil {
		return !errors.Is(err, fs.ErrNotExist)
	}
	defer f.Close()
	return f.held(lock, filepath.Base(path))
}

// Held reports whether somebody holds the lock on a file in f: see the function Held.
func (f *Folder) Held(name string) bool { return f.held(tryLock, name) }

func (f *Folder) held(lock lockFunc, name string) bool {
	o, _, err := f.Read(name)
	if err != nil {
		return !errors.Is(err, fs.ErrNotExist)
	}
	defer o.Close()
	err = lock(o, false)
	if noLocks(err) {
		return heldLocally(o)
	}
	return err != nil
}

// InPlace reports whether path still leads to the lock's file. The file may have been removed
// together with its folder, or taken over by another machine that had not heard of this one for
// long.
func (l *Lock) InPlace(path string) bool {
	there, err := os.Lstat(path)
	return err == nil && l.Is(there)
}

// Is reports whether there describes the lock's file, and the lock is still held.
func (l *Lock) Is(there fs.FileInfo) bool {
	mine, err := l.file.Stat()
	return err == nil && os.SameFile(mine, there) && (l.lease == nil || l.lease.isHeld())
}
