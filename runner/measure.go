package runner

import (
	"slices"
	"sync"

	"drolab/dro"
)

// Measure is a row of the table of measures: a quantity that runs report, with
// its definition and how it is computed. The log, its window, summaries,
// tables, charts, filters and exports range over the table. A measure of an
// evaluation is a row of evalRows; one of a step belongs to a method (see
// dro.Method) or is a row of stepRows.
type Measure struct {
	dro.Measure
	PerGroup bool // one value a group
	// Main says that tables show it without being asked.
	Main bool

	// Value computes a measure of an evaluation, List one per group; both are
	// nil for a measure of a step.
	Value func(*Evaluation) Number
	List  func(*Evaluation) []Number
}

// OfStep tells whether the measure is of training steps and not of evaluations.
func (m *Measure) OfStep() bool { return m.Value == nil && m.List == nil }

// stepRows are what every method's steps report.
func stepRows() (first, last Measure) {
	loss := dro.Measure{Name: "loss", Title: "train loss", Unit: "nats", Scale: dro.Log, Better: dro.Lower,
		Noisy: true, Doc: "mean cross-entropy of the step's own batch, augmented, in training mode"}
	norm := dro.Measure{Name: "grad_norm", Title: "gradient norm", Symbol: "‖g‖", Scale: dro.Log,
		Noisy: true, Doc: "‖mean w_i ∇ℓ_i‖ of the x-batch, w being the method's weights, before clipping"}
	return Measure{Main: true, Measure: loss}, Measure{Measure: norm}
}

// StepMeasures lists the measures of steps, of every method: those that the
// paper's methods have come first.
func StepMeasures() []Measure { return stepMeasures(dro.Methods()) }

func stepMeasures(methods []dro.Method) []Measure {
	first, last := stepRows()
	list := []Measure{first}
	for _, m := range methods {
		for _, d := range m.Measures {
			if !slices.ContainsFunc(list, func(o Measure) bool { return o.Name == d.Name }) {
				list = append(list, Measure{Measure: d, Main: !d.Noisy})
			}
		}
	}
	return append(list, last)
}

// stepNames are the measures that the log of a method's steps has: its own, and
// those of the paper's methods, which are null where they do not apply.
func stepNames(method dro.Algorithm) (names []string) {
	reported := append(dro.PaperMethods(), method)
	methods := slices.DeleteFunc(dro.Methods(), func(m dro.Method) bool {
		return !slices.Contains(reported, m.Name)
	})
	for _, m := range stepMeasures(methods) {
		names = append(names, m.Name)
	}
	return names
}

// added are the rows of RegisterMeasure.
var added []Measure

// RegisterMeasure adds a measure of evaluations to the table and returns what
// takes it out again. It is for the start of a program and for tests: not while
// runs go on. It panics where the name is taken or nothing computes it.
func RegisterMeasure(m Measure) (remove func()) {
	if _, taken := FindMeasure(m.Name); taken || m.Name == "" || m.OfStep() {
		panic("runner: RegisterMeasure wants a new name and a Value or a List")
	}
	added = append(slices.Clip(added), m)
	return func() {
		added = slices.DeleteFunc(slices.Clone(added), func(o Measure) bool { return o.Name == m.Name })
	}
}

// EvalMeasures lists the measures of evaluations.
func EvalMeasures() []Measure { return slices.Concat(evalRows(), added) }

// SummaryMeasures lists what a summary has: the measures of the last evaluation
// and, of the last step, those that are no mini-batch's.
func SummaryMeasures() []Measure {
	steady := slices.DeleteFunc(StepMeasures(), func(m Measure) bool { return m.Noisy })
	return append(EvalMeasures(), steady...)
}

// FindMeasure returns the measure of that name. Where a step and an evaluation
// have one of the same name, it is the evaluation's.
func FindMeasure(name string) (Measure, bool) {
	for _, list := range [][]Measure{evalRows(), added, StepMeasures()} {
		for i := range list {
			if list[i].Name == name {
				return list[i], true
			}
		}
	}
	return Measure{}, false
}

// Pass is what one forward pass over a split gives: unaugmented, in evaluation
// mode, sample by sample.
type Pass struct {
	Losses  []float64
	Correct []bool
	Labels  []int
	Groups  []int
}

// Evaluation is what measures are computed from, at one moment of a run.
type Evaluation struct {
	Spec    *Spec
	Problem *dro.Problem
	Groups  int   // how many
	Train   *Pass // the whole training split
	Test    *Pass
	Val     *Pass  // nil without a hold-out
	Z       *dro.Z // nil: the method has no dual variables
	Worst   dro.Worst
	// Penalised is the exact worst case at the method's fixed λ; nil where λ moves.
	Penalised *dro.Worst
	TestWorst dro.Worst // the exact worst cases of the training and test losses at the run's radius
	Ratios    []float64 // of Worst
	GradNorm  Number    // ‖∇_x F‖ over the training split, where it was asked for
}

// of computes the row.
func (m *Measure) of(e *Evaluation, v *Values, l *Lists) {
	if m.List != nil {
		l.Set(m.Name, m.List(e))
		return
	}
	v.Set(m.Name, m.Value(e))
}

// evalRows is the table, in the order of the log.
var evalRows = sync.OnceValue(func() []Measure {
	return slices.Concat(accuracyRows(), lossRows(), riskRows())
})

func accuracyRows() []Measure {
	percent := func(name, title, symbol, doc string) dro.Measure {
		return dro.Measure{Name: name, Title: title, Symbol: symbol, Unit: "%", Scale: dro.Percent,
			Better: dro.Higher, Doc: doc}
	}
	return []Measure{
		{Main: true, PerGroup: true, Measure: percent("class_accuracy", "accuracy", "",
			"part of the class's (group's) test samples that are classified right, at the last iterate"),
			List: func(e *Evaluation) []Number { return e.byGroup(e.Test, (*Pass).hits) }},
		{Main: true, Measure: percent("worst_class_accuracy", "worst class accuracy", "worst",
			"the lowest of the test accuracies per class (group), at the last iterate"),
			Value: func(e *Evaluation) Number { return Least(e.byGroup(e.Test, (*Pass).hits)) }},
		{Main: true, Measure: percent("test_accuracy", "mean accuracy", "mean",
			"part of all test samples that are classified right, at the last iterate"),
			Value: func(e *Evaluation) Number { return e.Test.accuracy() }},
		{Measure: percent("val_accuracy", "validation accuracy", "",
			"part of the held-out samples that are classified right, at the last iterate"),
			Value: func(e *Evaluation) Number { return e.Val.accuracy() }},
		{PerGroup: true, Measure: dro.Measure{Name: "class_loss", Title: "loss", Unit: "nats", Better: dro.Lower,
			Doc: "mean cross-entropy of the class's (group's) test samples"},
			List: func(e *Evaluation) []Number { return e.byGroup(e.Test, (*Pass).losses) }},
		{PerGroup: true, Measure: dro.Measure{Name: "class_weight", Title: "weight", Unit: "mean ratio",
			Doc: "mean likelihood ratio dQ/dP of the class's (group's) training samples under the exact " +
				"worst case Q of the training losses: 1 is no reweighting, above 1 is where the " +
				"adversary looks; ERM has it too"},
			List: func(e *Evaluation) []Number {
				return e.byGroup(e.Train, func(*Pass) []float64 { return e.Ratios })
			}},
	}
}

func lossRows() []Measure {
	row := func(name, title, of string, main bool, value func(*Evaluation) Number) Measure {
		return Measure{Value: value, Main: main, Measure: dro.Measure{
			Name: name, Title: title, Unit: "nats", Scale: dro.Log, Better: dro.Lower,
			Doc: "mean cross-entropy over the " + of + " split, unaugmented, in evaluation mode"}}
	}
	return []Measure{
		row("train_loss", "train loss", "training", true, func(e *Evaluation) Number { return e.Train.loss() }),
		row("test_loss", "test loss", "test", true, func(e *Evaluation) Number { return e.Test.loss() }),
		row("val_loss", "validation loss", "held-out", false, func(e *Evaluation) Number { return e.Val.loss() }),
	}
}

func riskRows() []Measure {
	nats := func(name, title, doc string) dro.Measure {
		return dro.Measure{Name: name, Title: title, Unit: "nats", Better: dro.Lower, Doc: doc}
	}
	return []Measure{
		{Main: true, Measure: nats("robust_risk", "robust risk",
			"R_ρ of the test losses: their largest mean over all reweightings Q with D_φ(Q‖P) ≤ ρ, "+
				"solved exactly"),
			Value: func(e *Evaluation) Number { return Num(e.TestWorst.Risk) }},
		{Measure: nats("train_objective", "train objective", "F(x; λ, η) on the training split, unaugmented"),
			Value: (*Evaluation).objective},
		{Measure: nats("train_robust_risk", "train robust risk",
			"R_ρ of the training losses, unaugmented, solved exactly"),
			Value: func(e *Evaluation) Number { return Num(e.Worst.Risk) }},
		{Main: true, Measure: nats("dual_gap", "dual gap",
			"F(x; λ, η) − R_ρ(x) on the training split: 0 where λ and η are the best for this network, "+
				"so the error of the dual variables alone"),
			Value: func(e *Evaluation) Number { return NumIf(e.Z != nil, e.objective().value-e.Worst.Risk) }},
		{Main: true, Measure: nats("penalised_gap", "penalised gap",
			"F(x; λ, η) − min over η of F(x; λ, η) on the training split, for methods that keep λ: 0 where "+
				"η is the best for this network, in their own problem; the dual gap has the error of λ, too"),
			Value: (*Evaluation).penalisedGap},
		{Measure: dro.Measure{Name: "divergence", Title: "worst case's divergence",
			Doc: "D_φ(Q‖P) of the exact worst case on the training split; below ρ where the radius does not bind"},
			Value: func(e *Evaluation) Number { return Num(e.Worst.Divergence) }},
		{Measure: dro.Measure{Name: "effective_sample_size", Title: "effective sample size",
			Scale: dro.Whole, Unit: "samples",
			Doc: "n (mean r)²/mean r² of the exact worst case on the training split"},
			Value: func(e *Evaluation) Number { return Num(e.Worst.EffectiveSampleSize) }},
		{Main: true, Measure: dro.Measure{Name: "full_grad_norm", Title: "full gradient norm",
			Symbol: "‖∇F‖", Better: dro.Lower,
			Doc: "‖∇_x F(x; λ, η)‖ of the method's own objective over the training split " +
				"(ERM: of the mean loss)"},
			Value: func(e *Evaluation) Number { return e.GradNorm }},
		{Measure: dro.Measure{Name: "above_bound", Title: "losses above B", Scale: dro.Whole, Unit: "samples",
			Doc: "training losses above eta_max, the bound B that the theory assumes"},
			Value: func(e *Evaluation) Number { return Num(float64(e.aboveBound())) }},
	}
}

// mean does not apply to a split that is not there.
func (p *Pass) mean(of func(*Pass) []float64) Number {
	if p == nil {
		return Number{}
	}
	return Num(mean(of(p)))
}

func (p *Pass) loss() Number     { return p.mean((*Pass).losses) }
func (p *Pass) accuracy() Number { return p.mean((*Pass).hits) }

// hits returns 1 for each sample that is classified rightly, 0 for the others.
func (p *Pass) hits() []float64 {
	hits := make([]float64, len(p.Correct))
	for i, c := range p.Correct {
		if c {
			hits[i] = 1
		}
	}
	return hits
}

func (p *Pass) losses() []float64 { return p.Losses }

// byGroup returns the mean of a value per group of a split; a group without
// samples has none.
func (e *Evaluation) byGroup(p *Pass, of func(*Pass) []float64) []Number {
	sums, counts := make([]float64, e.Groups), make([]float64, e.Groups)
	for i, v := range of(p) {
		sums[p.Groups[i]] += v
		counts[p.Groups[i]]++
	}
	means := make([]Number, e.Groups)
	for g := range means {
		means[g] = NumIf(counts[g] > 0, sums[g]/counts[g])
	}
	return means
}

// objective returns F at the method's z on the training split; it does not apply
// where there is none.
func (e *Evaluation) objective() Number {
	if e.Z == nil {
		return Number{}
	}
	return Num(e.Problem.At(nil, e.Train.Losses, *e.Z).Value)
}

// penalisedGap is F less its least value at this λ, which is
// sup { E_Q ℓ − λ D(Q‖P) } + λρ.
func (e *Evaluation) penalisedGap() Number {
	w := e.Penalised
	if w == nil {
		return Number{}
	}
	return Num(e.objective().value - w.Risk - e.Z.Lambda*(e.Problem.Rho-w.Divergence))
}

func (e *Evaluation) aboveBound() (n int) {
	for _, l := range e.Train.Losses {
		if l > e.Spec.EtaMax {
			n++
		}
	}
	return n
}
