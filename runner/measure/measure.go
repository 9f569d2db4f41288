package measure

import (
	"slices"
	"strings"
	"sync"

	"drolab/dro"
	"drolab/runner/spec"
)

// Measure is a row of the table of measures: a quantity that runs report, with its definition and
// its computation. The log, its window, summaries, tables, charts, filters and exports range over
// the table. A measure of an evaluation is a row of evalRows; a measure of a step belongs to a
// method (see dro.Method) or is a row of stepRows. To add a measure, add a row: no other code knows
// measures by name. Files keep a name for good, so its meaning must not change.
type Measure struct {
	dro.Measure
	Axis Axis
	// Main says that tables show the measure by default.
	Main bool

	// Value computes a measure of an evaluation; List computes a measure with one value for each
	// place on the axis. Both are nil for a measure of a step.
	Value func(*Evaluation) Number
	List  func(*Evaluation) []Number
	// Counts returns the number of samples behind each share in a list; nil if it has no shares.
	Counts func(*Evaluation) []int

	val    bool   // of the validation split
	group  bool   // for runs with groups
	groups string // the measure of groups that corresponds to this one of classes
	known  bool   // for runs whose optimum is known
	pair   bool   // for data of two classes
	scores bool   // needs the probability of every class
	chosen bool   // for runs with a threshold of their own
}

// Axis is a kind of parts, such as classes: a measure has a number for each part.
type Axis int

// The axes of measures. Each place on an axis has a name: see Meta.Places.
const (
	Single    Axis = iota // one number
	PerClass              // a number per class
	PerGroup              // a number per group, if groups are given
	PerRadius             // a number per radius of the setting risk_radii
	PerRatio              // a number per bin of likelihood ratios: see RatioEdges
)

// IsList reports whether the measure has more than one number: it is in Lists then, else in Values.
func (m *Measure) IsList() bool { return m.Axis != Single }

// OfStep reports whether the measure describes training steps and not evaluations.
func (m *Measure) OfStep() bool { return m.Value == nil && m.List == nil }

// OfValidation reports whether the measure describes the validation split.
func (m *Measure) OfValidation() bool { return m.val }

func init() { spec.SelectBy(selections) }

// selections returns the names of the measures by which a run may select a step: the numbers of the
// validation split that have a better side. Nothing is ever selected on the test split.
func selections() (names []string) {
	for _, m := range evalRows() {
		if m.val && !m.IsList() && m.Better != dro.Neither {
			names = append(names, m.Name)
		}
	}
	return names
}

// Subject is the part of a run that decides which measures it has: its settings, the parts of its
// data, and whether its optimum is known. It is an interface since runner.Meta, which implements
// it, is in a package that imports this one.
type Subject interface {
	Measured() (s *spec.Spec, p *Parts, optimum bool)
}

// Scores reports whether the measure needs the probability of every class.
func (m *Measure) Scores() bool { return m.scores }

// CanApply reports whether evaluations of the run can have the measure. Its files leave out a
// measure that they cannot have.
func (m *Measure) CanApply(to Subject) bool {
	s, p, optimum := to.Measured()
	switch {
	case m.val && p.ClassCounts.Val == nil:
		return false
	case m.pair && len(p.Classes) != 2, m.chosen && !s.Threshold.IsSet():
		return false
	case m.known:
		return optimum
	case m.group || m.Axis == PerGroup:
		return len(p.Groups) > 0
	case m.Axis == PerRadius, m.Radius:
		set, err := s.Set()
		return err == nil && set.HasRadius() && (m.Radius || len(s.RiskRadii) > 0)
	}
	return true
}

// stepRows returns the measures that steps of every method report. The loss precedes the method's
// own measures and the gradient norm follows them, which is the order of the log.
func stepRows() (first, last Measure) {
	loss := dro.Measure{Name: "loss", Title: "train loss", Unit: "nats",
		Scale: dro.Log, Better: dro.Lower, Noisy: true, Asks: dro.OfLoss,
		Doc: "mean loss of the step's own batch, augmented, in training mode"}
	norm := dro.Measure{Name: "grad_norm", Title: "gradient norm", Symbol: "‖g‖",
		Scale: dro.Log, Noisy: true,
		Doc: "‖mean w_i ∇ℓ_i‖ of the x-batch, with the method's weights w, before clipping"}
	return Measure{Main: true, Measure: loss}, Measure{Measure: norm}
}

// StepMeasures lists the measures of steps of all methods, the measures of the paper's methods
// first.
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

// StepNames returns the names of the measures in the log of a method's steps: its own measures and
// the measures of the paper's methods, which are null where they do not apply.
func StepNames(method dro.Algorithm) (names []string) {
	reported := append(dro.PaperMethods(), method)
	methods := slices.DeleteFunc(slices.Clone(dro.Methods()), func(m dro.Method) bool {
		return !slices.Contains(reported, m.Name)
	})
	for _, m := range stepMeasures(methods) {
		names = append(names, m.Name)
	}
	return names
}

// added holds the rows of RegisterMeasure. It has no lock, since it changes only while no run
// trains.
var added []Measure

// RegisterMeasure adds a measure of evaluations to the table and returns a function that removes
// it. It is for the start of a program and for tests, and must not be called while runs train. It
// panics if the name is taken or nothing computes the measure.
func RegisterMeasure(m Measure) (remove func()) {
	_, taken := FindMeasure(m.Name)
	if taken || m.Name == "" || m.OfStep() || m.IsList() != (m.List != nil) {
		panic("measure: RegisterMeasure wants a new name and a Value, or an Axis and a List")
	}
	added = append(slices.Clip(added), m)
	same := func(o Measure) bool { return o.Name == m.Name }
	return func() { added = slices.DeleteFunc(slices.Clone(added), same) }
}

// EvalMeasures lists the measures of evaluations, in the order of the log, with the registered ones
// last. The list is the caller's own.
func EvalMeasures() []Measure { return slices.Concat(evalRows(), added) }

// SummaryMeasures lists the measures of a summary: the measures of the last evaluation and, of the
// last step, the measures that do not depend on its mini-batch.
func SummaryMeasures() []Measure {
	steady := slices.DeleteFunc(StepMeasures(), func(m Measure) bool { return m.Noisy })
	return append(EvalMeasures(), steady...)
}

// FindMeasure returns the measure of that name. If a step and an evaluation have a measure of the
// same name, it returns the evaluation's. A measure of a program's own has no better side here,
// since only its run knows that.
func FindMeasure(name string) (Measure, bool) {
	of := func(list []Measure) int {
		return slices.IndexFunc(list, func(m Measure) bool { return m.Name == name })
	}
	for _, list := range [][]Measure{evalRows(), added} {
		if i := of(list); i >= 0 {
			return list[i], true
		}
	}
	steps := StepMeasures() // last, since this list is made anew for each call
	if i := of(steps); i >= 0 {
		return steps[i], true
	}
	if IsUser(name) {
		return UserMeasure(name, dro.Neither), true
	}
	return Measure{}, false
}

// Compute computes a measure of evaluations, and sets it in l if it is a list, else in v.
func (m *Measure) Compute(e *Evaluation, v *Values, l *Lists) {
	if m.List != nil {
		l.Set(m.Name, m.List(e))
		return
	}
	v.Set(m.Name, m.Value(e))
}

// splitRow is a measure of both the test split and the validation split. One row defines both, so
// that they cannot diverge.
type splitRow struct {
	dro.Measure // for the test split: its Doc speaks of test samples
	main        bool
	group       bool
	groups      string
	pair        bool
	scores      bool
	axis        Axis
	value       func(*Evaluation, *Pass) Number   // given a pass that is not nil
	list        func(*Evaluation, *Pass) []Number // likewise
	counts      func(*Evaluation, *Pass) []int    // likewise
}

// test returns the measure of the test split.
func (r splitRow) test() Measure {
	return r.on(r.Measure, func(e *Evaluation) *Pass { return e.Test })
}

// val returns the measure of the validation split. Its name has the prefix val_, in place of test_
// if the test split's name has that.
func (r splitRow) val() Measure {
	d := r.Measure
	d.Name = "val_" + strings.TrimPrefix(d.Name, "test_")
	d.Title = "validation " + strings.TrimPrefix(d.Title, "test ")
	d.Symbol = ""
	d.Doc = strings.ReplaceAll(d.Doc, "test ", "validation ")
	m := r.on(d, func(e *Evaluation) *Pass { return e.Val })
	m.Main, m.val = false, true
	if r.groups != "" {
		m.groups = "val_" + r.groups
	}
	return m
}

// on returns the measure of one split. It does not apply in a run without such a split.
func (r splitRow) on(d dro.Measure, split func(*Evaluation) *Pass) Measure {
	m := Measure{Measure: d, Axis: r.axis, Main: r.main, group: r.group, groups: r.groups,
		pair: r.pair, scores: r.scores}
	if r.axis != Single {
		m.List = func(e *Evaluation) []Number {
			if p := split(e); p != nil {
				return r.list(e, p)
			}
			return nil
		}
		if r.counts != nil {
			m.Counts = func(e *Evaluation) []int { return r.counts(e, split(e)) }
		}
		return m
	}
	m.Value = func(e *Evaluation) Number {
		if p := split(e); p != nil {
			return r.value(e, p)
		}
		return Number{}
	}
	return m
}

// evalRows returns the table of measures of evaluations, in the order of the log.
var evalRows = sync.OnceValue(func() []Measure {
	each := func(form func(splitRow) Measure, rows []splitRow) (list []Measure) {
		for _, r := range rows {
			list = append(list, form(r))
		}
		return list
	}
	right := slices.Concat(accuracyRows(), decisionRows())
	split := slices.Concat(lossRows(), riskRows())
	return slices.Concat(each(splitRow.test, right), []Measure{thresholdRow(), trainLoss()},
		each(splitRow.test, split), ratioRows(), dualRiskRows(), outputRows(),
		each(splitRow.val, slices.Concat(right, split)))
})
