package measure

import (
	"fmt"
	"math"
	"slices"

	"drolab/dro"
	"drolab/runner/spec"
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

// Evaluation is the input of all measures, at one moment of a run. The run fills it in before any
// measure is computed, and measures only read it, so that their order does not matter.
type Evaluation struct {
	Spec     *spec.Spec
	Problem  *dro.Problem
	Classes  int   // the number of classes
	Groups   int   // the number of groups to measure; 0 if none are given
	Shares   []int // the training samples of each; nil: not known
	Train    *Pass // the whole training split; empty if nothing is known of it
	Test     *Pass
	Val      *Pass     // nil without a hold-out
	Z        *dro.Z    // nil: the method has no dual variables
	Ratios   []float64 // of the training split's worst case
	GradNorm Number    // ‖∇_x F‖ over the training split, if it was requested
	Output   *Output   // nil: not requested, or the method has no output rule
	Optimum  *Optimum  // nil: not known
	// Penalised is the exact worst case at the method's fixed λ; nil where λ moves.
	Penalised *dro.Worst

	// Threshold is the threshold of decisions if an earlier evaluation has chosen it; else it does
	// not apply.
	Threshold Number
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

// parts returns the number of parts on an axis.
func (e *Evaluation) parts(a Axis) int {
	if a == PerGroup {
		return e.Groups
	}
	return e.Classes
}

// By returns the mean of a value for each class or group of a split; the mean of a part without
// samples does not apply.
func (e *Evaluation) By(a Axis, p *Pass, values []float64) []Number {
	means, _ := p.MeansOf(a, e.parts(a), values)
	return means
}

// LeastAccuracy returns the least accuracy of the classes or groups with at least min_group samples
// in the test split. With fewer samples the accuracy would be chance.
func (e *Evaluation) LeastAccuracy(a Axis) Number {
	means, counts := e.Test.MeansOf(a, e.parts(a), e.Test.Hits())
	return LeastOf(means, counts, e.Spec.MinGroup)
}

// LeastOf returns the lowest value of the classes or groups whose count is least or more. It does
// not apply if fewer than two are left: a single part is not the worst of any.
func LeastOf(values []Number, counts []int, least int) Number {
	kept := judged(values, counts, least)
	if len(kept) < 2 {
		return Number{}
	}
	return Least(kept)
}

// judged returns the values that apply and whose count is least or more.
func judged(values []Number, counts []int, least int) []Number {
	none := func(n Number) bool { return !n.Applies() }
	return slices.DeleteFunc(Enough(values, counts, least), none)
}

// Enough returns the values whose count is least or more. The others do not apply: they have too
// few samples to be called the worst. An unknown count is enough.
func Enough(values []Number, counts []int, least int) []Number {
	kept := make([]Number, len(values))
	for i, v := range values {
		if i >= len(counts) || counts[i] >= least {
			kept[i] = v
		}
	}
	return kept
}

// balanced returns the mean accuracy per class, over the classes that have samples.
func (e *Evaluation) balanced() Number {
	return MeanOf(e.By(PerClass, e.Test, e.Test.Hits()))
}

// recall returns, for each group, the mean accuracy of its classes.
func (e *Evaluation) recall() []Number {
	var cell []int // of a group and a class, for each group of a sample
	cells, _ := meansOf(e.Groups*e.Classes, e.Test.Hits(), func(i int) []int {
		cell = cell[:0]
		for _, group := range e.Test.In(PerGroup, i) {
			cell = append(cell, group*e.Classes+e.Test.Labels[i])
		}
		return cell
	})
	list := make([]Number, e.Groups)
	for g := range list {
		list[g] = MeanOf(cells[g*e.Classes:][:e.Classes])
	}
	return list
}

// adjusted returns the mean accuracy of the groups that have test samples, each weighted by its
// share of the training samples.
func (e *Evaluation) adjusted() Number {
	var sum, all float64
	for g, accuracy := range e.By(PerGroup, e.Test, e.Test.Hits()) {
		if accuracy.Applies() && g < len(e.Shares) {
			sum += float64(e.Shares[g]) * accuracy.value
			all += float64(e.Shares[g])
		}
	}
	return NumIf(all > 0, sum/all)
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

// objective returns F at the method's z on the training split, in nats; it does not apply if there
// is no z. F belongs to the constrained problem for every method, even for one that keeps λ fixed.
func (e *Evaluation) objective() Number {
	if !e.solvable() {
		return Number{}
	}
	return Num(e.Problem.Evaluate(nil, e.Train.Losses, *e.Z).Value)
}

// solvable reports whether there is a z, and training losses to compare it with.
func (e *Evaluation) solvable() bool { return e.Z != nil && e.Train.Losses != nil }

// bestZ returns the (λ, η) that minimises F on the training split, in the run's coordinates.
func (e *Evaluation) bestZ() dro.Z { return e.Problem.Shift(e.Train.Worst.Z) }

// penalisedGap returns F minus its least value at this λ, which is sup { E_Q ℓ − λ D(Q‖P) } + λρ.
func (e *Evaluation) penalisedGap() Number {
	w := e.Penalised
	if w == nil {
		return Number{}
	}
	return Num(e.objective().value - w.Risk - e.Z.Lambda*(e.Problem.Rho-w.Divergence))
}

// aboveBound counts the training losses above B = eta_max. math.md §4 assumes that there are none
// when it derives the box.
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

// Optimum is the least worst-case risk that the run's network could have on the training split, at
// the run's set and radius, known to within Gap: see dro.Regression.
type Optimum struct {
	Risk   float64 `json:"risk"`
	Gap    float64 `json:"gap"`
	Lambda float64 `json:"lambda"` // the best λ at the optimum, in the problem's coordinates
	Eta    float64 `json:"eta"`
}

// excessRisk returns R_ρ minus the optimum. It may be below 0 by the optimum's Gap.
func (e *Evaluation) excessRisk() Number {
	if e.Optimum == nil {
		return Number{}
	}
	return Num(e.Train.Worst.Risk - e.Optimum.Risk)
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

// enough is the number of the adversary's effective samples that a batch should hold: with fewer, a
// step follows a handful of losses. It is a rule of thumb, not from a theorem.
const enough = 8

// Warn reports everything that is usable but suspicious about an evaluation, with a cure. It gives
// each thing a name of its own, so that it is told once, whatever its numbers are later.
func (e *Evaluation) Warn(s *spec.Spec, tell func(about, message string)) {
	if !e.solvable() { // a method without λ and η has no box
		return
	}
	if e.aboveBound() > 0 {
		tell("bound", fmt.Sprintf("training losses exceed eta_max = %g, the bound B that the "+
			"theory assumes: the box may exclude the optimum", s.EtaMax))
	}
	n := float64(len(e.Train.Losses))
	if held := e.Train.Worst.EffectiveSampleSize / n * float64(s.Batch); held < enough {
		tell("batch", fmt.Sprintf("the worst case rests on %.3g of the %.0f training samples "+
			"(effective sample size), which is %.2g in a batch of %d: raise batch, or take a "+
			"smaller rho or a larger mu", e.Train.Worst.EffectiveSampleSize, n, held, s.Batch))
	}
	if e.Penalised == nil {
		e.warnOfBox(tell)
	}
}

// warnOfBox compares the best z of the training losses with the box. If the best λ is outside the
// box, the η beside it says nothing. A box that excludes the optimum keeps the dual gap above 0
// however long the run trains.
func (e *Evaluation) warnOfBox(tell func(about, message string)) {
	best, box := e.Problem.Shift(e.Train.Worst.Z), &e.Problem.Box
	outside := func(what, bound string, at, end float64, cure string) {
		tell("box "+bound, fmt.Sprintf("the box excludes the optimum: the best %s of the "+
			"training losses is %.3g, but %s is %.3g: %s", what, at, bound, end, cure))
	}
	if e.Problem.Set.HasRadius() {
		low, high := box.Lambda[0], box.Lambda[1]
		switch {
		case best.Lambda > high:
			outside("λ", "lambda_max", best.Lambda, high, "raise lambda_max")
			return
		case best.Lambda < low:
			if e.Z.Lambda == low {
				cure := fmt.Sprintf("λ stays there, and F is up to lambda0 rho = %.2g above the "+
					"worst case's risk; lower lambda0 if that is much", low*e.Problem.Rho)
				outside("λ", "lambda0", best.Lambda, low, cure)
			}
			return
		case e.Z.Lambda == low && best.Lambda > 2*low:
			tell("floor", fmt.Sprintf("λ is at lambda0 = %.3g, though the best one is %.3g: the "+
				"steps on z are too long: raise c or take sfk-auto, or lower lr_z",
				low, best.Lambda))
		}
	}
	switch {
	case best.Eta < box.Eta[0]:
		outside("η", "eta_min", best.Eta, box.Eta[0], "lower eta_min")
	case best.Eta > box.Eta[1]:
		outside("η", "eta_max", best.Eta, box.Eta[1], "raise eta_max")
	}
}
