package bridge_test

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"drolab/dro"
	"drolab/dro/peertest"
	"drolab/runner/certificate"
	"drolab/runner/measure"
	"drolab/runner/record"
	"drolab/runner/spec"
)

// colours returns the spec of a run of pythontest/peer/colours.py.
func colours(t *testing.T, r runsFolder, a dro.Algorithm, seed uint64, words ...string) spec.Spec {
	t.Helper()
	path := must(filepath.Abs("pythontest/peer/colours.py"))(t)
	s := spec.Defaults()
	s.Algorithms, s.Seed, s.Dataset = []dro.Algorithm{a}, seed, spec.ProgramData
	s.Model = spec.Program{Path: path, Words: words}.String()
	s.Batch, s.Epochs, s.EvalEvery, s.LogEvery, s.CheckpointEvery = 100, 3, 0, 5, 7
	s.SettleProgram("")
	if err := r.approvals.Approve(path); err != nil {
		t.Fatal(err)
	}
	return s
}

// exported is what a network shows of its last layer, for peers.
type exported struct {
	Weight [][]float64 `json:"weight"`
	Bias   []float64   `json:"bias"`
	Splits []features  `json:"splits"`
}

type features struct {
	Split string      `json:"split"`
	X     [][]float32 `json:"x"`
	Y     []int       `json:"y"`
	G     []int       `json:"g"`
}

// export returns what drolab features writes of a run. Within it, python3 is the zygote.
func (r runsFolder) export(t *testing.T, run *record.Run, splits ...string) (e exported) {
	t.Helper()
	t.Run("export", func(t *testing.T) {
		t.Setenv(zygoteEnv, torch.Socket(t))
		bin := t.TempDir()
		if err := os.Symlink(self(), filepath.Join(bin, "python3")); err != nil {
			t.Fatal(err)
		}
		t.Setenv("PATH", bin+":"+os.Getenv("PATH"))
		f := must(r.features(run, splits...))(t)
		defer f.Close()
		e.Weight, e.Bias = f.Layer.Weights, f.Layer.Bias
		for _, s := range f.Splits {
			e.Splits = append(e.Splits, features{s.Split, s.Held.Features, s.Labels, s.Groups})
		}
	})
	if len(e.Splits) == 0 {
		t.FailNow()
	}
	return e
}

// accuracy returns the accuracy of an exported layer on its first split.
func (e *exported) accuracy() float64 {
	right := 0
	for i, x := range e.Splits[0].X {
		logits := slices.Clone(e.Bias)
		for k, w := range e.Weight {
			for j, v := range x {
				logits[k] += w[j] * float64(v)
			}
		}
		if slices.Index(logits, slices.Max(logits)) == e.Splits[0].Y[i] {
			right++
		}
	}
	return float64(right) / float64(len(e.Splits[0].X))
}

func (r runsFolder) features(run *record.Run, splits ...string) (*certificate.LastLayer, error) {
	return certificate.Features(context.Background(), certificate.ViewOf{Run: run, Step: -1,
		Means:      certificate.Means{Programs: r.approvals},
		Inspection: certificate.Inspection{Threads: 1}}, splits)
}

// TestRefitOfOwnNetwork: dfr fits the head of a ResNet in PyTorch again, as scikit-learn does on
// the features that drolab exports. ERM is far below on the worst group.
func TestRefitOfOwnNetwork(t *testing.T) {
	r := newRunsFolder(t)
	ids := must(r.queueUp(forked(t), colours(t, r, "dfr", 1), colours(t, r, "dfr", 2),
		colours(t, r, "dfr", 3), colours(t, r, dro.ERM, 1)))(t)
	var all []exported
	for _, id := range ids {
		all = append(all, r.export(t, must(record.Find(r.dir, id))(t), "val", "test"))
	}
	path := filepath.Join(t.TempDir(), "features.json")
	if err := os.WriteFile(path, must(json.Marshal(all))(t), 0o600); err != nil {
		t.Fatal(err)
	}
	out := peertest.Run(t, "numpy scipy sklearn", "pythontest/peer/refit.py", path)
	var want []struct {
		Own  float64
		Fits []float64
	}
	if err := json.Unmarshal(out, &want); err != nil {
		t.Fatal(err)
	}
	erm := want[3].Own
	for i, id := range ids[:3] {
		run := must(record.Find(r.dir, id))(t)
		ours := 100 * run.Summary().Named("worst_group_accuracy").Float()
		theirs := measure.Mean(want[i].Fits)
		t.Logf("seed %d: worst group %.2f %%, in scikit-learn %.2f, of ERM %.2f", 1+i, ours,
			want[i].Fits, erm)
		if !(math.Abs(ours-theirs) <= 1) {
			t.Errorf("seed %d: worst group %.2f %%, want within 1 of scikit-learn's %.2f", 1+i,
				ours, theirs)
		}
		if math.Abs(ours-want[i].Own) > 1e-9 {
			t.Errorf("seed %d: worst group %v %%, want that of the exported layer, %v", 1+i, ours,
				want[i].Own)
		}
		if ours < erm+10 {
			t.Errorf("seed %d: worst group %.2f %%, want 10 more than the %.2f of ERM", 1+i, ours,
				erm)
		}
	}
}

// TestRefitIsResumed: wherever the program dies, the resumed run has the same bits. Parts of a
// batch have the same features.
func TestRefitIsResumed(t *testing.T) {
	r := newRunsFolder(t)
	brief := func(a dro.Algorithm, path string) spec.Spec {
		s := colours(t, r, a, 1, "dies="+path)
		s.Epochs = 1
		return s
	}
	for a, calls := range map[dro.Algorithm][]string{
		"dfr": {"step 11", "features 3", "layer 1"}, "evals": {"layer 1"},
	} {
		whole := r.log(t, must(r.queueUp(forked(t), brief(a, "none")))(t)[0])
		for _, call := range calls {
			path := filepath.Join(t.TempDir(), "dies")
			if err := os.WriteFile(path, []byte(call), 0o600); err != nil {
				t.Fatal(err)
			}
			ids, err := r.queueUp(forked(t), brief(a, path))
			const want = "signal: killed"
			if err == nil || !strings.Contains(err.Error(), want) {
				t.Fatalf("%s, %s: error %v, want one with %q", a, call, err, want)
			}
			if err := r.resumeBy(forked(t), ids[0]); err != nil {
				t.Fatal(err)
			}
			wantLog(t, string(a)+", "+call, r.log(t, ids[0]), whole, 0)
		}
	}
}

// TestFeaturesOfOtherRoads: the features of a network that is compiled and of batches in parts are
// those of the plain network with the same weights; in half precision they are near. Features of
// several processes give the accuracy that the run has.
func TestFeaturesOfOtherRoads(t *testing.T) {
	r := newRunsFolder(t)
	whole := colours(t, r, "afr", 1)
	whole.Epochs = 1
	run := must(record.Find(r.dir, must(r.queueUp(forked(t), whole))(t)[0]))(t)
	want := r.export(t, run, "test")
	for word, within := range map[string]float64{"compile": 1e-5, "micro=64": 1e-5, "bf16": .1} {
		p, _ := run.Meta.Spec.Program()
		p.Words = []string{word}
		run.Meta.Spec.Model = p.String()
		got := r.export(t, run, "test")
		most := 0.
		for i, row := range got.Splits[0].X {
			for j, x := range row {
				most = max(most, math.Abs(float64(x-want.Splits[0].X[i][j])))
			}
		}
		t.Logf("%s: %.2g", word, most)
		if n := len(got.Splits[0].X); n != 4000 {
			t.Errorf("%s: features of %d samples, want 4000", word, n)
		}
		if most > within {
			t.Errorf("%s: the features differ by %v, want at most %v", word, most, within)
		}
	}
	p, _ := whole.Program()
	p.Words = []string{"procs=2"}
	whole.Model = p.String()
	run = must(record.Find(r.dir, must(r.queueUp(forked(t), whole))(t)[0]))(t)
	got := r.export(t, run, "test")
	if a, b := got.accuracy(), run.Summary().Named("test_accuracy").Float(); math.Abs(a-b) > 1e-9 {
		t.Errorf("two processes: the exported layer has the accuracy %v, the run %v", a, b)
	}
}

// TestHeadless: a method that fits the last layer is refused where the program does not show it.
func TestHeadless(t *testing.T) {
	r := newRunsFolder(t)
	for _, a := range []dro.Algorithm{"dfr", "afr", "evals"} {
		_, err := r.start(t, "", withWords(bridged(a), "headless=true"))
		want := fmt.Sprintf("algorithms: %s: expected a program that sets self.head to its last", a)
		wantError(t, string(a), err, want)
	}
	id := must(r.start(t, "", withWords(bridged(dro.ERM), "headless=true")))(t)[0]
	_, err := r.features(must(record.Find(r.dir, id))(t))
	wantError(t, "features", err, "set self.head to it")
}
