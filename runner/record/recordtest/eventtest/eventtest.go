// Package eventtest gives the tests of logs, checkpoints and run folders the same run, events and
// state.
package eventtest

import (
	"math"
	"os"
	"path/filepath"
	"testing"
	"time"

	"drolab/dro"
	"drolab/dro/nn"
	"drolab/runner"
	"drolab/runner/data/loader"
	"drolab/runner/measure"
	"drolab/runner/spec"
)

// Meta returns the Meta of an SFK run with two classes.
func Meta(seed uint64) *runner.Meta {
	spec := spec.Defaults()
	spec.Algorithms, spec.Seed = []dro.Algorithm{dro.SFK}, seed
	return &runner.Meta{
		Preset:        "shapes",
		Created:       time.Date(2026, 11, 21, 9, 15, 2, 0, time.UTC),
		Spec:          spec,
		Parts:         measure.Parts{Classes: []string{"circle", "star"}},
		StepsPerEpoch: 10,
		Steps:         500,
	}
}

// Head returns the head of an event at a step.
func Head(step int64) runner.Head { return runner.Head{Step: step} }

// Status returns an event with a status.
func Status(step int64, s runner.Status) runner.Event {
	return &runner.StatusEvent{Head: Head(step), Status: s}
}

// Step returns a step event whose loss depends on the step.
func Step(step int64) *runner.StepEvent {
	return &runner.StepEvent{Head: Head(step), Epoch: float64(step) / 10, Values: measure.Values{
		{Name: "loss", Number: measure.Num(1 / float64(step))}, {Name: "lambda",
			Number: measure.Num(1.5)},
		{Name: "eta", Number: measure.Num(-0.25)},
		{Name: "objective"}, {Name: "gap"}, {Name: "gamma"}, {Name: "grad_norm"},
	}}
}

// Eval returns an evaluation.
func Eval(step int64) *runner.EvalEvent {
	return &runner.EvalEvent{Head: Head(step),
		Values: measure.Values{
			{Name: "test_accuracy", Number: measure.Num(0.7)},
			{Name: "worst_class_accuracy", Number: measure.Num(0.5)},
		},
		ByGroup: measure.Lists{
			{Name: "class_accuracy", Numbers: []measure.Number{measure.Num(0.9), measure.Num(0.5)}},
		},
	}
}

// State returns a checkpoint with small tensors whose values depend on the step.
func State(step int64) *runner.State {
	x := float32(step)
	tensors := func() []nn.Tensor {
		return []nn.Tensor{
			{Name: "fc1.weight", Shape: []int{2, 3}, Data: []float32{x, 1, 2, 3, 4, 5}},
			{Name: "fc1.bias", Shape: []int{2}, Data: []float32{-x, 0.5}},
		}
	}
	return &runner.State{
		Step: step, Batches: loader.State{Kind: "epochs", Epoch: 1, Step: 2}, Eval: Eval(step),
		Method: &dro.State{
			Numbers: map[string]float64{"lambda": 1.25, "eta": -0.5},
			Flags: map[string][]bool{
				"wrong": {true, false, false, true, true, false, false, false, true, true},
			},
			Lists: map[string][]float64{"recent": {.5, math.Inf(1), 1e-300}},
		},
		Parameters: tensors(), Velocities: tensors(), Buffers: tensors(), Picked: tensors(),
	}
}

// Must ends the test if err is not nil.
func Must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// Write writes a file. The elements are joined to its path.
func Write(t testing.TB, b []byte, elements ...string) {
	t.Helper()
	Must(t, os.WriteFile(filepath.Join(elements...), b, 0o644))
}
