package panel

import (
	"math"
	"slices"

	"drolab/dro"
	"drolab/runner"
	"drolab/runner/compare"
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

// EvalFigure returns the figure of a measure at the run's newest evaluation. MeasureFor turns the
// name of a measure over classes into that of the one over groups where the run's data have groups,
// so one column serves both kinds of runs.
func EvalFigure(name string) Figure {
	return func(t *Track) measure.Number { return t.valueIn(t.Newest(), name) }
}

// ClockFigure returns the figure of a measure by a clock: its mean over the evaluations of which
// all runs are told. It does not apply to a run that lacks one of them.
func ClockFigure(name string, clock compare.Clock) Figure {
	return func(t *Track) measure.Number {
		return measure.MeanOf(lists.Map(t.At(clock), func(e *runner.EvalEvent) measure.Number {
			return t.valueIn(e, name)
		}))
	}
}

// valueIn returns the value of a measure in one of the run's evaluations; nil has none.
func (t *Track) valueIn(e *runner.EvalEvent, name string) (v measure.Number) {
	if e != nil {
		v = e.Named(t.Meta.MeasureFor(name))
	}
	return v
}

// Places returns the values of a list measure by a clock, one for each class, group, radius or bin:
// the means of ClockFigure, place by place. It is nil where the run has none.
func (t *Track) Places(clock compare.Clock, of measure.Measure) []measure.Number {
	return t.placesNamed(clock, of.Name)
}

func (t *Track) placesNamed(clock compare.Clock, name string) []measure.Number {
	return meansOf(lists.Map(t.At(clock), func(e *runner.EvalEvent) []measure.Number {
		return e.ByGroup.Named(name)
	}))
}

// meansOf returns the means of lists, place by place.
func meansOf(all [][]measure.Number) []measure.Number {
	if len(all) == 1 {
		return all[0]
	}
	var places [][]measure.Number // the values of the lists at each
	for _, list := range all {
		for i, v := range list {
			if i == len(places) {
				places = append(places, nil)
			}
			places[i] = append(places[i], v)
		}
	}
	return lists.Map(places, measure.MeanOf)
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

// meansAt returns the means of a list measure over the runs of a row, place by place.
func (r *Runs) meansAt(row []int, of measure.Measure) []measure.Number {
	return r.meansOfRuns(r.InRow(row), of)
}

func (r *Runs) meansOfRuns(row []*Track, of measure.Measure) []measure.Number {
	clock := r.PanelClock()
	return meansOf(lists.Map(r.Counted(row), func(t *Track) []measure.Number {
		return t.Places(clock, of)
	}))
}

// Percents reports whether a measure is written in percent.
func Percents(m measure.Measure) bool { return m.Scale == dro.Percent }

// OverRadii returns a list measure by a clock over log10 of its radii. A chart's x is linear, so
// the logarithm is taken here and the axis labels undo it (Chart.XLog).
func (t *Track) OverRadii(clock compare.Clock, of measure.Measure) *plot.Series {
	s := new(plot.Series)
	for i, v := range t.Places(clock, of) {
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
