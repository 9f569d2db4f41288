package queue

import (
	"encoding/json"
	"math"
	"path/filepath"
	"testing"

	"drolab/dro"
	"drolab/dro/peertest"
	"drolab/runner"
	"drolab/runner/measure"
	"drolab/runner/spec"
)

// TestAgainstPyTorch trains the features task with groups here and by the same methods in PyTorch,
// with other random numbers. The worst groups agree within 2.5 points, and ERM's is 50 points below
// the others.
func TestAgainstPyTorch(t *testing.T) {
	peer := func(script string, args ...string) []byte {
		t.Helper()
		return peertest.Run(t, "numpy torch", filepath.Join("..", "data", "source", "peer", script),
			args...)
	}
	path := filepath.Join(t.TempDir(), "features.npz")
	peer("features.py", path, "--n", "20000", "--d", "32")
	var want map[string]struct {
		Worst []float64 `json:"worst_group_accuracy"` // in percent
	}
	out := peer("groups.py", path, "--seeds", "2", "--epochs", "8", "--drop-epoch", "6",
		"--threads", "1")
	if err := json.Unmarshal(out, &want); err != nil {
		t.Fatal(err)
	}
	for name, theirs := range want {
		var specs []spec.Spec
		for seed := range uint64(2) {
			s := spec.Defaults()
			s.Algorithms, s.Seed = []dro.Algorithm{dro.Algorithm(name)}, 1+seed
			s.Dataset, s.Model, s.Augment = "npz:"+path+"?cells=yes", "linear", false
			s.LR, s.Epochs, s.LRDropEpoch = .01, 8, 6
			specs = append(specs, s)
		}
		ours := 0.0
		for _, tr := range runAll(t, 2, specs...) {
			if tr.summary == nil || tr.summary.Status != runner.Done {
				t.Fatalf("%s: the run has the summary %+v, want one that is done", name, tr.summary)
			}
			ours += 100 * tr.summary.Named("worst_group_accuracy").Float() / 2
		}
		if d := ours - measure.Mean(theirs.Worst); !(math.Abs(d) <= 2.5) {
			t.Errorf("%s: worst group %.1f %%, in PyTorch %.1f", name, ours, theirs.Worst)
		}
		t.Logf("%s: worst group %.1f %%, in PyTorch %.1f", name, ours, theirs.Worst)
	}
}

// TestTunedAgainstPeers: ERM and Group DRO, each at the step that the validation split selects, and
// DFR have the figures of tuned.py on the features task, within 2.5 points. docs/waterbirds.md
// compares the two on a benchmark.
func TestTunedAgainstPeers(t *testing.T) {
	path := filepath.Join(t.TempDir(), "features.npz")
	peertest.Run(t, "numpy torch", filepath.Join("..", "data", "source", "peer", "features.py"),
		path, "--n", "20000", "--d", "32")
	out := peertest.Run(t, "numpy scipy sklearn torch", filepath.Join("peer", "tuned.py"), path,
		"--group", "g", "--lr", ".01", "--decay", ".1", "--tuning_seeds", "1", "--seeds", "2",
		"--epochs", "8", "--drop_epoch", "6")
	var want map[string]struct{ Worst, Mean, Adjusted []float64 } // in percent
	if err := json.Unmarshal(out, &want); err != nil {
		t.Fatal(err)
	}
	for _, name := range []dro.Algorithm{dro.ERM, "group", "dfr"} {
		var specs []spec.Spec
		for seed := range uint64(2) {
			s := spec.Defaults()
			s.Algorithms, s.Seed = []dro.Algorithm{name}, 21+seed
			s.Dataset, s.Model, s.Augment = "npz:"+path+"?cells=yes", "linear", false
			s.LR, s.WeightDecay, s.Epochs, s.LRDropEpoch = .01, .1, 8, 6
			s.EvalEvery, s.Select = 2, spec.SelectValWorst
			specs = append(specs, s)
		}
		ours := map[string]float64{}
		for _, tr := range runAll(t, 2, specs...) {
			if tr.summary == nil || tr.summary.Status != runner.Done {
				t.Fatalf("%s: the run has the summary %+v, want one that is done", name, tr.summary)
			}
			results := &tr.summary.Results
			if tr.summary.Selected != nil {
				results = &tr.summary.Selected.Results
			}
			if chosen := tr.summary.Selected != nil; chosen != (name != "dfr") {
				t.Errorf("%s: a step is selected: %v", name, chosen)
			}
			for _, key := range []string{"worst_group", "test", "adjusted"} {
				ours[key] += 100 * results.Named(key+"_accuracy").Float() / 2
			}
		}
		theirs := map[string][]float64{"worst_group": want[string(name)].Worst,
			"test": want[string(name)].Mean, "adjusted": want[string(name)].Adjusted}
		for key, list := range theirs {
			if d := ours[key] - measure.Mean(list); !(math.Abs(d) <= 2.5) {
				t.Errorf("%s: %s accuracy %.1f %%, in Python %.1f", name, key, ours[key], list)
			}
			t.Logf("%s: %s accuracy %.1f %%, in Python %.1f", name, key, ours[key], list)
		}
	}
}
