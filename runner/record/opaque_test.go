package record

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"drolab/runner/disk"
)

// TestOpaqueCheckpoints checks that retention, pins, doctor and deletion cover the state that a
// program saved, too.
func TestOpaqueCheckpoints(t *testing.T) {
	s := newStore(t)
	m := newMeta(1)
	m.Spec.CheckpointKeep = 2
	r := create(t, s, m)
	run, err := Find(s.Dir(), m.ID)
	must(t, err)
	save(t, r, newOpaqueState(1))
	must(t, run.Pin(1))
	for _, step := range []int64{2, 3, 4} {
		save(t, r, newOpaqueState(step))
	}
	run.wants(t, []int64{1, 3, 4}, []int64{1})
	folder := filepath.Join(r.in.Path, checkpointsName)
	wantFiles := func(when string, steps ...int64) {
		t.Helper()
		var got, want []string
		entries, err := os.ReadDir(folder)
		must(t, err)
		for _, e := range entries {
			if filepath.Ext(e.Name()) == ".program" {
				got = append(got, e.Name())
			}
		}
		for _, step := range steps {
			want = append(want, opaqueName(step))
		}
		if !slices.Equal(got, want) {
			t.Errorf("%s: files %q, want %q", when, got, want)
		}
	}
	wantFiles("pinned", 1, 3, 4)
	for _, step := range []int64{1, 3} {
		state, err := run.Load(step)
		must(t, err)
		if got, want := inBytes(t, state), inBytes(t, newOpaqueState(step)); got != want {
			t.Errorf("step %d: the state is %q, want %q", step, got, want)
		}
	}
	must(t, run.Unpin(1))
	wantFiles("without the pin", 3, 4)
	must(t, r.Close())

	flip(t, filepath.Join(folder, opaqueName(4)), "at step")
	wrong := ofCheckpoints(t, s.Dir(), false)
	if text := strings.Join(wrong, "\n"); !strings.Contains(text, "checksum differs") {
		t.Errorf("the doctor finds %q, want %q in it", wrong, "checksum differs")
	}
	ofCheckpoints(t, s.Dir(), true)
	wantFiles("mended", 3)
	r, from := reopen(t, s, m.ID)
	if from == nil || from.Step != 3 {
		t.Errorf("mended, it goes on from %+v, want step 3", from)
	}
	if err := Delete(s.Dir(), m.ID); !errors.Is(err, disk.ErrHeld) {
		t.Errorf("Delete while it is recorded: %v, want %v", err, disk.ErrHeld)
	}
	must(t, r.Close())
	must(t, Delete(s.Dir(), m.ID))
	if left, _ := filepath.Glob(filepath.Join(s.Dir(), "*", checkpointsName, "*")); left != nil {
		t.Errorf("deleted, it leaves %q, want nothing", left)
	}
}
