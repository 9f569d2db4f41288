package disk

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"
)

// ErrHeld says that another process, or another part of this one, holds a lock.
var ErrHeld = errors.New("lock is held")

// A Lock is held from Acquire to Release, or to the end of the process.
type Lock struct {
	file  File
	lease *lease // what is locked in its place where its file system has no locks
}

// try locks a file, shared or exclusive, or returns ErrHeld at once.
type try func(f File, exclusive bool) error

// Acquire takes the lock file for a writer, made if missing. The error is
// ErrHeld where somebody else has it. See local.go for file systems without
// locks.
func Acquire(path string) (*Lock, error) { return AcquireBy(tryLock, path, writerTries) }

// writerTries: a reader that looks whether a lock is held takes it for a moment,
// and that must not turn a writer away.
const writerTries = 20

// AcquireBy is Acquire in another way than the system's: a test's, say.
func AcquireBy(lock try, path string, tries int) (*Lock, error) {
	f, err := OpenFolder(nil, filepath.Dir(path))
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return f.acquire(lock, filepath.Base(path), tries)
}

// Acquire is Acquire of a file in f.
func (f *Folder) Acquire(name string) (*Lock, error) {
	return f.acquire(tryLock, name, writerTries)
}

// TryAcquire is Acquire without a second look.
func (f *Folder) TryAcquire(name string) (*Lock, error) { return f.acquire(tryLock, name, 1) }

// Await is Acquire that waits for a holder who has large files to remove, shared with
// others or not.
func (f *Folder) Await(name string, shared bool) (l *Lock, err error) {
	lock := tryLock
	if shared {
		lock = tryShared
	}
	err = patiently(func() error {
		l, err = f.acquire(lock, name, writerTries)
		return err
	})
	if errors.Is(err, ErrHeld) {
		return nil, fmt.Errorf("%s: %w for long by another process: try again", f.Join(name), err)
	}
	return l, Explain(err)
}

// Share locks for one who reads what nobody else may change meanwhile, and makes the file
// if he may. It is nil where that cannot be.
func (f *Folder) Share(name string, may bool) *Lock {
	if lockFlags&os.O_EXCL != 0 { // there is no sharing
		return nil
	}
	o, _, err := f.Read(name)
	if errors.Is(err, fs.ErrNotExist) && may { // nothing was ever removed
		o, err = f.openLock(name)
	}
	if err != nil {
		return nil
	}
	if patiently(func() error { return insist(tryShared, o, writerTries) }) != nil {
		o.Close()
		return nil
	}
	return &Lock{file: o}
}

// tryShared is tryLock for one of several.
func tryShared(f File, _ bool) error { return tryLock(f, lockFlags&os.O_EXCL != 0) }

// patiently takes a lock from a holder who gives it up soon.
func patiently(lock func() error) (err error) {
	const patience = 10 * time.Second
	for begin := time.Now(); time.Since(begin) < patience; {
		if err = lock(); !errors.Is(err, ErrHeld) {
			break
		}
	}
	return err
}

// RenameLocked renames a directory of f that holds a lock file, whose lock l is. It returns
// the lock that it has then; on an error l as it was, unless it is lost.
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

func (f *Folder) acquire(lock try, name string, tries int) (*Lock, error) {
	o, err := f.openLock(name)
	if err != nil {
		return nil, err
	}
	l := &Lock{file: o}
	err = insist(lock, o, tries)
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

func (f *Folder) openLock(name string) (File, error) {
	if lockFlags&os.O_EXCL == 0 {
		o, err := f.Open(name, lockFlags, lockMode)
		if err == nil {
			// A lock file of an older program has another mode. Where the change is refused, the
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

func insist(lock try, f File, tries int) (err error) {
	const pause = 5 * time.Millisecond
	for n := range tries {
		if n > 0 {
			time.Sleep(pause)
		}
		if err = lock(f, true); !errors.Is(err, ErrHeld) {
			break
		}
	}
	return err
}

// Local tells whether the lock keeps only this machine's processes out for good,
// because its file system has no locks.
func (l *Lock) Local() bool { return l.lease != nil }

// Release gives up the lock; a nil one was never taken.
func (l *Lock) Release() error {
	switch {
	case l == nil:
		return nil
	case l.lease == nil:
		return unlock(l.file)
	}
	return errors.Join(l.lease.end(), unlock(l.file), l.lease.local.Close())
}

// Write replaces what the lock file says, for people and processes that find
// it held.
func (l *Lock) Write(b []byte) (int, error) {
	if l.lease != nil {
		return l.lease.say(b)
	}
	return rewrite(l.file, b)
}

func rewrite(f File, b []byte) (int, error) {
	if err := f.Truncate(0); err != nil {
		return 0, err
	}
	return f.WriteAt(b, 0)
}

// Held tells whether somebody holds the lock, without disturbing him. Where it
// cannot be found out, the answer is yes: no run is taken for dead by mistake.
func Held(path string) bool { return held(tryLock, path) }

func held(lock try, path string) bool {
	f, err := OpenFolder(nil, filepath.Dir(path))
	if err != nil {
		return !errors.Is(err, fs.ErrNotExist)
	}
	defer f.Close()
	return f.held(lock, filepath.Base(path))
}

// Held is Held of a file in f.
func (f *Folder) Held(name string) bool { return f.held(tryLock, name) }

func (f *Folder) held(lock try, name string) bool {
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

// InPlace tells whether the file at path is the lock's still: it may have been
// removed, with the folder it was in, or taken over by another machine that
// heard nothing of this one for long.
func (l *Lock) InPlace(path string) bool {
	there, err := os.Lstat(path)
	return err == nil && l.Is(there)
}

// Is tells whether a file is the lock's, and the lock held.
func (l *Lock) Is(there fs.FileInfo) bool {
	mine, err := l.file.Stat()
	return err == nil && os.SameFile(mine, there) && (l.lease == nil || l.lease.stands())
}
