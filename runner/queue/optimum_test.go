package queue

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"drolab/dro"
	"drolab/dro/nn"
	"drolab/runner"
	"drolab/runner/measure"
	"drolab/runner/spec"

	"github.com/google/go-cmp/cmp"
)

// convex returns a spec of a problem whose optimum is known.
func convex(a dro.Algorithm) spec.Spec {
	s := brief(a)
	s.Optimum, s.Augment, s.Rho, s.Lambda, s.Momentum = true, false, .1, 1, 0
	s.LR, s.Epochs, s.Batch = .1, 30, 60
	return s
}

// Methods that solve the problem come down to its optimum from above. Methods that solve another
// problem end at that problem's optimum. The record has the optimum.
func TestExcessRiskComesDownToNothing(t *testing.T) {
	runs := runAll(t, 1, convex(dro.SFKAuto), convex(dro.PGD), convex(dro.PAN), convex(dro.ERM))
	var end []float64
	for _, tr := range runs {
		o := tr.meta.Optimum
		if o == nil || !(o.Gap < 1e-8) {
			t.Fatalf("%s: optimum %+v", tr.meta.ID, o)
		}
		for _, s := range tr.states {
			excess := s.Eval.Named("excess_risk").Float()
			if want := s.Eval.Named("train_robust_risk").Float() - o.Risk; excess != want {
				t.Errorf("%s: excess %v, want %v", tr.meta.ID, excess, want)
			}
			if !(excess > -1e-6) { // the network counts in float32
				t.Errorf("%s: R_ρ is %v below the least there is", tr.meta.ID, -excess)
			}
		}
		end = append(end, tr.summary.Named("excess_risk").Float())
	}
	sfk, pgd, pan, erm := end[0], end[1], end[2], end[3]
	if !(sfk < 2e-3 && pgd < 2e-3) {
		t.Errorf("sfk-auto ends %v above the optimum, PGD %v", sfk, pgd)
	}
	if !(pan > pgd && erm > 10*pan) {
		t.Errorf("PAN, with a λ of its own, ends at %v, ERM at %v, PGD at %v", pan, erm, pgd)
	}
	var again runner.Meta
	text, err := json.Marshal(runs[0].meta)
	if err == nil {
		err = json.Unmarshal(text, &again)
	}
	if err != nil {
		t.Fatalf("run.json is not read back: %v", err)
	}
	if diff := cmp.Diff(runs[0].meta.Optimum, again.Optimum); diff != "" {
		t.Errorf("the optimum in run.json differs (-want +got):\n%s", diff)
	}
}

// Runs on squared losses come down to their optimum as well.
func TestExcessRiskOfSquaredLosses(t *testing.T) {
	spec := convex(dro.PGD)
	spec.Loss = nn.Squared
	tr := runAll(t, 1, spec)[0]
	o, first := tr.meta.Optimum, evals(tr)[0].Named("excess_risk").Float()
	last := tr.summary.Named("excess_risk").Float()
	if !(last > -1e-6 && last < 1e-3) {
		t.Errorf("R_ρ ends %v above the optimum %+v, want from -1e-6 to 1e-3", last, o)
	}
	if !(first > 50*last) {
		t.Errorf("R_ρ is %v above the optimum at the start, want over 50 times its end, %v", first,
			last)
	}
	if zero := .5; !(o.Risk < zero) { // the loss of outputs that are all 0
		t.Errorf("the least risk is %v, want less than %v", o.Risk, zero)
	}
}

// A method that reads a loss as −log of a probability requires a loss of that form.
func TestFocalWantsCrossEntropy(t *testing.T) {
	spec := brief("focal")
	if err := spec.Validate(); err != nil {
		t.Fatal(err)
	}
	spec.Loss = nn.Squared
	err := spec.Validate()
	for _, want := range []string{"focal", "loss: cross-entropy"} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("Validate() of focal on squared losses = %v, want an error with %q", err, want)
		}
	}
}

// The optimal z is the problem's own: F equals R_ρ there, so z is in the run's coordinates.
func TestOptimumIsInTheRunsCoordinates(t *testing.T) {
	spec := convex(dro.SFKAuto)
	spec.Epochs = 1
	tr := runAll(t, 1, spec)[0]
	o := tr.meta.Optimum
	if shifted := o.Eta + o.Lambda; !(shifted > 0 && shifted < 1) || o.Eta > shifted-.5 {
		t.Errorf("λ %v, η %v: in paper coordinates η is lower by λ than among the losses",
			o.Lambda, o.Eta)
	}
}

func TestOptimumIsAskedFor(t *testing.T) {
	tr := runAll(t, 1, brief(dro.SFK))[0]
	if tr.meta.Optimum != nil {
		t.Errorf("the optimum is %+v, though nobody asked for it", tr.meta.Optimum)
	}
	if n := tr.summary.Named("excess_risk"); n.Applies() {
		t.Errorf("excess_risk is %v in a run without an optimum", n)
	}
	m, _ := measure.FindMeasure("excess_risk")
	if m.CanApply(tr.meta) {
		t.Error("excess_risk can apply to a run without an optimum")
	}
	for want, change := range map[string]func(*spec.Spec){
		"model: linear": func(s *spec.Spec) { s.Model = "mlp" },
		"too many":      func(s *spec.Spec) { s.Dataset, s.Samples = "shapes", 600 },
	} {
		s := convex(dro.SFKAuto)
		change(&s)
		_, err := NewQueue(t.Context(), Settings{Store: newMemoryStore(), Threads: 1}).
			Start(runner.Request{Preset: "test", Specs: []spec.Spec{s}})
		var key *spec.KeyError
		if !errors.As(err, &key) || key.Key != "optimum" {
			t.Errorf("Start() = %v, want a KeyError about optimum", err)
			continue
		}
		if !strings.Contains(err.Error(), want) {
			t.Errorf("Start() = %v, want an error with %q", err, want)
		}
	}
}
