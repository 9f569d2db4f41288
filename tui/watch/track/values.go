package track

import (
	"math"

	"drolab/dro"
	"drolab/runner/measure"
	"drolab/tui/lab"
	"drolab/tui/plot"
)

// Figure is a measure of a run, as it is now.
type Figure func(*Track) measure.Number

// Over is the mean of a figure over runs.
func (f Figure) Over(runs []*Track) measure.Number {
	list := make([]measure.Number, len(runs))
	for i, t := range runs {
		list[i] = f(t)
	}
	return mean(list)
}

// OfStep and ofEval are figures of the last step and of the last evaluation.
func OfStep(name string) Figure {
	return func(t *Track) (v measure.Number) {
		if t.Last != nil {
			v, _, _ = lab.OfStep(t.Last, name)
		}
		return v
	}
}

func OfEval(name string) Figure {
	return func(t *Track) (v measure.Number) {
		if t.Eval != nil {
			v = t.Eval.Of(t.Meta.Fit(name))
		}
		return v
	}
}

// Places is a list measure of the last evaluation.
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

// mean is that of what applies.
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

// OverRadii is a list measure of the last evaluation over the logarithm of its radii.
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

// Epochs turns steps into epochs.
func (t *Track) Epochs(step float64) float64 {
	return step / float64(max(1, t.Meta.StepsPerEpoch))
}

// HasDual tells whether the run has a λ and an η.
func (t *Track) HasDual() bool {
	return t.Last == nil || t.Last.Of("eta").Applies()
}
