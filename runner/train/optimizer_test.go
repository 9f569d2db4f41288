package train

import (
	"encoding/json"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"drolab/dro/nn"
	"drolab/dro/peertest"
	"drolab/runner/spec"
)

// From 200 recorded gradients, clipped or not, AdamW comes to PyTorch's weights. The schedules give
// the rates of PyTorch's schedules.
func TestAgainstPyTorch(t *testing.T) {
	s := spec.Defaults()
	s.Optimizer, s.WeightDecay, s.LR, s.Epochs, s.Warmup = nn.AdamWName, .02, .003, 4, 1
	clips, gradients := []float64{0, 3}, recorded(200)
	var start []float32
	var ours [][]float32
	for _, clip := range clips {
		n, err := nn.New(nn.Config{Model: "linear", C: 40, H: 1, W: 1, Classes: 3, Batch: 1,
			Seed: 2, Optimizer: nn.AdamWName})
		if err != nil {
			t.Fatal(err)
		}
		defer n.Close()
		w := n.Parameters()[0].Data
		start = slices.Clone(w)
		for _, g := range gradients {
			copy(n.Gradients()[0].Data, g)
			n.Adapt(nn.SGD{LR: s.LR, WeightDecay: s.WeightDecay, Clip: clip}, *s.Adam())
		}
		ours = append(ours, w)
	}
	path := filepath.Join(t.TempDir(), "given.json")
	given, err := json.Marshal(map[string]any{"weights": start, "gradients": gradients, "lr": s.LR,
		"beta1": s.Beta1, "beta2": s.Beta2, "eps": s.AdamEps, "decay": s.WeightDecay,
		"clips": clips})
	if err == nil {
		err = os.WriteFile(path, given, 0o600)
	}
	var theirs struct {
		Weights        [][]float64
		Cosine, Linear []float64
	}
	if err == nil {
		out := peertest.Run(t, "torch", filepath.Join("peer", "optim.py"), path)
		err = json.Unmarshal(out, &theirs)
	}
	if err != nil {
		t.Fatal(err)
	}
	for k, clip := range clips {
		off, moved := 0.0, 0.0
		for i, v := range ours[k] {
			off = max(off, math.Abs(float64(v)-theirs.Weights[k][i]))
			moved = max(moved, math.Abs(float64(v-start[i])))
		}
		t.Logf("clip %v: weights move by %.2g, and end %.2g beside PyTorch's", clip, moved, off)
		if !(off <= 1e-6) {
			t.Errorf("clip %v: the weights end %.2g beside PyTorch's, want at most 1e-6", clip, off)
		}
		if moved < .05 {
			t.Errorf("clip %v: the weights move by %.2g, want .05 or more", clip, moved)
		}
	}
	for name, want := range map[string][]float64{"cosine": theirs.Cosine, "linear": theirs.Linear} {
		s.Schedule = name
		for i, rate := range want { // 4 epochs of 5 steps
			if got := s.Rate(int64(i), 5, 20); !(math.Abs(got-rate) <= 1e-12*s.LR) {
				t.Errorf("%s: step %d has the rate %v, want PyTorch's, %v", name, i, got, rate)
			}
		}
	}
}

// recorded returns gradients of 120 weights, of changing sizes and with zeros.
func recorded(steps int) (list [][]float32) {
	rng := rand.New(rand.NewPCG(9, 1))
	for step := range steps {
		g := make([]float32, 120)
		for i := range g {
			if rng.IntN(10) > 0 {
				g[i] = float32(rng.NormFloat64() * math.Exp(math.Sin(float64(step)/9)-float64(i%9)))
			}
		}
		list = append(list, g)
	}
	return list
}
