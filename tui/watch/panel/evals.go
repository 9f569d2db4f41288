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

// Evaluations returns the run's own evaluations that are kept, in their order; without those that a
// fork has from its parent. Before the log is read, it is the last one alone.
func (t *Track) Evaluations() []*runner.EvalEvent {
	list := t.evals
	switch n := len(list); {
	case t.Eval == nil:
		return nil
	case n == 0 || t.Behind == nil && list[n-1].Step < t.Eval.Step:
		list = append(list[:n:n], t.Eval)
	case list[n-1].Step == t.Eval.Step:
		list = append(list[:n-1:n-1], t.Eval)
	}
	return t.Meta.OwnEvaluations(list)
}

// Newest returns the run's own newest evaluation; nil before the first.
func (t *Track) Newest() *runner.EvalEvent {
	if t.Eval == nil || len(t.Meta.OwnEvaluations([]*runner.EvalEvent{t.Eval})) == 0 {
		return nil
	}
	return t.Eval
}

// Parts divides the planned epochs of the run into n parts, and returns the last evaluation by the
// end of each part that has begun by the clock; nil before the first evaluation. So the evaluations
// of past parts stay as the run goes on.
func (t *Track) Parts(clock compare.Clock, n int) (list []*runner.EvalEvent) {
	all, part := t.Evaluations(), float64(t.Meta.Spec.Epochs)/float64(n)
	for i := range n {
		if float64(i)*part >= clock.Epoch() {
			break
		}
		var last *runner.EvalEvent
		for _, e := range all {
			if e.Epoch <= min(clock.Epoch(), float64(i+1)*part) {
				last = e
			}
		}
		list = append(list, last)
	}
	return list
}

// At returns the evaluations of which the run's figures are the means by a clock; nil if the run
// lacks one of them. Imported predictions have one evaluation and no epochs, so it is theirs by any
// clock.
func (t *Track) At(clock compare.Clock) []*runner.EvalEvent {
	if t.Meta.Predicted() && t.Eval != nil {
		return []*runner.EvalEvent{t.Eval}
	}
	return clock.Of(t.Meta, t.Evaluations())
}
