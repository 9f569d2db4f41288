package measure

import (
	"slices"
	"strings"
	"sync"

	"drolab/dro"
	"drolab/runner/spec"
)

// Measure is a row of the table of measures: a quantity that runs report, with
// its definition and how it is computed. The log, its window, summaries,
// tables, charts, filters and exports range over the table. A measure of an
// evaluation is a row of evalRows; one of a step belongs to a method (see
// dro.Method) or is a row of stepRows. To add one, add a row: nothing else knows the
// measures by name. A name is in files for good, and must not change its meaning.
type Measure struct {
	dro.Measure
	Axis Axis
	// Main says that tables show it without being asked.
	Main bool

	// Value computes a measure of an evaluation, List one with a value a place on
	// the axis; both are nil for a measure of a step.
	Value func(*Evaluation) Number
	List  func(*Evaluation) []Number
	// Counts are how many samples each number of a list is a share of; nil where it is no share.
	Counts func(*Evaluation) []int

	val    bool   // of the validation split
	group  bool   // of groups, so where they are given
	groups string // of a measure that looks at classes: the one that looks at groups
	known  bool   // of runs whose optimum is known
	pair   bool   // of two classes
	later  bool   // where it cannot apply, it is in no file: see IsWritten
	scores bool   // of the probability of every class
	chosen bool   // of runs with a threshold of their own
}

// Axis is a kind of parts, such as classes: a measure has a number for each part.
type Axis int

// The axes of measures. Each place of one has a name: see Meta.Places.
const (
	Single    Axis = iota // one number
	PerClass              // a number a class
	PerGroup              // a number a group, where groups are given
	PerRadius             // a number a radius of the setting risk_radii
	PerRatio              // a number a bin of likelihood ratios: see RatioEdges
)

// IsList tells whether the measure has more than one number: it is in Lists then, and
// in Values if not.
func (m *Measure) IsList() bool { return m.Axis != Single }

// OfStep tells whether the measure is of training steps and not of evaluations.
func (m *Measure) OfStep() bool { return m.Value == nil && m.List == nil }

// OfValidation tells whether the measure is of the validation split. Only these may a
// run select by.
func (m *Measure) OfValidation() bool { return m.val }

// Subject is a run, as far as it decides which measures it has: its settings, the
// parts of its data, and whether its optimum is known. It is an interface since
// runner.Meta, which implements it, is in a package that imports this one.
type Subject interface {
	Measured() (s *spec.Spec, p *Parts, optimum bool)
}

// Scores tells whether the measure is of the probability of every class.
func (m *Measure) Scores() bool { return m.scores }

// IsWritten tells whether the files of a run have the measure. One that cannot apply is in none,
// but for the numbers that the first programs had: they are null there.
func (m *Measure) IsWritten(of Subject) bool {
	return !m.IsList() && !m.later || m.CanApply(of)
}

// CanApply tells whether evaluations of the run can have the measure.
func (m *Measure) CanApply(to Subject) bool {
	s, p, optimum := to.Measured()
	if m.val && p.Refitted != nil {
		return false
	}
	if m.val && p.ClassCounts.Val == nil && s.ValFraction == 0 { // counts are not in old files
		return false
	}
	switch {
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

// stepRows are what every method's steps report: the loss stands before the method's
// own measures and the gradient norm behind them, which is the order of the log.
func stepRows() (first, last Measure) {
	loss := dro.Measure{Name: "loss", Title: "train loss", Unit: "nats",
		Scale: dro.Log, Better: dro.Lower, Noisy: true, Asks: dro.OfLoss,
		Doc: "mean loss of the step's own batch, augmented, in training mode"}
	norm := dro.Measure{Name: "grad_norm", Title: "gradient norm", Symbol: "‖g‖",
		Scale: dro.Log, Noisy: true,
		Doc: "‖mean w_i ∇ℓ_i‖ of the x-batch, with the method's weights w, before clipping"}
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

// StepNames are the measures that the log of a method's steps has: its own, and
// those of the paper's methods, which are null where they do not apply.
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

// added are the rows of RegisterMeasure. Nothing guards it, since it only changes while
// no run goes on.
var added []Measure

// RegisterMeasure adds a measure of evaluations to the table and returns what
// takes it out again. It is for the start of a program and for tests: not while
// runs go on. It panics where the name is taken or nothing computes it.
func RegisterMeasure(m Measure) (remove func()) {
	_, taken := FindMeasure(m.Name)
	if taken || m.Name == "" || m.OfStep() || m.IsList() != (m.List != nil) {
		panic("measure: RegisterMeasure wants a new name and a Value, or an Axis and a List")
	}
	added = append(slices.Clip(added), m)
	same := func(o Measure) bool { return o.Name == m.Name }
	return func() { added = slices.DeleteFunc(slices.Clone(added), same) }
}

// EvalMeasures lists the measures of evaluations, in the order of the log, those that
// were registered last. The list is the caller's own.
func EvalMeasures() []Measure { return slices.Concat(evalRows(), added) }

// SummaryMeasures lists what a summary has: the measures of the last evaluation
// and, of the last step, those that are no mini-batch's.
func SummaryMeasures() []Measure {
	steady := slices.DeleteFunc(StepMeasures(), func(m Measure) bool { return m.Noisy })
	return append(EvalMeasures(), steady...)
}

// FindMeasure returns the measure of that name. Where a step and an evaluation
// have one of the same name, it is the evaluation's. One of a program's own has no better
// side here, since only its run knows that.
func FindMeasure(name string) (Measure, bool) {
	of := func(list []Measure) int {
		return slices.IndexFunc(list, func(m Measure) bool { return m.Name == name })
	}
	for _, list := range [][]Measure{evalRows(), added} {
		if i := of(list); i >= 0 {
			return list[i], true
		}
	}
	steps := StepMeasures() // last: these are made anew for each call
	if i := of(steps); i >= 0 {
		return steps[i], true
	}
	if IsUser(name) {
		return UserMeasure(name, dro.Neither), true
	}
	return Measure{}, false
}

// Compute computes the row, which is a measure of evaluations, into v or, if it is a
// list, into l.
func (m *Measure) Compute(e *Evaluation, v *Values, l *Lists) {
	if m.List != nil {
		l.Set(m.Name, m.List(e))
		return
	}
	v.Set(m.Name, m.Value(e))
}

// splitRow is a measure of the test split, which the validation split has too. One row
// gives both, so that they cannot drift apart.
type splitRow struct {
	dro.Measure // of the test split: its Doc speaks of test samples
	main        bool
	group       bool
	groups      string
	pair, later bool
	scores      bool
	axis        Axis
	value       func(*Evaluation, *Pass) Number   // of a pass that is there
	list        func(*Evaluation, *Pass) []Number // likewise
	counts      func(*Evaluation, *Pass) []int    // likewise
}

// test is the row of the test split.
func (r splitRow) test() Measure {
	return r.on(r.Measure, func(e *Evaluation) *Pass { return e.Test })
}

// val is the row of the validation split: its name has val_ in front, in place of
// test_ where the test split's has that.
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

// on is the row of one split. Where a run has no such split the measure does not apply.
func (r splitRow) on(d dro.Measure, split func(*Evaluation) *Pass) Measure {
	m := Measure{Measure: d, Axis: r.axis, Main: r.main, group: r.group, groups: r.groups,
		pair: r.pair, later: r.later, scores: r.scores}
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

// evalRows is the table, in the order of the log.
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
