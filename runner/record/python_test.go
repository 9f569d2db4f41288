package record

import (
	"encoding/json"
	"math"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"drolab/dro/nn"
	"drolab/dro/peertest"
	"drolab/runner/eventlog"
)

// printTensors is a program that prints every tensor of a safetensors file: its type, its shape and
// the bits of its values.
const printTensors = `
import json, sys
from safetensors.numpy import load_file
print(json.dumps({name: {"Type": str(t.dtype), "Shape": t.shape, "Bits": t.view("uint32").ravel().tolist()}
                  for name, t in load_file(sys.argv[1]).items()}))`

// TestPythonReadsCheckpoints checks that Python's safetensors reads the same weights.
func TestPythonReadsCheckpoints(t *testing.T) {
	python := peertest.Python(t, "safetensors", "numpy")
	folder, s := t.TempDir(), newState(7)
	odd := []float32{float32(math.NaN()), float32(math.Inf(-1)), math.SmallestNonzeroFloat32,
		math.MaxFloat32, float32(math.Copysign(0, -1)), 1.0 / 3}
	s.Parameters = append(s.Parameters, nn.Tensor{Name: `größe "ß"`, Shape: []int{1, 3, 2},
		Data: odd},
		nn.Tensor{Name: "scale", Shape: []int{1}, Data: []float32{-2.5}},
		nn.Tensor{Name: "none", Shape: []int{0, 4}})
	must(t, writeCheckpoint(in(t, folder), s, eventlog.Position{}))
	out, err := exec.Command(python, "-c", printTensors,
		filepath.Join(folder, tensorsName(7))).Output()
	must(t, err)
	type tensor struct {
		Type  string
		Shape []int
		Bits  []uint32
	}
	var read map[string]tensor
	must(t, json.Unmarshal(out, &read))

	back, err := readCheckpoint(in(t, folder), 7)
	must(t, err)
	want, err := fileTensors(back.State)
	must(t, err)
	written := len(s.Parameters) + len(s.Velocities) + len(s.Buffers) + len(s.Picked)
	if len(read) != written || len(want) != written {
		t.Fatalf("Python reads %d tensors, this program %d, want %d", len(read), len(want), written)
	}
	for _, w := range want {
		bits := make([]uint32, len(w.Data))
		for i, x := range w.Data {
			bits[i] = math.Float32bits(x)
		}
		want := tensor{"float32", w.Shape, bits}
		if diff := cmp.Diff(want, read[w.Name], cmpopts.EquateEmpty()); diff != "" {
			t.Errorf("%s as Python reads it differs (-want +got):\n%s", w.Name, diff)
		}
	}
}
