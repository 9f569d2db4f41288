package record

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"drolab/dro/testsize"
	"drolab/runner"
	"drolab/runner/disk"
	"drolab/runner/internal/atomicfile"
)

// changedDisk calls do before everything that changes a folder.
type changedDisk struct {
	atomicfile.Disk
	exchanges bool // whether the disk can exchange names
	do        func()
}

func (d changedDisk) Folder(name string) (atomicfile.Disk, error) {
	in, err := d.Disk.Folder(name)
	if err != nil {
		return nil, err
	}
	return changedDisk{in, d.exchanges, d.do}, nil
}

func (d changedDisk) OpenFile(name string, flag int, mode fs.FileMode) (atomicfile.File, error) {
	d.do()
	return d.Disk.OpenFile(name, flag, mode)
}

func (d changedDisk) Mkdir(name string, mode fs.FileMode) error {
	d.do()
	return d.Disk.Mkdir(name, mode)
}

func (d changedDisk) Rename(from, to string) error {
	d.do()
	return d.Disk.Rename(from, to)
}

func (d changedDisk) Exchange(a, b string) error {
	if !d.exchanges {
		return errors.ErrUnsupported
	}
	d.do()
	return d.Disk.Exchange(a, b)
}

func (d changedDisk) Remove(name string) error {
	d.do()
	return d.Disk.Remove(name)
}

// recordLabelled makes a run of so many steps, with a label.
func recordLabelled(t *testing.T, s *Store, steps int64) *runner.Meta {
	t.Helper()
	m := newMeta(1)
	r := create(t, s, m)
	must(t, fillSteps(steps)(r))
	must(t, r.Close())
	run, err := Find(s.Dir(), m.ID)
	must(t, err)
	must(t, run.Relabel(func(l *Label) { l.Note = "baseline" }))
	return m
}

func fillSteps(steps int64) func(runner.Recorder) error {
	return func(r runner.Recorder) error {
		for step := int64(1); step <= steps; step++ {
			if err := r.Append(stepEvent(step)); err != nil {
				return err
			}
		}
		return r.Append(status(steps, runner.Done))
	}
}

// wantLabelled checks that a folder has nothing but the run with its label, and returns its steps.
func wantLabelled(t *testing.T, dir, id string) int64 {
	t.Helper()
	run, err := Find(dir, id)
	must(t, err)
	if note := run.Label().Note; note != "baseline" {
		t.Errorf("the note is %q, want %q", note, "baseline")
	}
	entries, err := os.ReadDir(dir)
	must(t, err)
	for _, e := range entries {
		if e.Name() != id && !strings.HasPrefix(e.Name(), atomicfile.Prefix) {
			t.Errorf("%s is left", e.Name())
		}
	}
	return int64(len(history(t, run.Tail()).Steps))
}

// crashesOf returns the states of the disk before each change that a replacement of a run by one of
// five steps makes, as a crash leaves them. exchanges is false for a disk that cannot exchange
// names.
func crashesOf(t *testing.T, exchanges bool) (id string, crashes []string) {
	t.Helper()
	s := newStore(t)
	m := recordLabelled(t, s, 3)
	s.open = func(path string) (atomicfile.Disk, error) {
		d, err := atomicfile.Open(path)
		return changedDisk{d, exchanges, func() {
			dir := t.TempDir()
			must(t, os.CopyFS(dir, os.DirFS(s.Dir())))
			crashes = append(crashes, dir)
		}}, err
	}
	again := *m
	must(t, s.Replace(&again, fillSteps(5)))
	if steps := wantLabelled(t, s.Dir(), m.ID); steps != 5 {
		t.Errorf("the new run has %d steps, want 5", steps)
	}
	return m.ID, crashes
}

// TestCrashInReplace: after a crash at any change that Replace makes, a store that opens finds the
// old run or the new one, whole and with its label, and it can be replaced at once.
func TestCrashInReplace(t *testing.T) {
	for _, exchanges := range testsize.Few(1, true, false) {
		id, crashes := crashesOf(t, exchanges)
		old, aside := 0, 0
		for i, dir := range crashes {
			if found, err := filepath.Glob(filepath.Join(dir, asidePrefix+"*")); err != nil {
				t.Fatal(err)
			} else if len(found) > 0 {
				aside++
			}
			after, err := Open(dir)
			must(t, err)
			switch steps := wantLabelled(t, dir, id); {
			case steps == 3:
				old++
			case steps != 5:
				t.Errorf("crash %d: %d steps, want 3 or 5", i, steps)
			}
			run, err := Find(dir, id)
			must(t, err)
			again := run.Meta
			must(t, after.Replace(&again, fillSteps(6)))
			if steps := wantLabelled(t, dir, id); steps != 6 {
				t.Errorf("crash %d: replaced afterwards, it has %d steps, want 6", i, steps)
			}
		}
		t.Logf("exchanges %v: %d crashes, %d of them with a folder aside, %d keep the old run",
			exchanges, len(crashes), aside, old)
		if old == 0 || old == len(crashes) || aside < 2 && !exchanges {
			t.Errorf("%d of %d crashes keep the old run, and %d have a folder aside, want some of "+
				"each", old, len(crashes), aside)
		}
	}
}

// TestViewersBetween: on a disk that can exchange names, who only reads sees the old run or the new
// one after a crash at any change, whole and with its label, although no store has opened since.
func TestViewersBetween(t *testing.T) {
	probe, err := atomicfile.Open(t.TempDir())
	must(t, err)
	defer probe.Close()
	must(t, probe.Mkdir("a", 0o700))
	must(t, probe.Mkdir("b", 0o700))
	if errors.Is(probe.Exchange("a", "b"), errors.ErrUnsupported) {
		t.Skip("this disk cannot exchange names")
	}
	id, crashes := crashesOf(t, true)
	seen := map[int]int{}
	for i, dir := range crashes {
		run, err := Find(dir, id)
		must(t, err)
		steps := len(history(t, run.Tail()).Steps)
		seen[steps]++
		if note := run.Label().Note; note != "baseline" || steps != 3 && steps != 5 {
			t.Errorf("crash %d: %d steps, and the note %q, want 3 or 5 and the label", i, steps,
				note)
		}
		if list, _ := List(dir); len(list) != 1 {
			t.Errorf("crash %d: %d runs, want 1", i, len(list))
		}
	}
	if seen[3] == 0 || seen[5] == 0 {
		t.Errorf("runs by steps: %v, want some of 3 and some of 5", seen)
	}
}

// TestReplaceThatFails: a run whose replacement cannot be written stays as it was.
func TestReplaceThatFails(t *testing.T) {
	s := newStore(t)
	m := recordLabelled(t, s, 3)
	full := errors.New("the disk is full")
	again := *m
	fails := func(runner.Recorder) error { return full }
	if err := s.Replace(&again, fails); !errors.Is(err, full) {
		t.Errorf("Replace: %v, want %v", err, full)
	}
	if steps := wantLabelled(t, s.Dir(), m.ID); steps != 3 {
		t.Errorf("it has %d steps, want 3", steps)
	}
	r, _, err := s.Reopen(recordStopped(t, s))
	must(t, err)
	defer r.Close()
	held := *r.(*recorder).meta
	if err := s.Replace(&held, fillSteps(1)); !errors.Is(err, disk.ErrHeld) {
		t.Errorf("Replace of a run that is recorded: %v, want %v", err, disk.ErrHeld)
	}
}

// TestDeletedStaysDeleted: what a crash left of a replacement does not come back once the run is
// deleted.
func TestDeletedStaysDeleted(t *testing.T) {
	s := newStore(t)
	m := recordLabelled(t, s, 3)
	must(t, os.CopyFS(filepath.Join(s.Dir(), asideOf(m.ID)),
		os.DirFS(filepath.Join(s.Dir(), m.ID))))
	must(t, Delete(s.Dir(), m.ID))
	again, err := Open(s.Dir())
	must(t, err)
	if _, err := Find(again.Dir(), m.ID); err == nil {
		t.Error("the deleted run is there")
	}
}
