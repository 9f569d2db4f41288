package queue

import (
	"errors"
	"math/rand/v2"
	"strings"
	"testing"

	"drolab/dro"
	"drolab/dro/testsize"
	"drolab/runner"
	"drolab/runner/spec"

	"github.com/google/go-cmp/cmp"
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
	s := whole.summary
	if s.Status != runner.Done {
		t.Fatalf("the run is %s, want %s: %s", s.Status, runner.Done, s.Cause)
	}
	if at >= whole.meta.Steps {
		t.Errorf("the run ends after %d steps, want fewer than the planned %d", at,
			whole.meta.Steps)
	}
	if last.Step != at {
		t.Errorf("the last evaluation is at step %d, want %d, the last step", last.Step, at)
	}
	if got, want := last.Step-s.Selected.Step, 2*whole.meta.StepsPerEpoch; got != want {
		t.Errorf("the run ends %d steps after the selected one, want %d, the patience", got, want)
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
	if said != 1 {
		t.Errorf("the log says %d times that patience ended the run, want once", said)
	}
	if logged != at {
		t.Errorf("the last logged step is %d, want %d", logged, at)
	}
	if got := whole.states[len(whole.states)-1].Step; got != at {
		t.Errorf("the last checkpoint is of step %d, want %d", got, at)
	}
	if !last.Named("full_grad_norm").Applies() {
		t.Error("the last evaluation has no full_grad_norm")
	}
	patient := adapted()
	patient.Patience = 0
	tr := runAll(t, 1, patient)[0]
	diff := cmp.Diff(tr.lines(t, measured)[:5], whole.lines(t, measured)[:5])
	if diff != "" {
		t.Errorf("events before the end differ (-without patience +with it):\n%s", diff)
	}
	if got, want := tr.summary.Steps, tr.meta.Steps; got != want {
		t.Errorf("without patience the run takes %d steps, want %d", got, want)
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
		if got.Step != want.Step {
			t.Errorf("the last checkpoint is of step %d, want %d", got.Step, want.Step)
		}
		if got.Waited != want.Waited {
			t.Errorf("patience has waited for %d evaluations, want %d", got.Waited, want.Waited)
		}
		if !sameTensors(got.Velocities, want.Velocities) {
			t.Error("the moments of AdamW are not those of the unstopped run")
		}
	}
}

// Settings that cannot be combined are refused in one line that names the setting.
func TestWhatAnOptimizerDoesNotFit(t *testing.T) {
	for want, change := range map[string]func(*spec.Spec){
		"optimizer: adamw: expected sgd: nsgdm moves": func(s *spec.Spec) {
			s.Algorithms = []dro.Algorithm{"nsgdm"}
		},
		"patience: 2: expected 0: jtt trains twice": func(s *spec.Spec) {
			s.Algorithms = []dro.Algorithm{"jtt"}
		},
		"patience: 2: expected 0, or select":     func(s *spec.Spec) { s.Select = spec.SelectLast },
		"patience: 2: expected 0, or eval_every": func(s *spec.Spec) { s.EvalEvery = 0 },
		"warmup: 12: expected a whole number ≥ 0, below epochs = 12": func(s *spec.Spec) {
			s.Warmup = 12
		},
		"dropout: 1: expected a number in [0, 1)":   func(s *spec.Spec) { s.Dropout = 1 },
		"hidden: []: expected a list of 1 to 16":    func(s *spec.Spec) { s.Hidden = nil },
		"activation: swish: expected one of relu":   func(s *spec.Spec) { s.Activation = "swish" },
		"schedule: poly: expected one of step":      func(s *spec.Spec) { s.Schedule = "poly" },
		"beta2: 1: expected a number in [0, 1)":     func(s *spec.Spec) { s.Beta2 = 1 },
		"adam_eps: 0: expected a number ≥ 1.2e-38 ": func(s *spec.Spec) { s.AdamEps = 0 },
	} {
		s := adapted()
		change(&s)
		var key *spec.KeyError
		err := s.Validate()
		if !errors.As(err, &key) {
			t.Errorf("Validate() = %v, want a KeyError %q", err, want)
			continue
		}
		if !strings.HasPrefix(err.Error(), want) {
			t.Errorf("Validate() = %v, want an error that begins with %q", err, want)
		}
		if strings.Contains(err.Error(), "\n") {
			t.Errorf("Validate() = %q, want one line", err)
		}
	}
}
