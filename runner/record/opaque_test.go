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
	files := func() (list []string) {
		entries, err := os.ReadDir(folder)
		must(t, err)
		for _, e := range entries {
			if filepath.Ext(e.Name()) == ".program" {
				list = append(list, e.Name())
			}
		}
		return list
	}
	if got := files(); !slices.Equal(got, []string{opaqueName(1), opaqueName(3), opaqueName(4)}) {
		t.Errorf("files %q", got)
	}
	for _, step := range []int64{1, 3} {
		state, err := run.Load(step)
		must(t, err)
		if got, want := inBytes(t, state), inBytes(t, newOpaqueState(step)); got != want {
			t.Errorf("step %d: %q", step, got)
		}
	}
	must(t, run.Unpin(1))
	if got := files(); !slices.Equal(got, []string{opaqueName(3), opaqueName(4)}) {
		t.Errorf("without the pin: %q", got)
	}
	must(t, r.Close())

	flip(t, filepath.Join(folder, opaqueName(4)), "at step")
	wrong := ofCheckpoints(t, s.Dir(), false)
	if len(wrong) == 0 || !strings.Contains(strings.Join(wrong, "\n"), "checksum differs") {
		t.Errorf("doctor: %q", wrong)
	}
	ofCheckpoints(t, s.Dir(), true)
	if got := files(); !slices.Equal(got, []string{opaqueName(3)}) {
		t.Errorf("mended: %q", got)
	}
	r, from := reopen(t, s, m.ID)
	if from == nil || from.Step != 3 {
		t.Errorf("mended, it goes on from %+v", from)
	}
	if err := Delete(s.Dir(), m.ID); !errors.Is(err, disk.ErrHeld) {
		t.Errorf("deleted while it is recorded: %v", err)
	}
	must(t, r.Close())
	must(t, Delete(s.Dir(), m.ID))
	if left, _ := filepath.Glob(filepath.Join(s.Dir(), "*", checkpointsName, "*")); left != nil {
		t.Errorf("deleted, it leaves %q", left)
	}
}
