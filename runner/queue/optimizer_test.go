package queue

import (
	"errors"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"drolab/dro"
	"drolab/dro/testsize"
	"drolab/runner"
	"drolab/runner/spec"
)

// adapted returns a brief spec with everything that a step of AdamW depends on. The run loses its
// patience.
func adapted() spec.Spec {
	s := choosing(dro.SFKAuto, "val_loss")
	s.Model, s.Hidden, s.Activation, s.Dropout = "mlp", []int{24, 16}, "gelu", .2
	s.Optimizer, s.LR, s.WeightDecay, s.Clip = "adamw", .05, .01, dro.Fixed(1)
	s.Schedule, s.Warmup, s.Patience, s.Epochs, s.CheckpointEvery = "cosine", 1, 2, 12, 4
	return s
}

// A run that loses its patience is done and says so once. Its last step has everything that the
// planned last step would have: a logged step, the full gradient, a checkpoint.
func TestPatienceEndsARun(t *testing.T) {
	whole := runAll(t, 1, adapted())[0]
	list, at := evals(whole), whole.summary.Steps
	last := list[len(list)-1]
	if s := whole.summary; s.Status != runner.Done || at >= whole.meta.Steps || last.Step != at ||
		last.Step-s.Selected.Step != 2*whole.meta.StepsPerEpoch {
		t.Fatalf("%s after %d of %d steps, the best at %d", s.Status, at, whole.meta.Steps,
			s.Selected.Step)
	}
	said, logged := 0, int64(0)
	for _, e := range whole.events {
		switch e := e.(type) {
		case *runner.WarningEvent:
			if strings.HasPrefix(e.Message, "patience is 2: no better val_loss since epoch") {
				said++
			}
		case *runner.StepEvent:
			logged = e.Step
		}
	}
	if said != 1 || logged != at || whole.states[len(whole.states)-1].Step != at ||
		!last.Named("full_grad_norm").Applies() {
		t.Errorf("told %d times; the last step %d is logged as %d", said, at, logged)
	}
	patient := adapted()
	patient.Patience = 0
	if tr := runAll(t, 1, patient)[0]; !slices.Equal(tr.lines(t, measured)[:5],
		whole.lines(t, measured)[:5]) || tr.summary.Steps != tr.meta.Steps {
		t.Error("patience changes what comes before the end")
	}
}

// A run that is stopped, loses its newest checkpoint and is resumed equals the unstopped run in its
// weights, moments, dropout draws and count of patience. So does a run on three threads.
func TestAdaptedRunGoesOnExactly(t *testing.T) {
	whole := runAll(t, 1, adapted())[0]
	most, stops := whole.summary.Steps, []int64{17, 31}
	if testsize.Long() {
		stops = nil
		for range 20 {
			stops = append(stops, 9+rand.Int64N(most-9))
		}
	}
	others := runAll(t, 3, adapted())
	for _, at := range stops {
		others = append(others, stoppedAndResumed(t, adapted(), min(at, most-1), 1))
	}
	for _, tr := range others {
		expectSameRun(t, tr, whole)
		got, want := tr.states[len(tr.states)-1], whole.states[len(whole.states)-1]
		if got.Step != want.Step || got.Waited != want.Waited ||
			!sameTensors(got.Velocities, want.Velocities) {
			t.Errorf("step %d and not %d, waited %d and not %d, or other moments", got.Step,
				want.Step, got.Waited, want.Waited)
		}
	}
}

// Settings that cannot be combined are refused in one line that names the setting.
func TestWhatAnOptimizerDoesNotFit(t *testing.T) {
	for want, change := range map[string]func(*spec.Spec){
		"optimizer: adamw: want sgd: nsgdm moves": func(s *spec.Spec) {
			s.Algorithms = []dro.Algorithm{"nsgdm"}
		},
		"patience: 2: want 0: jtt trains twice": func(s *spec.Spec) {
			s.Algorithms = []dro.Algorithm{"jtt"}
		},
		"patience: 2: want 0, or select":     func(s *spec.Spec) { s.Select = spec.SelectLast },
		"patience: 2: want 0, or eval_every": func(s *spec.Spec) { s.EvalEvery = 0 },
		"warmup: 12: want a whole number ≥ 0, below epochs = 12": func(s *spec.Spec) {
			s.Warmup = 12
		},
		"dropout: 1: want a number in [0, 1)":   func(s *spec.Spec) { s.Dropout = 1 },
		"hidden: []: want a list of 1 to 16":    func(s *spec.Spec) { s.Hidden = nil },
		"activation: swish: want one of relu":   func(s *spec.Spec) { s.Activation = "swish" },
		"schedule: poly: want one of step":      func(s *spec.Spec) { s.Schedule = "poly" },
		"beta2: 1: want a number in [0, 1)":     func(s *spec.Spec) { s.Beta2 = 1 },
		"adam_eps: 0: want a number ≥ 1.2e-38 ": func(s *spec.Spec) { s.AdamEps = 0 },
	} {
		s := adapted()
		change(&s)
		var key *spec.KeyError
		if err := s.Validate(); !errors.As(err, &key) || !strings.HasPrefix(err.Error(), want) ||
			strings.Contains(err.Error(), "\n") {
			t.Errorf("%v, want %s", err, want)
		}
	}
}
