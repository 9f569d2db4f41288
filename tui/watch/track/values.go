package track

import (
	"math"

	"drolab/dro"
	"drolab/runner/measure"
	"drolab/tui/lab"
	"drolab/tui/plot"
)

// Figure is a measure of a run, as it is now. It does not apply before the first step or
// evaluation; callers show a dash then, never a zero.
type Figure func(*Track) measure.Number

// Over is the mean of a figure over runs.
func (f Figure) Over(runs []*Track) measure.Number {
	list := make([]measure.Number, len(runs))
	for i, t := range runs {
		list[i] = f(t)
	}
	return mean(list)
}

// OfStep is a figure of the last logged step.
func OfStep(name string) Figure {
	return func(t *Track) (v measure.Number) {
		if t.Last != nil {
			v, _, _ = lab.OfStep(t.Last, name)
		}
		return v
	}
}

// OfEval is a figure of the last evaluation. Fit turns a name of classes into that of groups
// where the run's data have groups, so one column serves both kinds of runs.
func OfEval(name string) Figure {
	return func(t *Track) (v measure.Number) {
		if t.Eval != nil {
			v = t.Eval.Of(t.Meta.Fit(name))
		}
		return v
	}
}

// Places is a list measure of the last evaluation, a value for each class, group, radius or bin.
// The list is the event's own and must not be changed; it is nil where the event has none.
func (t *Track) Places(of lab.Measure) []measure.Number {
	if t.Eval == nil {
		return nil
	}
	return t.Eval.ByGroup.Of(of.Name)
}

// Counted are the numbers of samples that a measure's values are of.
func (t *Track) Counted(of lab.Measure) []int {
	switch counts := t.Meta.Counts(of.Axis); {
	case of.OfValidation():
		return counts.Val
	case of.Better == dro.Neither: // where the adversary looks
		return counts.Train
	default:
		return counts.Test
	}
}

// Means are those of a list measure over runs, place by place.
func Means(runs []*Track, of lab.Measure) (list []measure.Number) {
	if len(runs) == 1 {
		return runs[0].Places(of)
	}
	places := 0
	for _, t := range runs {
		places = max(places, len(t.Places(of)))
	}
	for i := range places {
		var at []measure.Number
		for _, t := range runs {
			if values := t.Places(of); i < len(values) {
				at = append(at, values[i])
			}
		}
		list = append(list, mean(at))
	}
	return list
}

// Percents tells whether a measure is written in percent.
func Percents(m lab.Measure) bool { return m.Scale == dro.Percent }

// mean is that of what applies. A seed that is not evaluated yet is left out rather than taken
// for zero, so the mean of a row moves when that seed catches up.
func mean(list []measure.Number) measure.Number {
	sum, n := 0.0, 0
	for _, v := range list {
		if v.Applies() {
			sum += v.Float()
			n++
		}
	}
	return measure.NumIf(n > 0, sum/float64(max(1, n)))
}

// OverRadii is a list measure of the last evaluation over log10 of its radii. The chart's x is
// plain numbers, so the logarithm is taken here and the axis labels undo it (Chart.XLog).
func (t *Track) OverRadii(name string) *plot.Series {
	s := plot.NewSeries(name)
	if t.Eval == nil {
		return s
	}
	for i, v := range t.Eval.ByGroup.Of(name) {
		if i < len(t.Meta.Spec.RiskRadii) && v.Applies() {
			s.Append(math.Log10(t.Meta.Spec.RiskRadii[i]), v.Float())
		}
	}
	return s
}

// Best is (λ*, η*) of the last evaluation: the best for its network.
func (t *Track) Best() (lambda, eta float64, ok bool) {
	if t.Eval == nil {
		return 0, 0, false
	}
	l, h := t.Eval.Of("best_lambda"), t.Eval.Of("best_eta")
	return l.Float(), h.Float(), l.Applies() && h.Applies()
}

// Epochs turns steps into epochs. An old record may have no StepsPerEpoch; one step an epoch
// keeps its axis finite.
func (t *Track) Epochs(step float64) float64 {
	return step / float64(max(1, t.Meta.StepsPerEpoch))
}

// HasDual tells whether the run has a λ and an η. Before the first step nobody can tell, and yes
// is the better guess: the bounds of the box are drawn from the first frame.
func (t *Track) HasDual() bool {
	return t.Last == nil || t.Last.Of("eta").Applies()
}
