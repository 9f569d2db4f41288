package queue

import (
	"context"
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"drolab/dro"
	"drolab/dro/nn"
	"drolab/dro/peertest"
	"drolab/runner"
	"drolab/runner/data"
	"drolab/runner/data/loader"
	"drolab/runner/data/source"
	"drolab/runner/spec"
)

// After five steps on batches as large as the training split, the weights agree with PyTorch's for
// the sources' own objectives, on the samples that the run's loader gives.
func TestStepsAgainstPyTorch(t *testing.T) {
	peertest.Python(t, "torch") // else nobody compares
	type run struct {
		Method   string             `json:"method"`
		Settings map[string]float64 `json:"settings"`
		Batches  [][]int            `json:"batches"`
		spec     spec.Spec
	}
	with := func(a dro.Algorithm, theirs map[string]float64, change func(*spec.Spec)) run {
		s := brief(a)
		s.Batch, s.Epochs, s.LR = 480, 5, .1
		if change(&s); a == "subsample" {
			a = dro.ERM
		}
		return run{Method: string(a), Settings: theirs, spec: s}
	}
	none := func(*spec.Spec) {}
	runs := []run{
		with(dro.ERM, nil, none),
		with("doro", map[string]float64{"epsilon": .05, "rho": .5}, none),
		with("doro", map[string]float64{"epsilon": .2, "mu": .125}, func(s *spec.Spec) {
			s.Uncertainty, s.Mu = "cvar", .125 // 48 samples of the 384 that are left
			s.SetOwn("doro_epsilon", dro.Fixed(.2))
		}),
		with("group", map[string]float64{"step": .5, "adjust": 3}, func(s *spec.Spec) {
			s.Sampler = "groups"
			s.SetOwn("group_step", dro.Fixed(.5))
			s.SetOwn("group_adjust", dro.Fixed(3))
		}),
		with("subsample", nil, none),
	}
	problem := map[string]any{"lr": .1, "momentum": .9}
	var specs []spec.Spec
	for i := range runs {
		s := &runs[i].spec
		specs = append(specs, *s)
		net, _ := restart(t, s)
		runs[i].Batches = batchesOf(t, s, 5, problem)
		w := net.Parameters()
		problem["b"] = w[1].Data
		problem["w"] = slices.Collect(slices.Chunk(w[0].Data, len(w[0].Data)/len(w[1].Data)))
	}
	problem["runs"] = runs
	text, err := json.Marshal(problem)
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "problem.json")
	if err := os.WriteFile(path, text, 0o600); err != nil {
		t.Fatal(err)
	}
	var want []struct {
		W [][]float64
		B []float64
	}
	out := peertest.Run(t, "torch", filepath.Join("peer", "steps.py"), path)
	if err := json.Unmarshal(out, &want); err != nil {
		t.Fatal(err)
	}
	for i, tr := range runAll(t, 2, specs...) {
		s, off, moved := tr.states[len(tr.states)-1], 0.0, 0.0
		theirs := slices.Concat(slices.Concat(want[i].W...), want[i].B)
		for j, v := range slices.Concat(s.Parameters[0].Data, s.Parameters[1].Data) {
			off = max(off, math.Abs(float64(v)-theirs[j]))
			moved = max(moved, math.Abs(theirs[j]))
		}
		r := &runs[i]
		t.Logf("%s %v: %.1e apart, weights up to %.2g", r.Method, r.Settings, off, moved)
		if s.Step != 5 {
			t.Errorf("%s %v: the checkpoint is of step %d, want 5", r.Method, r.Settings, s.Step)
		}
		if !(off <= 1e-5) {
			t.Errorf("%s %v: the weights are %.2g apart, want at most 1e-5", r.Method, r.Settings,
				off)
		}
	}
}

// batchesOf returns the samples of the first batches of a run of s, and puts the training split
// into problem.
func batchesOf(t *testing.T, s *spec.Spec, batches int, problem map[string]any) (list [][]int) {
	t.Helper()
	d, err := source.Open(s.Dataset, s.DataOptions(""))
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	m, err := dro.Find(s.Algorithm())
	if err != nil {
		t.Fatal(err)
	}
	o := loader.Options{Batch: s.Batch, Seed: s.Seed, Stream: 1, Sampling: s.Sampling(m)}
	l, err := loader.NewEpochs(d.Train, o)
	if err != nil {
		t.Fatal(err)
	}
	for range batches {
		list = append(list, slices.Clone(l.Next().Index))
	}
	o.Batch = d.Train.Len()
	if l, err = loader.NewSequential(d.Train, o); err != nil {
		t.Fatal(err)
	}
	b := l.Next()
	problem["x"] = slices.Collect(slices.Chunk(b.X, len(b.X)/b.N))
	problem["y"], problem["g"] = b.Labels, b.Groups
	problem["n"] = data.GroupCounts(d.Train, len(d.Groups))
	return list
}

// With replacement a batch may be larger than the training split, and the draws of a run that is
// stopped and resumed are those of one that is not. Without replacement such a batch is refused.
func TestReplacement(t *testing.T) {
	s := brief(dro.SFK)
	s.Sampler, s.Batch, s.Epochs, s.Loss = "replacement", 700, 6, nn.ErrorProbability
	s.SetOwn("output", dro.Fixed(1))
	whole, parts := trained(t, nil, s, 1), trained(t, nil, s, 2)
	a, b := whole.states[len(whole.states)-1], parts.states[len(parts.states)-1]
	if a.Step != 6 {
		t.Errorf("the last checkpoint is of step %d, want 6", a.Step)
	}
	if !slices.Equal(a.Parameters[0].Data, b.Parameters[0].Data) {
		t.Errorf("the weights are %v … after a resume, want %v …", b.Parameters[0].Data[:3],
			a.Parameters[0].Data[:3])
	}
	s.Sampler = "samples"
	q := NewQueue(context.Background(), Settings{Store: newMemoryStore()})
	if _, err := q.Start(runner.Request{Specs: []spec.Spec{s}}); err == nil ||
		!strings.Contains(err.Error(), "batch: 700: expected at most the 480 training samples") {
		t.Errorf("a permutation gave a batch of 700: %v", err)
	}
}
