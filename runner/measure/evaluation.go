package measure

import (
	"slices"

	"drolab/dro"
)

// Evaluation is the input of all measures, at one moment of a run. The run fills it in before any
// measure is computed, and measures only read it, so that their order does not matter.
type Evaluation struct {
	Settings Settings
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
	return LeastOf(means, counts, e.Settings.MinGroup)
}

// LeastOf returns the lowest value of the classes or groups whose count is least or more. It does
// not apply if fewer than two are left: a single part is not the worst of any.
func LeastOf(values []Number, counts []int, least int) Number {
	kept := judgedValues(values, counts, least)
	if len(kept) < 2 {
		return Number{}
	}
	return Least(kept)
}

// judgedValues returns the values that apply and whose count is least or more.
func judgedValues(values []Number, counts []int, least int) []Number {
	none := func(n Number) bool { return !n.Applies() }
	return slices.DeleteFunc(WithEnough(values, counts, least), none)
}

// WithEnough returns the values whose count is least or more. The others do not apply: they have
// too few samples to be called the worst. An unknown count is enough.
func WithEnough(values []Number, counts []int, least int) []Number {
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

// sensitivity returns S of R_ρ = mean + S √ρ + o(√ρ), where the set has one.
func (e *Evaluation) sensitivity() Number {
	s, ok := dro.Sensitivity(e.Problem.Set, e.Test.Losses)
	return NumIf(ok && len(e.Test.Losses) > 0, s)
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
		if l > e.Settings.EtaMax {
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
