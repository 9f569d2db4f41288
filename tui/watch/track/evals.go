package track

import (
	"slices"

	"drolab/runner"
	"drolab/runner/compare"
	"drolab/runner/measure"
	"drolab/tui/lab"
)

// Runs are compared at an epoch that all of them have, which may be long past for a run that has
// ended. By then Progress has forgotten the evaluation, so a track keeps the latest.

// mostEvals is the number of latest evaluations that are kept, within a factor of two. With ten
// classes each takes about two kilobytes.
const mostEvals = 128

// keepEval keeps an evaluation, in place of one before at the same step.
func (t *Track) keepEval(e *runner.EvalEvent) {
	kept := *e
	kept.Heaviest = nil // as long as all the rest
	if n := len(t.evals); n > 0 && t.evals[n-1].Step == e.Step {
		t.evals = t.evals[:n-1]
	} else if n >= 2*mostEvals {
		t.evals = slices.Clone(t.evals[n-mostEvals:])
	}
	t.evals = append(t.evals, &kept)
}

// Evaluations returns the kept evaluations in their order, or only the last one before the log is
// read.
func (t *Track) Evaluations() []*runner.EvalEvent {
	if len(t.evals) == 0 && t.Eval != nil {
		return []*runner.EvalEvent{t.Eval}
	}
	return t.evals
}

// EndsAt reports whether the last evaluation is that of an epoch. Imported predictions have no
// epochs, so they end at every epoch.
func (t *Track) EndsAt(epoch float64) bool {
	last := []*runner.EvalEvent{t.Eval}
	return t.Eval != nil && (t.Meta.Imported != nil || compare.At(last, epoch) != nil)
}

// EvalAt returns the evaluation at an epoch; nil without one.
func (t *Track) EvalAt(epoch float64) *runner.EvalEvent {
	if t.EndsAt(epoch) {
		return t.Eval
	}
	return compare.At(t.evals, epoch)
}

// OfEvalAt returns the figure of a measure at the evaluation of an epoch.
func OfEvalAt(name string, epoch float64) Figure {
	return func(t *Track) (v measure.Number) {
		if e := t.EvalAt(epoch); e != nil {
			v = e.Of(t.Meta.Fit(name))
		}
		return v
	}
}

// PlacesAt returns a list measure at an epoch; nil where the run has no evaluation there.
func (t *Track) PlacesAt(epoch float64, of lab.Measure) []measure.Number {
	if e := t.EvalAt(epoch); e != nil {
		return e.ByGroup.Of(of.Name)
	}
	return nil
}
