package watch

import (
	"math"

	"drolab/dro"
	"drolab/runner"
	"drolab/tui/lab"
	"drolab/tui/plot"
)

// figure is a measure of a run, as it is now.
type figure func(*track) runner.Number

// over is the mean of a figure over runs.
func (f figure) over(runs []*track) runner.Number {
	list := make([]runner.Number, len(runs))
	for i, t := range runs {
		list[i] = f(t)
	}
	return mean(list)
}

// ofStep and ofEval are figures of the last step and of the last evaluation.
func ofStep(name string) figure {
	return func(t *track) (v runner.Number) {
		if t.Last != nil {
			v, _, _ = lab.OfStep(t.Last, name)
		}
		return v
	}
}

func ofEval(name string) figure {
	return func(t *track) (v runner.Number) {
		if t.Eval != nil {
			v = t.Eval.Of(t.meta.Fit(name))
		}
		return v
	}
}

// places is a list measure of the last evaluation.
func (t *track) places(of lab.Measure) []runner.Number {
	if t.Eval == nil {
		return nil
	}
	return t.Eval.ByGroup.Of(of.Name)
}

// counted are the numbers of samples that a measure's values are of.
func (t *track) counted(of lab.Measure) []int {
	switch counts := t.meta.Counts(of.Axis); {
	case of.OfValidation():
		return counts.Val
	case of.Better == dro.Neither: // where the adversary looks
		return counts.Train
	default:
		return counts.Test
	}
}

// means are those of a list measure over runs, place by place.
func means(runs []*track, of lab.Measure) (list []runner.Number) {
	if len(runs) == 1 {
		return runs[0].places(of)
	}
	places := 0
	for _, t := range runs {
		places = max(places, len(t.places(of)))
	}
	for i := range places {
		var at []runner.Number
		for _, t := range runs {
			if values := t.places(of); i < len(values) {
				at = append(at, values[i])
			}
		}
		list = append(list, mean(at))
	}
	return list
}

// percents tells whether a measure is written in percent.
func percents(m lab.Measure) bool { return m.Scale == dro.Percent }

// mean is that of what applies.
func mean(list []runner.Number) runner.Number {
	sum, n := 0.0, 0
	for _, v := range list {
		if v.Applies() {
			sum += v.Float()
			n++
		}
	}
	return runner.NumIf(n > 0, sum/float64(max(1, n)))
}

// overRadii is a list measure of the last evaluation over the logarithm of its radii.
func (t *track) overRadii(name string) *plot.Series {
	s := plot.NewSeries(name)
	if t.Eval == nil {
		return s
	}
	for i, v := range t.Eval.ByGroup.Of(name) {
		if i < len(t.meta.Spec.RiskRadii) && v.Applies() {
			s.Append(math.Log10(t.meta.Spec.RiskRadii[i]), v.Float())
		}
	}
	return s
}

// best is (λ*, η*) of the last evaluation: the best for its network.
func (t *track) best() (lambda, eta float64, ok bool) {
	if t.Eval == nil {
		return 0, 0, false
	}
	l, h := t.Eval.Of("best_lambda"), t.Eval.Of("best_eta")
	return l.Float(), h.Float(), l.Applies() && h.Applies()
}

// epochs turns steps into epochs.
func (t *track) epochs(step float64) float64 {
	return step / float64(max(1, t.meta.StepsPerEpoch))
}

// hasDual tells whether the run has a λ and an η.
func (t *track) hasDual() bool {
	return t.Last == nil || t.Last.Of("eta").Applies()
}
