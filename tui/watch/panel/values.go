package panel

import (
	"math"
	"slices"

	"drolab/dro"
	"drolab/runner"
	"drolab/runner/lists"
	"drolab/runner/measure"
	"drolab/runner/spec"
	"drolab/tui/lab"
	"drolab/tui/plot"
)

// Figure is a function that returns the present value of a measure of a run. The value does not
// apply before the first step or evaluation; callers then show a dash, never a zero.
type Figure func(*Track) measure.Number

// Over returns the mean of a figure over runs. A seed that is not evaluated yet is left out, not
// counted as 0, so the mean of a row moves when that seed catches up.
func (f Figure) Over(runs []*Track) measure.Number {
	return measure.MeanOf(lists.Map(runs, f))
}

// StepFigure returns the figure of a measure at the last logged step.
func StepFigure(name string) Figure {
	return func(t *Track) (v measure.Number) {
		if t.Last != nil {
			v, _, _ = lab.StepValue(t.Last, name)
		}
		return v
	}
}

// EvalFigure returns the figure of a measure at the last evaluation. Fit turns the name of a
// measure over classes into that of the one over groups where the run's data have groups, so one
// column serves both kinds of runs.
func EvalFigure(name string) Figure {
	return func(t *Track) measure.Number { return t.valueIn(t.Eval, name) }
}

// EvalFigureAt returns the figure of a measure at the evaluation of an epoch.
func EvalFigureAt(name string, epoch float64) Figure {
	return func(t *Track) measure.Number { return t.valueIn(t.EvalAt(epoch), name) }
}

// valueIn returns the value of a measure in one of the run's evaluations; nil has none.
func (t *Track) valueIn(e *runner.EvalEvent, name string) (v measure.Number) {
	if e != nil {
		v = e.Named(t.Meta.MeasureFor(name))
	}
	return v
}

// Places returns the values of a list measure at the last evaluation, one for each class, group,
// radius or bin. The list belongs to the event and must not be changed; it is nil where the event
// has none.
func (t *Track) Places(of measure.Measure) []measure.Number { return placesIn(t.Eval, of) }

// PlacesAt returns a list measure at an epoch; nil where the run has no evaluation there.
func (t *Track) PlacesAt(epoch float64, of measure.Measure) []measure.Number {
	return placesIn(t.EvalAt(epoch), of)
}

func placesIn(e *runner.EvalEvent, of measure.Measure) []measure.Number {
	if e == nil {
		return nil
	}
	return e.ByGroup.Named(of.Name)
}

// sampleCounts returns the numbers of samples from which the values of a list measure are computed.
func (t *Track) sampleCounts(of measure.Measure) []int {
	switch counts := t.Meta.Counts(of.Axis); {
	case of.OfValidation():
		return counts.Val
	case of.Better == dro.Neither: // a measure of where the adversary looks
		return counts.Train
	default:
		return counts.Test
	}
}

// meansAt returns the means of a list measure over runs at an epoch, place by place.
func meansAt(runs []*Track, epoch float64, of measure.Measure) []measure.Number {
	if len(runs) == 1 {
		return runs[0].PlacesAt(epoch, of)
	}
	var places [][]measure.Number // the values of the runs at each
	for _, t := range runs {
		for i, v := range t.PlacesAt(epoch, of) {
			if i == len(places) {
				places = append(places, nil)
			}
			places[i] = append(places[i], v)
		}
	}
	return lists.Map(places, measure.MeanOf)
}

// Percents reports whether a measure is written in percent.
func Percents(m measure.Measure) bool { return m.Scale == dro.Percent }

// OverRadii returns a list measure at an epoch over log10 of its radii. A chart's x is linear, so
// the logarithm is taken here and the axis labels undo it (Chart.XLog).
func (t *Track) OverRadii(epoch float64, of measure.Measure) *plot.Series {
	s := new(plot.Series)
	for i, v := range t.PlacesAt(epoch, of) {
		if i < len(t.Meta.Spec.RiskRadii) && v.Applies() {
			s.Append(math.Log10(t.Meta.Spec.RiskRadii[i]), v.Float())
		}
	}
	return s
}

// Best returns (λ*, η*) of the last evaluation, the best point for its network.
func (t *Track) Best() (lambda, eta float64, ok bool) {
	if t.Eval == nil {
		return 0, 0, false
	}
	l, h := t.Eval.Named("best_lambda"), t.Eval.Named("best_eta")
	return l.Float(), h.Float(), l.Applies() && h.Applies()
}

// Epochs turns steps into epochs. An old record may have no StepsPerEpoch; one step an epoch then
// keeps its axis finite.
func (t *Track) Epochs(step float64) float64 {
	return step / float64(max(1, t.Meta.StepsPerEpoch))
}

// hasDual reports whether the run has dual variables: whether its last step has an η or, before the
// first step, whether its method reports one.
func (t *Track) hasDual() bool {
	if t.Last != nil {
		return t.Last.Named("eta").Applies()
	}
	m, err := dro.Find(t.Meta.Spec.Algorithm())
	return err != nil || slices.ContainsFunc(m.Measures,
		func(d dro.Measure) bool { return d.Name == "eta" })
}

// Selects reports whether the run selects a step, by its setting select.
func (t *Track) Selects() bool {
	by := t.Meta.Spec.Select
	return t.Selected != nil || by != "" && by != spec.SelectLast
}
