//go:build darwin || freebsd || linux

package record

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// lockless is tryLock on a disk without locks.
func lockless(cause error) try { return func(file, bool) error { return cause } }

func TestDiskWithoutLocks(t *testing.T) {
	for _, cause := range []error{syscall.ENOLCK, syscall.EOPNOTSUPP, syscall.ENOSYS} {
		path := filepath.Join(t.TempDir(), "run", lockName)
		must(t, os.Mkdir(filepath.Dir(path), 0o755))
		l, err := acquire(lockless(cause), path, 2)
		must(t, err)
		t.Cleanup(func() { os.Remove(l.lease.local.Name()) })
		if !held(lockless(cause), path) || !l.Local() {
			t.Errorf("%v: a lock that is taken is not held, or is taken for everyone's", cause)
		}
		if _, err := acquire(lockless(cause), path, 2); !errors.Is(err, ErrHeld) {
			t.Errorf("%v: taken twice: %v", cause, err)
		}
		moved := filepath.Join(filepath.Dir(filepath.Dir(path)), "moved")
		must(t, os.Rename(filepath.Dir(path), moved))
		path = filepath.Join(moved, lockName)
		if !held(lockless(cause), path) || !l.InPlace(path) {
			t.Errorf("%v: the lock does not follow its folder", cause)
		}
		must(t, l.Release())
		if held(lockless(cause), path) || len(read(t, path)) != 0 {
			t.Errorf("%v: a lock that was released is held: %q", cause, read(t, path))
		}
	}
}

// TestDiskWithoutLocksElsewhere: what another machine holds is not taken, and
// what this one left after a crash is.
func TestDiskWithoutLocksElsewhere(t *testing.T) {
	none := lockless(syscall.ENOLCK)
	path := filepath.Join(t.TempDir(), lockName)
	write(t, []byte(`{"pid":5,"host":"elsewhere.example"}`), path)
	if !held(none, path) {
		t.Error("what another machine holds is not held")
	}
	if _, err := acquire(none, path, 2); err == nil || !strings.Contains(err.Error(), "elsewhere.example") ||
		!strings.Contains(err.Error(), path) {
		t.Errorf("took the lock of another machine: %v", err)
	}
	machine, err := os.Hostname()
	must(t, err)
	write(t, []byte(`{"pid":5,"host":"`+machine+`"}`), path)
	if held(none, path) {
		t.Error("what this machine left after a crash is held")
	}
	l, err := acquire(none, path, 2)
	must(t, err)
	must(t, l.Release())
	must(t, os.Remove(l.lease.local.Name()))
}

func TestLocksThatFail(t *testing.T) {
	path := filepath.Join(t.TempDir(), lockName)
	stale := lockless(syscall.ESTALE)
	if _, err := acquire(stale, path, 2); !errors.Is(err, syscall.ESTALE) ||
		!strings.Contains(err.Error(), path) || !strings.Contains(err.Error(), "--runs DIR") {
		t.Errorf("a server that is gone: %v", err)
	}
	if !held(stale, path) {
		t.Error("what cannot be found out is not held")
	}
}
