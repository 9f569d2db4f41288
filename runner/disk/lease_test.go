//go:build darwin || freebsd || linux

package disk

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"drolab/runner/internal/atomicfile"
)

// lockless returns the tryLock of a disk without locks, which fails with cause.
func lockless(cause error) lockFunc { return func(atomicfile.File, bool) error { return cause } }

func TestDiskWithoutLocks(t *testing.T) {
	for _, cause := range []error{syscall.ENOLCK, syscall.EOPNOTSUPP, syscall.ENOSYS} {
		path := filepath.Join(t.TempDir(), "run", lockName)
		must(t, os.Mkdir(filepath.Dir(path), 0o755))
		l, err := AcquireBy(lockless(cause), path, 2)
		must(t, err)
		t.Cleanup(func() { os.Remove(l.lease.local.Name()) })
		if !held(lockless(cause), path) {
			t.Errorf("%v: a lock that is taken is not held", cause)
		}
		if !l.Local() {
			t.Errorf("%v: a lock of this machine counts as one of all machines", cause)
		}
		if _, err := AcquireBy(lockless(cause), path, 2); !errors.Is(err, ErrHeld) {
			t.Errorf("%v: taken twice: %v", cause, err)
		}
		moved := filepath.Join(filepath.Dir(filepath.Dir(path)), "moved")
		must(t, os.Rename(filepath.Dir(path), moved))
		path = filepath.Join(moved, lockName)
		if !held(lockless(cause), path) {
			t.Errorf("%v: the lock is not held where its folder has gone", cause)
		}
		if !l.InPlace(path) {
			t.Errorf("%v: the lock is not in place where its folder has gone", cause)
		}
		must(t, l.Release())
		if held(lockless(cause), path) {
			t.Errorf("%v: a lock that was released is held", cause)
		}
		if got := read(t, path); len(got) != 0 {
			t.Errorf("%v: a lock that was released has the text %q, want none", cause, got)
		}
	}
}

// TestDiskWithoutLocksElsewhere checks that a lock that another machine holds is not taken, and
// that a lock that this machine left after a crash is.
func TestDiskWithoutLocksElsewhere(t *testing.T) {
	none := lockless(syscall.ENOLCK)
	path := filepath.Join(t.TempDir(), lockName)
	write(t, []byte(`{"pid":5,"host":"elsewhere.example"}`), path)
	if !held(none, path) {
		t.Error("what another machine holds is not held")
	}
	if _, err := AcquireBy(none, path, 2); err == nil {
		t.Error("took the lock of another machine")
	} else {
		for _, want := range []string{"elsewhere.example", path} {
			if !strings.Contains(err.Error(), want) {
				t.Errorf("the lock of another machine is refused by %v, want %q in it", err, want)
			}
		}
	}
	machine, err := os.Hostname()
	must(t, err)
	write(t, []byte(`{"pid":5,"host":"`+machine+`"}`), path)
	if held(none, path) {
		t.Error("what this machine left after a crash is held")
	}
	l, err := AcquireBy(none, path, 2)
	must(t, err)
	must(t, l.Release())
	must(t, os.Remove(l.lease.local.Name()))
}

// TestLeaseOfACrashedMachine checks that the lease of another machine is free some time after the
// last sign of that machine, whatever the clocks say. A machine that was only asleep sees that it
// has lost its lease.
func TestLeaseOfACrashedMachine(t *testing.T) {
	none := lockless(syscall.ENOLCK)
	path := filepath.Join(t.TempDir(), lockName)
	// a server's clock may be set back
	for _, heard := range []time.Duration{-2 * leaseTime, 2 * leaseTime} {
		write(t, []byte("elsewhere.example\n"), path)
		at := time.Now().Add(heard)
		if err := os.Chtimes(path, at, at); err != nil {
			t.Fatal(err)
		}
		l, err := AcquireBy(none, path, 2)
		must(t, err)
		t.Cleanup(func() { os.Remove(l.lease.local.Name()) })
		if !l.InPlace(path) {
			t.Error("a lease that was taken over is not in place")
		}
		if !l.lease.renew() {
			t.Error("a lease that was taken over cannot be renewed")
		}
		write(t, []byte("third.example\n"), path)
		if l.InPlace(path) {
			t.Error("a lease that another machine took is in place")
		}
		if l.lease.renew() {
			t.Error("a lease that another machine took can be renewed")
		}
		must(t, l.Release())
		if got := string(read(t, path)); got != "third.example\n" {
			t.Errorf("the file says %q: what is another's was taken", got)
		}
	}
	entries, err := os.ReadDir(filepath.Dir(path))
	must(t, err)
	if len(entries) != 1 {
		t.Errorf("left: %v", entries)
	}
}

// TestLeaseIsRenewed checks that the holder renews its lease on the disk.
func TestLeaseIsRenewed(t *testing.T) {
	path := filepath.Join(t.TempDir(), lockName)
	l, err := AcquireBy(lockless(syscall.ENOLCK), path, 2)
	must(t, err)
	t.Cleanup(func() { os.Remove(l.lease.local.Name()) })
	_, err = l.Write([]byte(`{"host":"here"}`))
	must(t, err)
	long := time.Now().Add(-time.Hour)
	must(t, os.Chtimes(path, long, long))
	if !l.lease.renew() {
		t.Fatal("it is over")
	}
	info, err := os.Stat(path)
	must(t, err)
	if age := time.Since(info.ModTime()); age > leaseTime {
		t.Errorf("renewed, the lease is %v old, want at most %v", age, leaseTime)
	}
	if got, want := string(read(t, path)), `{"host":"here"}`; got != want {
		t.Errorf("renewed, the lease has the text %q, want %q", got, want)
	}
	must(t, l.Release())
	if l.lease.renew() {
		t.Error("renewed after its end")
	}
}

func TestLocksThatFail(t *testing.T) {
	path := filepath.Join(t.TempDir(), lockName)
	stale := lockless(syscall.ESTALE)
	_, err := AcquireBy(stale, path, 2)
	if !errors.Is(err, syscall.ESTALE) {
		t.Fatalf("a server that is gone: error %v, want %v", err, syscall.ESTALE)
	}
	for _, want := range []string{path, "--runs DIR"} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("a server that is gone: error %v, want %q in it", err, want)
		}
	}
	if !held(stale, path) {
		t.Error("what cannot be found out is not held")
	}
}

// TestLeaseOfAHolderThatCanBeAskedFor checks that a holder that is known to be gone loses its lease
// at once, and that one that is known to be there keeps it, however long it was silent.
func TestLeaseOfAHolderThatCanBeAskedFor(t *testing.T) {
	none := lockless(syscall.ENOLCK)
	dir := t.TempDir()
	path := filepath.Join(dir, lockName)
	take := func(alive, known bool) (*Lock, error) {
		f, err := OpenFolder(nil, dir)
		must(t, err)
		defer f.Close()
		f.Who = Holder{Name: "me", Alive: func(name string) (bool, bool) {
			if name != "job 7" {
				t.Errorf("asked for %q", name)
			}
			return alive, known
		}}
		return f.acquire(none, lockName, 2)
	}
	silent := time.Now().Add(-2 * leaseTime)
	for _, c := range []struct {
		heard              time.Time
		alive, known, free bool
	}{
		{time.Now(), false, true, true},
		{time.Now(), true, true, false},
		{time.Now(), false, false, false},
		{silent, true, true, false},
		{silent, false, false, true},
	} {
		write(t, wordsOf(t, leaseText{"elsewhere.example", "job 7"}), path)
		must(t, os.Chtimes(path, c.heard, c.heard))
		l, err := take(c.alive, c.known)
		if c.free && err != nil {
			t.Errorf("%+v: taking a lease that is free: %v", c, err)
		}
		if !c.free && !errors.Is(err, ErrLeased) {
			t.Errorf("%+v: taking a lease that is held: %v, want %v", c, err, ErrLeased)
		}
		if err != nil {
			continue
		}
		machine, _ := os.Hostname()
		if got, _ := parseLease(read(t, path)); got != (leaseText{machine, "me"}) {
			t.Errorf("it says %q", read(t, path))
		}
		must(t, l.Release())
		must(t, os.Remove(l.lease.local.Name()))
	}
}

// TestLeasesAreComparedByField checks that no machine takes the lease of another, however alike
// their names are. Each machine takes its own, in every form that is written.
func TestLeasesAreComparedByField(t *testing.T) {
	names := []string{"node1", "node10", "node", "ode1", "node1.cluster", "cluster",
		"node1\nslurm 3_1 0", "node1\n", " node1", "node 1", "node1 ", "NODE1", `{"host":"node1"}`,
		`node1"`, "null", "5", ""}
	forms := map[string]func(machine string) []byte{
		"lease": func(m string) []byte { return wordsOf(t, leaseText{m, "slurm 3_1 0"}) },
		"bare":  func(m string) []byte { return wordsOf(t, leaseText{Host: m}) },
		"engine": func(m string) []byte {
			b, err := json.Marshal(map[string]any{"control": "/run/node1.sock", "host": m})
			must(t, err)
			return b
		},
	}
	for form, words := range forms {
		for _, holds := range names {
			for _, asks := range names {
				t.Run(fmt.Sprintf("%s/%q/%q", form, holds, asks), func(t *testing.T) {
					c, claimed := parseLease(words(holds))
					if want := holds == asks && asks != ""; !claimed || c.isOf(asks) != want {
						t.Errorf("%q is %q's: %v, want %v", words(holds), asks, c.isOf(asks), want)
					}
				})
			}
		}
	}
	for _, text := range []string{"node1\n", "5\n", "\x00\x00", `{"host":"node1","hold`,
		`{"note":"node1"}`, `{"host":"node1"}` + "x", `{"host":"node1","holder":5}`} {
		t.Run(fmt.Sprintf("%q", text), func(t *testing.T) {
			if got, claimed := parseLease([]byte(text)); !claimed || got != (leaseText{}) {
				t.Errorf("it is %+v, %v", got, claimed)
			}
		})
	}
	for _, nothing := range []string{"", "\n", " \n"} {
		if got, claimed := parseLease([]byte(nothing)); claimed {
			t.Errorf("%q claims for %+v", nothing, got)
		}
	}
}

func wordsOf(t *testing.T, c leaseText) []byte {
	t.Helper()
	b, err := json.Marshal(c)
	must(t, err)
	return b
}

// TestLeaseOfAMachineWithALikeName checks that such a lease is not taken, and does not count as
// free.
func TestLeaseOfAMachineWithALikeName(t *testing.T) {
	machine, err := os.Hostname()
	must(t, err)
	none := lockless(syscall.ENOLCK)
	for _, there := range []string{machine + "0", "0" + machine, machine + ".cluster",
		"other\n" + machine, `{"host":"` + machine + `0"}`,
		`{"host":"other","holder":"` + machine + `"}`} {
		t.Run(there, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), lockName)
			write(t, []byte(there+"\n"), path)
			if !held(none, path) {
				t.Error("it is held, and a reader takes it for free")
			}
			l, err := AcquireBy(none, path, 2)
			if !errors.Is(err, ErrLeased) {
				t.Errorf("taking it: %v", err)
			}
			if err == nil {
				must(t, l.Release())
				must(t, os.Remove(l.lease.local.Name()))
			}
		})
	}
}

// TestFrozenHolder: a holder that was frozen for 150 s, as with a suspended machine, still has its
// lease if nobody took it. Where another machine did, the holder sees that before it writes, and
// neither renews nor ends the other's lease.
func TestFrozenHolder(t *testing.T) {
	none := lockless(syscall.ENOLCK)
	for _, taken := range []bool{false, true} {
		path := filepath.Join(t.TempDir(), lockName)
		l, err := AcquireBy(none, path, 2)
		must(t, err)
		t.Cleanup(func() { os.Remove(l.lease.local.Name()) })
		then := time.Now().Add(-150 * time.Second) // by the disk's clock
		must(t, os.Chtimes(path, then, then))
		const other = `{"host":"elsewhere.example"}` + "\n"
		if taken {
			write(t, []byte(other), path)
		}
		if got := l.InPlace(path); got == taken {
			t.Errorf("taken %v: the lease is in place: %v", taken, got)
		}
		if got := l.lease.renew(); got == taken {
			t.Errorf("taken %v: the lease is renewed: %v", taken, got)
		}
		must(t, l.Release())
		want := ""
		if taken {
			want = other
		}
		if got := string(read(t, path)); got != want {
			t.Errorf("taken %v: afterwards the file says %q, want %q", taken, got, want)
		}
	}
}
