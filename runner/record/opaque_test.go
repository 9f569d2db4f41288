package record

import (
	"bytes"
	"encoding/gob"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"drolab/dro/nn"
	"drolab/runner"
	"drolab/runner/data"
	"drolab/runner/spec"
	runtrain "drolab/runner/train"
)

// The state that a program saves is a file of its checkpoint, as the tensors are. Here drolab's own
// network saves its state as a program does.

// opaque saves bytes in place of tensors.
type opaque struct{ runtrain.Network }

func newOpaque(s *spec.Spec, d *data.Dataset, threads int) (runtrain.Network, error) {
	n, err := runtrain.Native(s, d, threads)
	return opaque{n}, err
}

func (n opaque) Save(s *runner.State) {
	var own runner.State
	n.Network.Save(&own)
	var b bytes.Buffer
	err := gob.NewEncoder(&b).Encode([][]nn.Tensor{own.Parameters, own.Velocities, own.Buffers,
		own.Picked})
	if err != nil {
		panic(err)
	}
	s.Opaque = bytesSaved(b.Bytes())
}

func (n opaque) Load(s *runner.State) error {
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

// bytesSaved is the state that a program has saved, in memory.
type bytesSaved []byte

func (b bytesSaved) WriteTo(w io.Writer) (int64, error) {
	n, err := w.Write(b)
	return int64(n), err
}

func (bytesSaved) Release() {}

// newOpaqueState returns newState as a program saves it.
func newOpaqueState(step int64) *runner.State {
	s := newState(step)
	s.Parameters, s.Velocities, s.Buffers, s.Picked = nil, nil, nil, nil
	s.Opaque = bytesSaved(fmt.Sprintf("what a program saved at step %d", step))
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
	if err := Delete(s.Dir(), m.ID); !errors.Is(err, ErrHeld) {
		t.Errorf("deleted while it is recorded: %v", err)
	}
	must(t, r.Close())
	must(t, Delete(s.Dir(), m.ID))
	if left, _ := filepath.Glob(filepath.Join(s.Dir(), "*", checkpointsName, "*")); left != nil {
		t.Errorf("deleted, it leaves %q", left)
	}
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
