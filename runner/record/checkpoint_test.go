package record

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"drolab/runner/internal/atomicfile"
)

func TestCheckpointRoundTrip(t *testing.T) {
	s := newStore(t)
	m := newMeta(1)
	r := create(t, s, m)
	want := newState(7)
	// A diverged run is saved, too.
	want.Method.Numbers["lambda"], want.Method.Numbers["eta"] = math.Inf(1), math.NaN()
	want.Parameters[0].Data[1] = float32(math.Copysign(0, -1))
	save(t, r, want)
	run, err := Find(s.Dir(), m.ID)
	must(t, err)
	got, err := run.Load(7)
	must(t, err)
	if fmt.Sprint(got.Method) != fmt.Sprint(want.Method) {
		t.Errorf("the method's state is %v, was %v", got.Method, want.Method)
	}
	a, b := asJSON(t, got), asJSON(t, want)
	if a != b {
		t.Errorf("state\n%s\nwant\n%s", a, b)
	}
	for _, pair := range [][2]any{{got.Parameters, want.Parameters},
		{got.Velocities, want.Velocities},
		{got.Buffers, want.Buffers}, {got.Picked, want.Picked}} {
		if a, b := asJSON(t, pair[0]), asJSON(t, pair[1]); a != b {
			t.Errorf("tensors\n%s\nwant\n%s", a, b)
		}
	}
	if _, err := run.Load(8); err == nil {
		t.Error("a checkpoint that was never written was read")
	}
}

func TestCheckpointsKept(t *testing.T) {
	s := newStore(t)
	m := newMeta(1)
	m.Spec.CheckpointKeep = 2
	r := create(t, s, m)
	run, err := Find(s.Dir(), m.ID)
	must(t, err)
	folder := filepath.Join(run.Dir, checkpointsName)
	write(t, nil, folder, atomicfile.Prefix+tensorsName(1))
	write(t, nil, folder, tensorsName(2)) // left by a crash before its JSON
	for _, c := range []struct {
		step int64
		kept []int64
	}{
		{10, []int64{10}}, {20, []int64{10, 20}}, {30, []int64{20, 30}}, {30, []int64{20, 30}},
		{40, []int64{30, 40}},
		{25, []int64{25}}, // a resume has discarded 30 and 40
	} {
		save(t, r, newState(c.step))
		steps, err := run.Checkpoints()
		must(t, err)
		if !slices.Equal(steps, c.kept) {
			t.Errorf("after step %d: %v kept, want %v", c.step, steps, c.kept)
		}
		entries, err := os.ReadDir(folder)
		must(t, err)
		if len(entries) != 2*len(steps)+1 { // and the lock
			t.Errorf("%d files for %d checkpoints, want two each and the lock: %v", len(entries),
				len(steps), entries)
		}
	}
}
