package record

import (
	"errors"
	"os"
	"path/filepath"
	"sync"
	"testing"

	"drolab/runner"
	"drolab/runner/disk"
)

// recordStopped makes a run that has ended, according to its log.
func recordStopped(t *testing.T, s *Store) (id string) {
	t.Helper()
	m := newMeta(1)
	r := create(t, s, m)
	must(t, r.Append(status(0, runner.Stopped)))
	must(t, r.Close())
	return m.ID
}

// TestDeleteRefusesHeld checks that a run that is being resumed is not deleted, although its log
// says that it is stopped until the resume is written.
func TestDeleteRefusesHeld(t *testing.T) {
	s := newStore(t)
	id := recordStopped(t, s)
	r, _ := reopen(t, s, id)
	if err := Delete(s.Dir(), id); !errors.Is(err, disk.ErrHeld) {
		t.Errorf("Delete of a run that is recorded: %v, want %v", err, disk.ErrHeld)
	}
	must(t, r.Append(status(1, runner.Running)))
	run, err := Find(s.Dir(), id)
	must(t, err)
	if run.Status() != runner.Running {
		t.Errorf("after that it is %s, want %s", run.Status(), runner.Running)
	}
	must(t, r.Close())
	must(t, Delete(s.Dir(), id))
	if _, err := Find(s.Dir(), id); err == nil {
		t.Errorf("the deleted run %s is there", id)
	}
}

func TestDeleteWantsAName(t *testing.T) {
	s := newStore(t)
	id := recordStopped(t, s)
	must(t, os.Mkdir(filepath.Join(s.Dir(), "norun"), 0o755))
	for _, name := range []string{"", ".", "..", id[:4], "latest", filepath.Join(s.Dir(), id),
		"../" + filepath.Base(s.Dir()) + "/" + id, "norun"} {
		if err := Delete(s.Dir(), name); err == nil {
			t.Errorf("%q was deleted", name)
		}
	}
	if _, err := Find(s.Dir(), id); err != nil {
		t.Errorf("Find(%s): %v", id, err)
	}
	left := filepath.Join(s.Dir(), deletedPrefix+id) // left by a crash
	must(t, os.MkdirAll(filepath.Join(left, checkpointsName), 0o755))
	must(t, Delete(s.Dir(), id))
	entries, err := os.ReadDir(s.Dir())
	must(t, err)
	if len(entries) != 1 {
		t.Errorf("left: %v, want the other folder", entries)
	}
}

// TestDeleteOrResume checks that, of those who delete a run and those who resume it at once,
// exactly one gets it. A run that is resumed stays.
func TestDeleteOrResume(t *testing.T) {
	s := newStore(t)
	for range 50 {
		id := recordStopped(t, s)
		var wg sync.WaitGroup
		recorders, deleted := make([]runner.Recorder, 4), make([]error, 4)
		for i := range recorders {
			wg.Go(func() { recorders[i], _, _ = s.Reopen(id) })
			wg.Go(func() { deleted[i] = Delete(s.Dir(), id) })
		}
		wg.Wait()
		owners := 0
		for i, r := range recorders {
			if deleted[i] == nil {
				owners++
			}
			if r == nil {
				continue
			}
			owners++
			must(t, r.Append(status(1, runner.Running)))
			if _, err := Find(s.Dir(), id); err != nil {
				t.Errorf("Find of a run that was resumed: %v", err)
			}
			must(t, r.Close())
		}
		if owners != 1 {
			t.Fatalf("%d got the run, want 1", owners)
		}
	}
}
