package panel

import (
	"slices"

	"drolab/runner"
	"drolab/runner/compare"
	"drolab/runner/lists"
	"drolab/runner/measure"
	"drolab/tui/plot"
)

// evalData is the data that a Track keeps of evaluations besides curves.
type evalData struct {
	Films map[string]*plot.Film // by list measure; a value for each class or group
	evals []*runner.EvalEvent   // the figures to compare at an epoch, see keepEval
}

// addToFilms appends an evaluation to the films.
func (t *Track) addToFilms(e *runner.EvalEvent) {
	for name, f := range t.Films {
		if list := e.ByGroup.Named(name); len(list) > 0 {
			f.Append(float64(e.Step), lists.Map(list, measure.Number.Float))
		}
	}
}

// mostEvals is the number of latest evaluations that are kept, within a factor of two. With ten
// classes each takes about two kilobytes. They are kept because runs are compared at an epoch that
// all of them have. That may be long past for a run that has ended, and Progress keeps only the
// last evaluation.
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
	return t.Eval != nil && (t.Meta.Imported != nil || compare.EvalAt(last, epoch) != nil)
}

// EvalAt returns the evaluation at an epoch; nil without one.
func (t *Track) EvalAt(epoch float64) *runner.EvalEvent {
	if t.EndsAt(epoch) {
		return t.Eval
	}
	return compare.EvalAt(t.evals, epoch)
}
