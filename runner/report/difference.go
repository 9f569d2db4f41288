package report

import (
	"math"

	"drolab/runner/compare"
	"drolab/runner/lists"
	"drolab/runner/measure"
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

// emptyDifference returns the difference over no seed.
func emptyDifference() Difference {
	return Difference{Seeds: []uint64{}, Values: []measure.Number{}}
}

// differenceOf tests a − b against margin. Runs of one seed are a pair, since the seed decides the
// initialisation and the batch order of both.
func differenceOf(a, b *arm, value pairValue, margin float64) Difference {
	d := emptyDifference()
	var xs, ys []float64
	for _, r := range a.runs {
		o := b.run(r.seed())
		if o == nil {
			continue
		}
		x, y := value(r, o)
		if difference := measure.Num(x - y); difference.Finite() {
			d.Seeds, d.Values = append(d.Seeds, r.seed()), append(d.Values, difference)
			xs, ys = append(xs, x-margin), append(ys, y)
		}
	}
	_, d.Mean, _, d.Half = compare.Describe(d.Values, level)
	if len(d.Values) > 1 {
		d.P = measure.NumUnlessNaN(compare.PairedT(xs, ys))
	}
	return d
}

// power is the power of the test at which Difference.Detectable is computed.
const power = .8

// significant tells whether the corrected test rejects.
func (d *Difference) significant() bool { return d.Adjusted.Float() < 1-d.confidence }

// adjust sets Adjusted and Detectable of differences whose tests form one family.
func adjust(list []*Difference, confidence float64, correction string) {
	p := lists.Map(list, func(d *Difference) float64 { return d.P.Float() })
	found, tests := map[int]float64{}, 1
	if correction == Holm {
		p, tests = compare.Holm(p), len(list)
	}
	for i, q := range p {
		d, n := list[i], len(list[i].Values)
		d.Adjusted, d.confidence = measure.NumUnlessNaN(q), confidence
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
