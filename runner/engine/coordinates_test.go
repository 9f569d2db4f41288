//go:build unix

package engine_test

import (
	"errors"
	"fmt"
	"math"
	"os"
	"strings"
	"testing"

	"drolab/dro"
	"drolab/runner/record"
)

// documented is a formula of a weight from a loss and numbers, and its text in the documentation.
type documented struct {
	text   string
	weight func(loss float64, z []float64) float64
}

// documentedForms has the formulas of docs/protocol.md, whose η̃ is unshifted.
var documentedForms = map[string]documented{
	dro.FormChi2: {"| `chi2` | max(0, 1 + *t*) | λ, η̃ |",
		func(l float64, z []float64) float64 { return max(0, 1+(l-z[1])/z[0]) }},
	dro.FormCressieRead: {
		"| `cressie-read` | max(0, 1 + (*k* − 1)*t*)^(1/(*k* − 1)) | λ, η̃, *k* |",
		func(l float64, z []float64) float64 {
			return math.Pow(max(0, 1+(z[2]-1)*(l-z[1])/z[0]), 1/(z[2]-1))
		}},
	dro.FormKL: {"| `kl` | *e*ᵗ | λ, η̃ |",
		func(l float64, z []float64) float64 { return math.Exp((l - z[1]) / z[0]) }},
	dro.FormSmoothedCVaR: {"| `smoothed-cvar` | 1/(μ + (1 − μ)*e*⁻ᵗ) | λ, η̃, μ |",
		func(l float64, z []float64) float64 {
			return 1 / (z[2] + (1-z[2])*math.Exp(-(l-z[1])/z[0]))
		}},
}

// documentedPaper has the formulas of docs/figures.md for the η of a run in paper coordinates.
var documentedPaper = map[string]documented{
	dro.FormChi2: {"max(0, ℓ − η)/λ",
		func(l float64, z []float64) float64 { return max(0, l-z[1]) / z[0] }},
	dro.FormCressieRead: {"(max(0, (*k* − 1)(ℓ − η))/λ)^(1/(*k* − 1))",
		func(l float64, z []float64) float64 {
			return math.Pow(max(0, (z[2]-1)*(l-z[1]))/z[0], 1/(z[2]-1))
		}},
}

// TestFormulasOfDocs: the formulas that TestDocumentedWeights computes are those of the pages.
func TestFormulasOfDocs(t *testing.T) {
	for page, formulas := range map[string]map[string]documented{
		"protocol.md": documentedForms, "figures.md": documentedPaper} {
		text, err := os.ReadFile("../../docs/" + page)
		if err != nil {
			t.Fatal(err)
		}
		for form, f := range formulas {
			if !strings.Contains(string(text), f.text) {
				t.Errorf("docs/%s has no %q for %s", page, f.text, form)
			}
		}
	}
}

// runInCoordinates is a run whose coordinates are known, and the form of its weights.
type runInCoordinates struct {
	form, coordinates string
	settings          map[string]any
	rest              []float64 // numbers of the form behind λ and η
}

// TestDocumentedWeights: the weights of a run follow, by the formulas of the documentation, from
// the numbers in the protocol's messages, and from λ and η in the log, in the run's coordinates.
func TestDocumentedWeights(t *testing.T) {
	for i, c := range []runInCoordinates{
		{dro.FormChi2, "paper", map[string]any{}, nil},
		{dro.FormChi2, "unshifted", map[string]any{"coordinates": "unshifted"}, nil},
		{dro.FormCressieRead, "unshifted", map[string]any{"k": 1.5}, []float64{1.5}},
		{dro.FormCressieRead, "paper", map[string]any{"k": 1.8, "coordinates": "paper"},
			[]float64{1.8}},
		{dro.FormKL, "unshifted", map[string]any{"uncertainty": "kl"}, nil},
		{dro.FormSmoothedCVaR, "unshifted",
			map[string]any{"uncertainty": "smoothed-cvar", "mu": .3}, []float64{.3}},
	} {
		if testing.Short() && i%3 > 0 {
			continue
		}
		t.Run(c.form+" "+c.coordinates, func(t *testing.T) {
			r := runsDir(t.TempDir())
			byDrolab, _ := c.train(t, r, false)
			byMessage, id := c.train(t, r, true)
			for i, b := range byDrolab {
				where := fmt.Sprintf("step %d, by the message", i+1)
				sameWeights(t, where, byMessage[i].weights, b.weights)
			}
			run, err := record.Find(string(r), id)
			if err != nil || run.Meta.Coordinates != c.coordinates {
				t.Fatalf("run.json says %q: want %q (%v)", run.Meta.Coordinates, c.coordinates, err)
			}
			c.compareLog(t, r.log(t, id), byDrolab)
		})
	}
}

// train trains the run, with the weights of drolab or of the messages, and returns them.
func (c *runInCoordinates) train(
	t *testing.T, r runsDir, onDevice bool,
) (by []weighedBatch, id string) {
	t.Helper()
	s, theirs, ours := r.serveScript(t, dro.PGD, func(s *script) {
		s.onDevice = onDevice
		settings := s.opening["settings"].(map[string]any)
		settings["lr"] = .1
		for key, value := range c.settings {
			settings[key] = value
		}
	})
	if err := errors.Join(theirs, ours); err != nil {
		t.Fatalf("the script and its run: %v", err)
	}
	run, err := record.Find(string(r), "latest")
	if err != nil {
		t.Fatal(err)
	}
	return s.weighed, run.Meta.ID
}

// compareLog computes the weights of each step from the λ and η of the step before it.
func (c *runInCoordinates) compareLog(t *testing.T, events map[string]any, by []weighedBatch) {
	t.Helper()
	weight := documentedForms[c.form].weight
	if c.coordinates == string(dro.Paper) {
		weight = documentedPaper[c.form].weight
	}
	moved := 0
	for i, b := range by[1:] { // the first step weighs by the settings lambda and eta
		before := events[fmt.Sprint("step ", i+1)].(map[string]any)
		z := append([]float64{before["lambda"].(float64), before["eta"].(float64)}, c.rest...)
		if z[0] != 1 {
			moved++
		}
		var got []float64
		for _, l := range b.losses {
			got = append(got, weight(l, z))
		}
		sameWeights(t, fmt.Sprintf("step %d, by the log", i+2), got, b.weights)
	}
	if moved < 20 {
		t.Errorf("λ has moved in %d steps: want 20", moved)
	}
}

// sameWeights fails where weights differ by more than rounding.
func sameWeights(t *testing.T, where string, got, want []float64) {
	t.Helper()
	for i, w := range want {
		if math.Abs(got[i]-w) > 1e-11*(1+w) {
			t.Fatalf("%s: sample %d weighs %v: want %v", where, i, got[i], w)
		}
	}
}
