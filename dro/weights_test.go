package dro

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"drolab/dro/peertest"
)

// weightCases returns every method, and those of formCases with other settings and sets.
func weightCases() []formCase {
	chi2 := CressieRead{K: 2}
	return append(formCases(), formCase{"batch", "batch", chi2, nil, FormNone},
		formCase{"doro", "doro", chi2, nil, FormNone},
		formCase{"nsgdm", "nsgdm", CressieRead{K: 1.5}, nil, FormNone},
		formCase{"sfk-auto", SFKAuto, chi2, nil, FormNone})
}

// TestWeightsAgainstNumPy: a program in NumPy computes from the formulas of every method the
// weights of 1000 batches.
func TestWeightsAgainstNumPy(t *testing.T) {
	peertest.Python(t, "numpy") // else nobody reads the cases
	for _, m := range Methods() {
		is := func(c formCase) bool { return c.method == m.Name }
		if !slices.ContainsFunc(weightCases(), is) {
			t.Errorf("%s has no case in weightCases", m.Name)
		}
	}
	path := filepath.Join(t.TempDir(), "cases")
	f, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	rng, lines := testRand(51), json.NewEncoder(f)
	for _, c := range weightCases() {
		if err := writeWeights(lines, rng, c); err != nil {
			t.Fatalf("writing the weights of %s: %v", c.name, err)
		}
	}
	out := string(peertest.Run(t, "numpy", "peer/weights.py", path))
	if n := strings.Count(out, "\n"); n != len(weightCases()) {
		t.Errorf("the weights of %d cases are compared, want %d: %s", n, len(weightCases()), out)
	}
	for line := range strings.Lines(out) {
		var name string
		var n int
		most := -1.0
		fmt.Sscan(line, &name, &n, &most)
		if n < 1000*20 || !(most >= 0 && most <= 1e-12) {
			t.Errorf("%s: %d weights differ by up to %g, want at most 1e-12", name, n, most)
		}
	}
	t.Log(out)
}

// writeWeights writes the head of a case, and 1000 batches of it with their weights.
func writeWeights(to *json.Encoder, rng *rand.Rand, c formCase) error {
	const rate = .05
	trainer, start, err := formTrainer(c)
	if err != nil {
		return err
	}
	p, flags := start.Problem, []int{}
	for _, is := range trainer.Form(nil).Flags {
		flag := 0
		if is {
			flag = 1
		}
		flags = append(flags, flag)
	}
	set := map[string]any{"set": c.set.Name(), "rho": p.Rho, "box": p.Box.Lambda, "rate": rate,
		"k": 0., "mu": 0.}
	switch s := c.set.(type) {
	case CressieRead:
		set["k"] = s.K
	case SmoothedCVaR:
		set["mu"] = s.Mu
	case CVaR:
		set["mu"] = s.Mu
	}
	if err := to.Encode(map[string]any{"method": c.method, "name": c.name, "counts": start.Groups,
		"settings": start.Settings, "problem": set, "flags": flags}); err != nil {
		return err
	}
	m, err := Find(c.method)
	if err != nil {
		return err
	}
	for step := range 1000 {
		b, wild := drawnBatch(rng, start)
		for wild {
			b, wild = drawnBatch(rng, start)
		}
		w := make([]float64, len(b.Losses))
		trainer.Before(b)
		var z []float64
		if d, ok := trainer.(Dual); ok && !m.KL {
			at := d.Z()
			if p.Coordinates == Paper {
				at.Eta += at.Lambda / (set["k"].(float64) - 1)
			}
			z = []float64{at.Lambda, at.Eta}
		}
		trainer.Weights(w, b)
		trainer.After(b, Step{T: int64(step + 1), Rate: rate, GradNorm: 1})
		if err := to.Encode(map[string]any{"losses": b.Losses, "groups": b.Groups,
			"index": b.Index, "z": z, "weights": w}); err != nil {
			return err
		}
	}
	return nil
}
