package track

import (
	"math"
	"slices"

	"drolab/runner"
	"drolab/runner/measure"
	"drolab/tui/lab"
)

// Runs are compared at an epoch that all of them have, which may be long past for a run that has
// ended. By then Progress has forgotten the evaluation, so a track keeps the few figures that are
// compared.

// mostEvals is the number of latest evaluations that are kept, within a factor of two. Each takes
// about a kilobyte.
const mostEvals = 128

// comparedFigures returns the measures that are kept of an evaluation, on both splits.
func comparedFigures() []string {
	return []string{"worst_class_accuracy", "worst_group_accuracy", "test_accuracy", "robust_risk",
		"test_loss", "train_loss", "val_worst_class_accuracy", "val_worst_group_accuracy",
		"val_robust_risk", "val_accuracy"}
}

// keepEval keeps the figures of an evaluation that are compared. An evaluation replaces the one
// before at the same step.
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

// Evaluations returns the kept evaluations in their order, or only the last one before the log is
// read.
func (t *Track) Evaluations() []*runner.EvalEvent {
	if len(t.evals) == 0 && t.Eval != nil {
		return []*runner.EvalEvent{t.Eval}
	}
	return t.evals
}

// evalAt returns the evaluation at an epoch; nil without one.
func (t *Track) evalAt(epoch float64) *runner.EvalEvent {
	near := 1e-6 * max(1, epoch)
	if t.Eval != nil && math.Abs(t.Eval.Epoch-epoch) <= near {
		return t.Eval // with all of its figures
	}
	for _, e := range slices.Backward(t.evals) {
		switch {
		case math.Abs(e.Epoch-epoch) <= near:
			return e
		case e.Epoch < epoch: // the epochs before are smaller still
			return nil
		}
	}
	return nil
}

// OfEvalAt returns the figure of a measure at the evaluation of an epoch.
func OfEvalAt(name string, epoch float64) Figure {
	return func(t *Track) (v measure.Number) {
		if e := t.evalAt(epoch); e != nil {
			v = e.Of(t.Meta.Fit(name))
		}
		return v
	}
}

// Common returns the last epoch at which all of the runs were evaluated, and whether it is earlier
// than the last evaluation of the first run. ok is false where there is no such epoch.
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

// PlacesAsOf returns a list measure at the epoch of another run's last evaluation; nil where the
// run has no evaluation there.
func (t *Track) PlacesAsOf(o *Track, of lab.Measure) []measure.Number {
	if o.Eval == nil {
		return nil
	}
	if e := t.evalAt(o.Eval.Epoch); e != nil {
		return e.ByGroup.Of(of.Name)
	}
	return nil
}
