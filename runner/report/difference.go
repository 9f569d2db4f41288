package report

import (
	"math"
	"slices"

	"drolab/runner/compare"
	"drolab/runner/measure"
	"drolab/runner/study"
)

// Difference is the difference of a measure between two arms, over the seeds that both have.
type Difference struct {
	Seeds  []uint64         `json:"seeds"`
	Values []measure.Number `json:"values"` // one for each seed
	Mean   measure.Number   `json:"mean"`
	Half   measure.Number   `json:"half"` // half width of the mean's t interval at Report.Level
	// P is the two-sided p of Student's paired t test against 0 or the claim's margin. It does not
	// apply where the test cannot be made. Adjusted is P after Holm's correction.
	P        measure.Number `json:"p"`
	Adjusted measure.Number `json:"adjusted_p"`
	// Detectable is the least distance of the true mean from the margin that the test finds with
	// 80 % power. It holds at the first step of the correction, if the differences have the
	// standard deviation of these seeds.
	Detectable measure.Number `json:"detectable"`

	confidence float64 // of the test, 1 less its level
}

// noDifference returns the difference over no seed.
func noDifference() Difference {
	return Difference{Seeds: []uint64{}, Values: []measure.Number{}}
}

// of returns the values of a measure in two runs that are compared; ok is false where the measure
// does not apply to both.
type of func(a, b *ran) (x, y float64, ok bool)

// each compares a value that is computed from one run alone.
func each(value func(*ran) measure.Number) of {
	return func(a, b *ran) (x, y float64, ok bool) {
		v, w := value(a), value(b)
		return v.Float(), w.Float(), v.Applies() && w.Applies()
	}
}

// last compares a measure at the last iterate.
func last(name string) of {
	return each(func(r *ran) measure.Number { return r.Summary().Of(name) })
}

// window compares a measure's mean over the last evaluations. It does not apply to a run with
// fewer.
func window(measure string, size int) of {
	mean := func(r *ran) (sum float64) {
		if len(r.evals) < size {
			return math.NaN()
		}
		for _, e := range r.evals[len(r.evals)-size:] {
			sum += e.Of(measure).Float() / float64(size)
		}
		return sum
	}
	return func(a, b *ran) (x, y float64, ok bool) {
		x, y = mean(a), mean(b)
		return x, y, !math.IsNaN(x - y)
	}
}

// valueOf returns what a claim compares. The robust risk is that of the radius, whatever radius a
// run trained by; 0 stands for the run's own.
func valueOf(say *study.Claim, measured string, radius float64) of {
	switch {
	case say.Measure == study.StepTime:
		return stepTime
	case say.Along:
		return func(a, b *ran) (x, y float64, ok bool) { return along(measured, a, b) }
	case say.Classes[0] != nil:
		return func(a, b *ran) (x, y float64, ok bool) {
			v, w := pooled(a, measured, say.Classes[0]), pooled(b, measured, say.Classes[1])
			return v.Float(), w.Float(), v.Applies() && w.Applies()
		}
	case say.Measure == robustRisk && radius > 0:
		return each(func(r *ran) measure.Number { return riskAt(r, radius) })
	}
	return last(measured)
}

const robustRisk = "robust_risk"

// riskAt returns the robust risk of the test split at a radius.
func riskAt(r *ran, radius float64) (n measure.Number) {
	list := r.Summary().ByGroup.Of("robust_risk_at")
	if i := slices.Index(r.Meta.Spec.RiskRadii, radius); i >= 0 && i < len(list) {
		return list[i]
	}
	return n
}

// pooled returns the mean of a measure over classes.
func pooled(r *ran, name string, classes []int) measure.Number {
	values, sum := r.Summary().ByGroup.Of(name), 0.0
	for _, i := range classes {
		if i >= len(values) || !values[i].Applies() {
			return measure.Number{}
		}
		sum += values[i].Float() / float64(len(classes))
	}
	return measure.Num(sum)
}

// part compares the value of the i-th class or group.
func part(name string, i int) of {
	return each(func(r *ran) (n measure.Number) {
		if v := r.Summary().ByGroup.Of(name); i < len(v) {
			n = v[i]
		}
		return n
	})
}

// differ tests a − b against margin. Runs of one seed are a pair, since the seed decides the
// initialisation and the batch order of both.
func differ(a, b *arm, value of, margin float64) Difference {
	d := noDifference()
	var xs, ys, values []float64
	for _, r := range a.runs {
		at := slices.IndexFunc(b.runs, func(o *ran) bool { return o.seed() == r.seed() })
		if at < 0 {
			continue
		}
		if x, y, ok := value(r, b.runs[at]); ok && finite(x-y) {
			d.Seeds, d.Values = append(d.Seeds, r.seed()), append(d.Values, measure.Num(x-y))
			xs, ys, values = append(xs, x-margin), append(ys, y), append(values, x-y)
		}
	}
	n := len(values)
	mean, half := compare.TInterval(values, level)
	d.Mean, d.Half = measure.NumIf(n > 0, mean), measure.NumIf(n > 1, half)
	p := math.NaN()
	if n > 1 {
		p = compare.PairedT(xs, ys)
	}
	d.P = measure.NumIf(!math.IsNaN(p), p)
	return d
}

func finite(x float64) bool { return !math.IsNaN(x) && !math.IsInf(x, 0) }

func floats(list []measure.Number) (values []float64) {
	for _, v := range list {
		values = append(values, v.Float())
	}
	return values
}

// power is the power of the test at which Difference.Detectable is computed.
const power = .8

// adjust sets Adjusted and Detectable of differences whose tests form one family.
func adjust(list []*Difference, confidence float64, correction string) {
	p, found, tests := make([]float64, len(list)), map[int]float64{}, 1
	for i, d := range list {
		p[i] = d.P.Float()
	}
	if correction == study.Holm {
		p, tests = compare.Holm(p), len(list)
	}
	for i, q := range p {
		d, n := list[i], len(list[i].Values)
		d.Adjusted, d.confidence = measure.NumIf(!math.IsNaN(q), q), confidence
		if !d.P.Applies() {
			continue
		}
		if _, known := found[n]; !known {
			found[n] = compare.Detectable(n, (1-confidence)/float64(tests), power)
		}
		deviation := d.Half.Float() / compare.HalfWidth(n, level) * math.Sqrt(float64(n))
		d.Detectable = measure.Num(found[n] * deviation)
	}
}

// significant tells whether the corrected test rejects.
func (d *Difference) significant() bool { return d.Adjusted.Float() < 1-d.confidence }
