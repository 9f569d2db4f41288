package record

import (
	"bytes"
	"encoding/gob"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"drolab/dro/nn"
	"drolab/runner"
	"drolab/runner/data"
	"drolab/runner/spec"
	runtrain "drolab/runner/train"
)

// pinnedRun makes a run that is being recorded and keeps two checkpoints. It has the checkpoints of
// steps 1, 2 and 3, with step 1 pinned.
func pinnedRun(t *testing.T) (*Store, *recorder, *Run) {
	t.Helper()
	s := newStore(t)
	m := newMeta(1)
	m.Spec.CheckpointKeep = 2
	r := create(t, s, m)
	run, err := Find(s.Dir(), m.ID)
	must(t, err)
	save(t, r, newState(1))
	must(t, run.Pin(1))
	save(t, r, newState(2))
	save(t, r, newState(3))
	return s, r, run
}

func (r *Run) wants(t *testing.T, steps, pinned []int64) {
	t.Helper()
	gotSteps, err := r.Checkpoints()
	must(t, err)
	gotPinned, err := r.Pinned()
	must(t, err)
	if !slices.Equal(gotSteps, steps) || !slices.Equal(gotPinned, pinned) {
		t.Errorf("checkpoints %v, pinned %v, want %v and %v", gotSteps, gotPinned, steps, pinned)
	}
}

// TestEndsOfPartsStay: the checkpoints at the ends of a run's parts stay beside the newest ones.
func TestEndsOfPartsStay(t *testing.T) {
	s := newStore(t)
	m := newMeta(1)
	m.Spec.CheckpointKeep, m.CheckpointParts, m.Steps = 2, 4, 12
	r := create(t, s, m)
	run, err := Find(s.Dir(), m.ID)
	must(t, err)
	for step := int64(1); step <= 11; step++ {
		save(t, r, newState(step))
	}
	run.wants(t, []int64{3, 6, 9, 10, 11}, nil)
	must(t, run.Pin(6))
	must(t, run.Unpin(6)) // it is the end of a part
	run.wants(t, []int64{3, 6, 9, 10, 11}, nil)
}

func TestPinnedCheckpointsStay(t *testing.T) {
	s, r, run := pinnedRun(t)
	run.wants(t, []int64{1, 2, 3}, []int64{1})
	must(t, run.Pin(3))
	must(t, run.Pin(3)) // twice is once
	for _, step := range []int64{4, 5, 6} {
		save(t, r, newState(step))
	}
	run.wants(t, []int64{1, 3, 5, 6}, []int64{1, 3})
	got, err := run.Load(1)
	must(t, err)
	if x := got.Parameters[0].Data[0]; x != 1 {
		t.Errorf("the pinned checkpoint is that of step %v, want 1", x)
	}

	must(t, run.Unpin(3)) // old: it is removed at once
	must(t, run.Pin(6))
	must(t, run.Unpin(6)) // among the newest: it stays
	run.wants(t, []int64{1, 5, 6}, []int64{1})
	must(t, r.Close())

	// The pin stands in the folder, so that another process and a resume know it.
	again, from := reopen(t, s, run.Meta.ID)
	if from.Step != 6 {
		t.Errorf("reopened at step %d, want 6", from.Step)
	}
	save(t, again, newState(7))
	run.wants(t, []int64{1, 6, 7}, []int64{1})
}

func TestPinsThatAreRefused(t *testing.T) {
	s, _, run := pinnedRun(t)
	for name, c := range map[string]struct {
		err  error
		want string
	}{
		"no such step":       {run.Pin(9), "no checkpoint of step 9: it has [1 2 3]"},
		"unpin no such step": {run.Unpin(9), "no checkpoint of step 9"},
		"not pinned":         {run.Unpin(2), "step 2 is not pinned"},
		"no such run":        {s.Pin("nothing", 1), "no run nothing"},
		"by the store":       {s.Pin(run.Meta.ID, 8), "no checkpoint of step 8"},
	} {
		wantError(t, name, c.err, c.want)
	}
	if err := run.Pin(9); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("Pin(9) = %v, want fs.ErrNotExist", err)
	}
	must(t, s.Pin(run.Meta.ID, 2))
	run.wants(t, []int64{1, 2, 3}, []int64{1, 2})
}

// TestPinsAfterACrash checks that a crash of the writer or of an unpin at any moment leaves a
// pinned checkpoint whole, and leaves nothing of an unpinned one.
func TestPinsAfterACrash(t *testing.T) {
	for name, crash := range map[string]struct {
		do     func(t *testing.T, folder string)
		steps  []int64
		pinned []int64
	}{
		"between tensors and JSON of another": {func(t *testing.T, folder string) {
			write(t, []byte("x"), folder, tensorsName(4))
		}, []int64{1, 3, 5}, []int64{1}},
		"with the pin gone": {func(t *testing.T, folder string) {
			must(t, os.Remove(filepath.Join(folder, pinName(1))))
		}, []int64{3, 5}, nil},
		"with pin and JSON gone": {func(t *testing.T, folder string) {
			must(t, errors.Join(os.Remove(filepath.Join(folder, pinName(1))),
				os.Remove(filepath.Join(folder, stateName(1)))))
		}, []int64{3, 5}, nil},
		"a pin without a checkpoint": {func(t *testing.T, folder string) {
			write(t, nil, folder, pinName(0))
		}, []int64{1, 3, 5}, []int64{1}},
		"newest torn and pinned": {func(t *testing.T, folder string) {
			write(t, nil, folder, stateName(9))
			write(t, nil, folder, pinName(9))
		}, []int64{1, 3, 5}, []int64{1}},
	} {
		t.Run(name, func(t *testing.T) {
			s, r, run := pinnedRun(t)
			must(t, r.Close())
			folder := filepath.Join(run.Dir, checkpointsName)
			crash.do(t, folder)
			again, _ := reopen(t, s, run.Meta.ID)
			save(t, again, newState(5))
			run.wants(t, crash.steps, crash.pinned)
			entries, err := os.ReadDir(folder)
			must(t, err)
			const lock = 1
			if want := 2*len(crash.steps) + len(crash.pinned) + lock; len(entries) != want {
				t.Errorf("%d files, want %d: %v", len(entries), want, entries)
			}
		})
	}
}

// TestPinAgainstPruning checks that a granted pin holds, whatever is written meanwhile. It writes
// until one was granted: where the writer takes the only core, that may be after step 100.
func TestPinAgainstPruning(t *testing.T) {
	_, r, run := pinnedRun(t)
	var granted []int64
	var pins sync.WaitGroup
	var some atomic.Bool
	stop := make(chan struct{})
	pins.Go(func() {
		for {
			select {
			case <-stop:
				return
			default:
			}
			if saved, ok, err := run.Saved(); err == nil && ok && run.Pin(saved.Step) == nil {
				granted = append(granted, saved.Step)
				some.Store(true)
			}
		}
	})
	for step := int64(4); step < 100 || !some.Load(); step++ {
		save(t, r, newState(step))
	}
	close(stop)
	pins.Wait()
	steps, err := run.Checkpoints()
	must(t, err)
	for _, step := range granted {
		if !slices.Contains(steps, step) {
			t.Errorf("step %d was pinned, and is gone", step)
		}
	}
}

// The state that a program saves is a file of its checkpoint, as the tensors are. Here drolab's own
// network saves its state as a program does.

// opaqueNetwork saves bytes in place of tensors.
type opaqueNetwork struct{ runtrain.Network }

func newOpaqueNetwork(s *spec.Spec, d *data.Dataset, threads int) (runtrain.Network, error) {
	n, err := runtrain.Native(s, d, threads)
	return opaqueNetwork{n}, err
}

func (n opaqueNetwork) Save(s *runner.State) error {
	var own runner.State
	if err := n.Network.Save(&own); err != nil {
		return err
	}
	var b bytes.Buffer
	err := gob.NewEncoder(&b).Encode([][]nn.Tensor{own.Parameters, own.Velocities, own.Buffers,
		own.Picked})
	if err != nil {
		return err
	}
	s.Opaque = opaqueBytes(b.Bytes())
	return nil
}

func (n opaqueNetwork) Load(s *runner.State) error {
	var b bytes.Buffer
	if _, err := s.Opaque.WriteTo(&b); err != nil {
		return err
	}
	var all [][]nn.Tensor
	if err := gob.NewDecoder(&b).Decode(&all); err != nil {
		return err
	}
	return n.Network.Load(&runner.State{Parameters: all[0], Velocities: all[1], Buffers: all[2],
		Picked: all[3]})
}

// opaqueBytes is the state that a program has saved, in memory.
type opaqueBytes []byte

func (b opaqueBytes) WriteTo(w io.Writer) (int64, error) {
	n, err := w.Write(b)
	return int64(n), err
}

func (opaqueBytes) Release() {}

// newOpaqueState returns newState as a program saves it.
func newOpaqueState(step int64) *runner.State {
	s := newState(step)
	s.Parameters, s.Velocities, s.Buffers, s.Picked = nil, nil, nil, nil
	s.Opaque = opaqueBytes(fmt.Sprintf("what a program saved at step %d", step))
	return s
}

// inBytes returns the bytes that the program saved in a state.
func inBytes(t *testing.T, s *runner.State) string {
	t.Helper()
	var b bytes.Buffer
	_, err := s.Opaque.WriteTo(&b)
	must(t, err)
	return b.String()
}

// ofCheckpoints returns the doctor's findings about the checkpoints.
func ofCheckpoints(t *testing.T, dir string, mend bool) (list []string) {
	t.Helper()
	all, _, err := examine(nil, dir, mend)
	must(t, err)
	for _, f := range all {
		if text := fmt.Sprint(*f); strings.Contains(text, checkpointsName) {
			list = append(list, text)
		}
	}
	return list
}
