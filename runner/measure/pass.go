package measure

import (
	"math"
	"slices"

	"drolab/dro"
	"drolab/runner/spec"
)

// Pass is the result of one forward pass over a split: unaugmented, in evaluation
// mode, sample by sample, in the split's order. All its slices are of one length; of
// predictions that another program made, losses and confidences may be nil. It
// belongs to who asked for it, and no measure changes it but for what it caches.
type Pass struct {
	Losses  []float64
	Correct []bool
	// Confidences are the probabilities of the predicted classes; nil for the
	// training split.
	Confidences []float64
	// Predictions are these classes; nil where it is only known which are right.
	Predictions []int
	// Probabilities are those of every class, [sample][class]; nil where they are not known.
	Probabilities []float32
	Labels        []int
	Groups        []int

	// Worst is the exact worst case of the losses at the run's radius, Risks those
	// at the radii of risk_radii; of the training split there are no Risks.
	Worst dro.Worst
	Risks []Number

	right []float64 // see Hits; nil: not computed yet
	areas *areas    // likewise
	taken []int     // see predictions; nil: likewise
}

// Evaluation has all that measures are computed from, at one moment of a run. The run fills
// it in before any measure is computed, and measures only read it, so that their order
// does not matter.
type Evaluation struct {
	Spec     *spec.Spec
	Problem  *dro.Problem
	Classes  int   // how many
	Groups   int   // likewise; 0 where none are given
	Train    *Pass // the whole training split; empty where nothing is known of it
	Test     *Pass
	Val      *Pass     // nil without a hold-out
	Z        *dro.Z    // nil: the method has no dual variables
	Ratios   []float64 // of the training split's worst case
	GradNorm Number    // ‖∇_x F‖ over the training split, where it was asked for
	Output   *Output   // nil: likewise, or the method has no output rule
	Optimum  *Optimum  // nil: not known
	// Penalised is the exact worst case at the method's fixed λ; nil where λ moves.
	Penalised *dro.Worst

	// Threshold is that of the setting where an evaluation has chosen it before; else it does not
	// apply.
	Threshold Number

	// Unnamed is how many groups the data have where the run's files have them as
	// classes, as programs before wrote them (see Meta.UnmarshalJSON); else 0.
	Unnamed int
}

// parts returns how many parts an axis has, and which of them a sample of the
// pass belongs to.
func (e *Evaluation) parts(a Axis, p *Pass) (n int, of []int) {
	switch {
	case a == PerGroup:
		return e.Groups, p.Groups
	case e.Unnamed > 0:
		return e.Unnamed, p.Groups
	}
	return e.Classes, p.Labels
}

// By returns the mean of a value per class or group of a split; one without
// samples has none.
func (e *Evaluation) By(a Axis, p *Pass, values []float64) []Number {
	n, of := e.parts(a, p)
	means, _ := MeansOf(n, values, func(i int) int { return of[i] })
	return means
}

// LeastAccuracy returns the least accuracy of the classes or groups that have min_group
// samples in the split: of fewer it would be chance.
func (e *Evaluation) LeastAccuracy(a Axis, p *Pass) Number {
	n, of := e.parts(a, p)
	means, counts := MeansOf(n, p.Hits(), func(i int) int { return of[i] })
	return LeastOf(means, counts, e.Spec.MinGroup)
}

// LeastOf is the lowest value of the classes or groups with at least so many samples. It
// does not apply where that leaves fewer than two: one alone is not the worst of any.
func LeastOf(values []Number, counts []int, least int) Number {
	none := func(n Number) bool { return !n.Applies() }
	kept := slices.DeleteFunc(Enough(values, counts, least), none)
	if len(kept) < 2 {
		return Number{}
	}
	return Least(kept)
}

// Enough returns the values whose counts are least or more; the others do not
// apply, being of too few samples to be called the worst. An unknown count is
// enough.
func Enough(values []Number, counts []int, least int) []Number {
	kept := make([]Number, len(values))
	for i, v := range values {
		if i >= len(counts) || counts[i] >= least {
			kept[i] = v
		}
	}
	return kept
}

// balanced returns the mean of the accuracies per class, of those that have samples.
func (e *Evaluation) balanced(p *Pass) Number {
	classes, _ := MeansOf(e.Classes, p.Hits(), func(i int) int { return p.Labels[i] })
	return mid(classes)
}

// recall returns, per group, the mean of the accuracies of its classes.
func (e *Evaluation) recall(p *Pass) []Number {
	cells, _ := MeansOf(e.Groups*e.Classes, p.Hits(),
		func(i int) int { return p.Groups[i]*e.Classes + p.Labels[i] })
	list := make([]Number, e.Groups)
	for g := range list {
		list[g] = mid(cells[g*e.Classes:][:e.Classes])
	}
	return list
}

// MeansOf returns the mean of the values of each of n kinds, and how many those
// are; of tells the kind of a value, from 0 to n − 1. The mean of a kind without values
// does not apply.
func MeansOf(n int, values []float64, of func(i int) int) (means []Number, counts []int) {
	means, counts = make([]Number, n), make([]int, n)
	if n == 0 {
		return means, counts
	}
	sums := make([]float64, n)
	for i, v := range values {
		k := of(i)
		sums[k] += v
		counts[k]++
	}
	for k, count := range counts {
		means[k] = NumIf(count > 0, sums[k]/float64(count))
	}
	return means, counts
}

// mid returns the mean of the values that apply; without any it does not apply.
func mid(values []Number) Number {
	var sum, n float64
	for _, v := range values {
		if v.Applies() {
			sum, n = sum+v.value, n+1
		}
	}
	return NumIf(n > 0, sum/n)
}

// Hits returns 1 for each sample that is classified rightly, 0 for the others: their mean
// is the accuracy. It is computed once, and must not be changed by the caller.
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

// calibrationBins is how many bins the expected calibration error has, over the
// probabilities from 0 to 1; a bin has its upper end.
const calibrationBins = 15

// calibrationError is the expected calibration error of Guo et al. 2017, eq. 3. It
// returns Σ over the bins of (samples in it / all samples) ×
// |accuracy − mean confidence| in it. The sums need no division by the bin's size.
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
	return NumIf(p.Confidences != nil, sum/float64(len(p.Confidences)))
}

// loss is the mean loss, where losses are known.
func (p *Pass) loss() Number { return p.solved(Mean(p.Losses)) }

// solved is what follows from the losses, where these are known.
func (p *Pass) solved(x float64) Number { return NumIf(p.Losses != nil, x) }

// Solve finds the exact worst cases of the losses: at the problem's radius, of which
// it writes the likelihood ratios where these are not nil, and at the radii.
func (p *Pass) Solve(ratios []float64, by *dro.Problem, radii []float64) (err error) {
	if p.Worst, err = by.Set.WorstCase(ratios, p.Losses, by.Rho); err != nil {
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

// objective returns F at the method's z on the training split, in nats; it does not
// apply where there is none. It is of the constrained problem for every method, also
// for one that keeps λ.
func (e *Evaluation) objective() Number {
	if !e.solvable() {
		return Number{}
	}
	return Num(e.Problem.At(nil, e.Train.Losses, *e.Z).Value)
}

// solvable tells whether there is a method's z, and training losses to hold it against.
func (e *Evaluation) solvable() bool { return e.Z != nil && e.Train.Losses != nil }

// best is the (λ, η) that F is least at on the training split, as the run has its own.
func (e *Evaluation) best() dro.Z { return e.Problem.Shift(e.Train.Worst.Z) }

// penalisedGap is F less its least value at this λ, which is
// sup { E_Q ℓ − λ D(Q‖P) } + λρ.
func (e *Evaluation) penalisedGap() Number {
	w := e.Penalised
	if w == nil {
		return Number{}
	}
	return Num(e.objective().value - w.Risk - e.Z.Lambda*(e.Problem.Rho-w.Divergence))
}

// aboveBound counts the training losses above B = eta_max, which math.md §4 assumes that
// there are none of when it derives the box.
func (e *Evaluation) aboveBound() (n int) {
	for _, l := range e.Train.Losses {
		if l > e.Spec.EtaMax {
			n++
		}
	}
	return n
}

// Output is the full-data certificate of the method's own output, the paper's
// (x_{t'+1}, z_{t'}): both parts of its stationarity test on the training split.
type Output struct {
	DualGap  float64 // F(x; z) − R_ρ(x)
	GradNorm float64 // ‖∇_x F(x; z)‖
}

// Optimum is the least worst-case risk that the run's network could have on the
// training split at the run's set and radius, known to within Gap: see
// dro.Regression.
type Optimum struct {
	Risk   float64 `json:"risk"`
	Gap    float64 `json:"gap"`
	Lambda float64 `json:"lambda"` // optimal there, in the problem's coordinates
	Eta    float64 `json:"eta"`
}

// excessRisk is R_ρ less the least there is. It may be below 0 by the optimum's Gap.
func (e *Evaluation) excessRisk() Number {
	if e.Optimum == nil {
		return Number{}
	}
	return Num(e.Train.Worst.Risk - e.Optimum.Risk)
}

// Batch is the whole training split as a method sees it, in its order.
func (p *Pass) Batch() dro.Batch {
	index := make([]int, len(p.Losses))
	for i := range index {
		index[i] = i
	}
	return dro.Batch{Losses: p.Losses, Labels: p.Labels, Groups: p.Groups, Index: index,
		Correct: p.Correct}
}

// Mean returns the mean of numbers, added in their order, so to the same bits each time;
// NaN of none.
func Mean(xs []float64) float64 {
	var sum float64
	for _, x := range xs {
		sum += x
	}
	return sum / float64(len(xs))
}
