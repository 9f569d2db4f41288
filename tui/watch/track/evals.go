package track

import (
	"math"
	"slices"

	"drolab/runner"
	"drolab/runner/measure"
	"drolab/tui/lab"
)

// Runs are compared at an epoch that all of them have, which for one that has ended is long past.
// Progress forgets its evaluations then, so a track keeps the few figures that are compared.

// mostEvals is how many evaluations are kept, the last ones: about a kilobyte each.
const mostEvals = 128

// comparedFigures are what is kept of an evaluation, on both splits.
func comparedFigures() []string {
	return []string{"worst_class_accuracy", "worst_group_accuracy", "test_accuracy", "robust_risk",
		"test_loss", "train_loss", "val_worst_class_accuracy", "val_worst_group_accuracy",
		"val_robust_risk", "val_accuracy"}
}

// keepEval keeps what is compared of an evaluation; one at the same step replaces that before.
func (t *Track) keepEval(e *runner.EvalEvent) {
	kept := &runner.EvalEvent{Head: runner.Head{Step: e.Step}, Epoch: e.Epoch}
	for _, name := range comparedFigures() {
		if v := e.Of(name); v.Applies() {
			kept.Set(name, v)
		}
	}
	for _, name := range []string{"class_accuracy", "group_accuracy"} {
		if list := e.ByGroup.Of(name); list != nil {
			kept.ByGroup.Set(name, list)
		}
	}
	if n := len(t.evals); n > 0 && t.evals[n-1].Step == e.Step {
		t.evals = t.evals[:n-1]
	} else if n >= 2*mostEvals {
		t.evals = slices.Clone(t.evals[n-mostEvals:])
	}
	t.evals = append(t.evals, kept)
}

// Evaluations are those that are kept, in their order, or the last alone before the log is read.
func (t *Track) Evaluations() []*runner.EvalEvent {
	if len(t.evals) == 0 && t.Eval != nil {
		return []*runner.EvalEvent{t.Eval}
	}
	return t.evals
}

// evalAt is the evaluation at an epoch; nil without one.
func (t *Track) evalAt(epoch float64) *runner.EvalEvent {
	near := 1e-6 * max(1, epoch)
	if t.Eval != nil && math.Abs(t.Eval.Epoch-epoch) <= near {
		return t.Eval // whole
	}
	for _, e := range slices.Backward(t.evals) {
		switch {
		case math.Abs(e.Epoch-epoch) <= near:
			return e
		case e.Epoch < epoch: // those before are smaller still
			return nil
		}
	}
	return nil
}

// OfEvalAt is a figure of the evaluation at an epoch.
func OfEvalAt(name string, epoch float64) Figure {
	return func(t *Track) (v measure.Number) {
		if e := t.evalAt(epoch); e != nil {
			v = e.Of(t.Meta.Fit(name))
		}
		return v
	}
}

// Common is the last epoch that all of the runs have been evaluated at, and whether it is behind
// the last evaluation of the first; ok is false where there is none.
func Common(runs []*Track) (epoch float64, behind, ok bool) {
	if len(runs) == 0 {
		return 0, false, false
	}
	list := runs[0].Evaluations()
	for i, e := range slices.Backward(list) {
		lacks := func(t *Track) bool { return t.evalAt(e.Epoch) == nil }
		if !slices.ContainsFunc(runs[1:], lacks) {
			return e.Epoch, i < len(list)-1, true
		}
	}
	return 0, false, false
}

// PlacesAsOf is a list measure at the epoch of another run's last evaluation; nil where the run has
// none there.
func (t *Track) PlacesAsOf(o *Track, of lab.Measure) []measure.Number {
	if o.Eval == nil {
		return nil
	}
	if e := t.evalAt(o.Eval.Epoch); e != nil {
		return e.ByGroup.Of(of.Name)
	}
	return nil
}
