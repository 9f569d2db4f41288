package measure

import (
	"math"

	"drolab/dro"
)

// Pass is the result of one forward pass over a split: unaugmented, in evaluation mode, sample by
// sample, in the split's order. Its slices have the same length. For predictions of another
// program, losses and confidences may be nil. It belongs to the caller that asked for it, and
// measures change nothing but its cached values.
type Pass struct {
	Losses  []float64
	Correct []bool
	// Confidences are the probabilities of the predicted classes; nil for the
	// training split.
	Confidences []float64
	// Predictions are these classes; nil if only Correct is known.
	Predictions []int
	// Probabilities of every class, [sample][class]; nil if they are not known.
	Probabilities []float32
	Labels        []int
	Groups        []int
	// Members are the groups in which each sample is measured; nil: its Groups alone.
	Members [][]int

	// Worst is the exact worst case of the losses at the run's radius. Risks are the worst-case
	// risks at the radii of risk_radii; the training split has none.
	Worst dro.Worst
	Risks []Number

	right     []float64 // see Hits; nil: not computed yet
	areas     *areas    // likewise
	predicted []int     // see predictions; nil: likewise
}

// In returns the parts on an axis that sample i of the pass is in: its class, or its groups.
func (p *Pass) In(a Axis, i int) []int {
	switch {
	case a == PerClass:
		return p.Labels[i : i+1]
	case p.Members != nil:
		return p.Members[i]
	}
	return p.Groups[i : i+1]
}

// MeansOf returns the mean and the number of the values of each of n parts on an axis, for one
// value a sample. The mean of a part without samples does not apply.
func (p *Pass) MeansOf(a Axis, n int, values []float64) (means []Number, counts []int) {
	return meansOf(n, values, func(i int) []int { return p.In(a, i) })
}

// meansOf returns the mean and the number of the values of each of n kinds; in gives the kinds of a
// value, from 0 to n − 1.
func meansOf(n int, values []float64, in func(i int) []int) (means []Number, counts []int) {
	means, counts = make([]Number, n), make([]int, n)
	if n == 0 {
		return means, counts
	}
	sums := make([]float64, n)
	for i, v := range values {
		for _, k := range in(i) {
			sums[k] += v
			counts[k]++
		}
	}
	for k, count := range counts {
		means[k] = NumIf(count > 0, sums[k]/float64(count))
	}
	return means, counts
}

// MeanOf returns the mean of the values that apply; without any, it does not apply.
func MeanOf(values []Number) Number {
	var sum, n float64
	for _, v := range values {
		if v.Applies() {
			sum, n = sum+v.value, n+1
		}
	}
	return NumIf(n > 0, sum/n)
}

// Accuracy returns the share of the samples that are classified correctly, if there are any.
func (p *Pass) Accuracy() Number { return NumIf(len(p.Correct) > 0, Mean(p.Hits())) }

// Hits returns 1 for each sample that is classified correctly and 0 for the others: their mean is
// the accuracy. It is computed once, and the caller must not change it.
func (p *Pass) Hits() []float64 {
	if p.right == nil {
		p.right = make([]float64, len(p.Correct))
		for i, c := range p.Correct {
			if c {
				p.right[i] = 1
			}
		}
	}
	return p.right
}

// calibrationBins is the number of bins of the expected calibration error, over the probabilities
// from 0 to 1; a bin includes its upper end.
const calibrationBins = 15

// calibrationError returns the expected calibration error of Guo et al. 2017, eq. 3: the sum over
// the bins of (samples in the bin / all samples) × |accuracy − mean confidence| in the bin. The
// sums need no division by the bin's size.
func (p *Pass) calibrationError() Number {
	var off [calibrationBins]float64 // right − confidence, summed
	for i, c := range p.Confidences {
		if math.IsNaN(c) {
			return Num(c)
		}
		bin := max(0, min(calibrationBins, int(math.Ceil(c*calibrationBins)))-1)
		off[bin] -= c
		if p.Correct[i] {
			off[bin]++
		}
	}
	var sum float64
	for _, d := range off {
		sum += math.Abs(d)
	}
	return NumIf(len(p.Confidences) > 0, sum/float64(len(p.Confidences)))
}

// Loss returns the mean loss, if there are losses.
func (p *Pass) Loss() Number { return p.ifLosses(Mean(p.Losses)) }

// ifLosses returns x, which follows from the losses, if there are any.
func (p *Pass) ifLosses(x float64) Number { return NumIf(len(p.Losses) > 0, x) }

// Solve finds the exact worst cases of the losses at the problem's radius and at the radii. If
// ratios is not nil, it gets the likelihood ratios at the problem's radius.
func (p *Pass) Solve(ratios []float64, by *dro.Problem, radii []float64) (err error) {
	if p.Worst, err = dro.WorstCase(by.Set, ratios, p.Losses, by.Rho); err != nil {
		return err
	}
	if !by.Set.HasRadius() {
		return nil
	}
	curve, err := dro.Curve(by.Set, p.Losses, radii)
	for _, w := range curve {
		p.Risks = append(p.Risks, Num(w.Risk))
	}
	return err
}

// Batch returns the whole training split as a method sees it, in the order of the split.
func (p *Pass) Batch() dro.Batch {
	index := make([]int, len(p.Losses))
	for i := range index {
		index[i] = i
	}
	return dro.Batch{Losses: p.Losses, Labels: p.Labels, Groups: p.Groups, Index: index,
		Correct: p.Correct}
}

// Mean returns the mean of the numbers, NaN if there are none. It adds them in their order, so that
// the result is the same to the bit each time.
func Mean(xs []float64) float64 {
	var sum float64
	for _, x := range xs {
		sum += x
	}
	return sum / float64(len(xs))
}
