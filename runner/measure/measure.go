package measure

import (
	"slices"
	"strings"

	"drolab/dro"
	"drolab/runner/data"
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
	NoAxis    Axis = iota // one number
	PerClass              // a number per class
	PerGroup              // a number per group, if groups are given
	PerRadius             // a number per radius of the setting risk_radii
	PerRatio              // a number per bin of likelihood ratios: see RatioEdges
)

// IsList reports whether the measure has more than one number: it is in Lists then, else in Values.
func (m *Measure) IsList() bool { return m.Axis != NoAxis }

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

// StepMeasures lists the measures of steps of all methods, the measures of the paper's methods
// first.
func StepMeasures() []Measure { return stepMeasures(dro.Methods()) }

func stepMeasures(methods []dro.Method) []Measure {
	first, last := stepRows()
	list := append(make([]Measure, 0, 2+len(methods)), first) // a method adds about one
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
func StepNames(method dro.Algorithm) []string {
	reported := append(dro.PaperMethods(), method)
	methods := slices.DeleteFunc(slices.Clone(dro.Methods()), func(m dro.Method) bool {
		return !slices.Contains(reported, m.Name)
	})
	return data.Map(stepMeasures(methods), func(m Measure) string { return m.Name })
}

// registered holds the rows of RegisterMeasure. It has no lock, since it changes only while no run
// trains.
var registered []Measure

// RegisterMeasure adds a measure of evaluations to the table and returns a function that removes
// it. It is for the start of a program and for tests, and must not be called while runs train. It
// panics if the name is taken or nothing computes the measure.
func RegisterMeasure(m Measure) (remove func()) {
	_, taken := FindMeasure(m.Name)
	if taken || m.Name == "" || m.OfStep() || m.IsList() != (m.List != nil) {
		panic("measure: RegisterMeasure wants a new name and a Value, or an Axis and a List")
	}
	registered = append(slices.Clip(registered), m)
	same := func(o Measure) bool { return o.Name == m.Name }
	return func() { registered = slices.DeleteFunc(slices.Clone(registered), same) }
}

// EvalMeasures lists the measures of evaluations, in the order of the log, with the registered ones
// last. The list is the caller's own.
func EvalMeasures() []Measure { return slices.Concat(evalRows(), registered) }

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
	named := func(m Measure) bool { return m.Name == name }
	registered := func() []Measure { return registered }
	// The last list is made anew for each call.
	for _, table := range []func() []Measure{evalRows, registered, StepMeasures} {
		list := table()
		if i := slices.IndexFunc(list, named); i >= 0 {
			return list[i], true
		}
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

// ofTest returns a row of the test split. It does not apply in a run without such a split.
func (m Measure) ofTest() Measure {
	return m.onSplit(func(e *Evaluation) *Pass { return e.Test })
}

// ofVal returns the measure of the validation split that corresponds to a row of the test split.
// One row defines both, so that they cannot diverge. The name has the prefix val_, in place of
// test_ if the test split's name has that.
func (m Measure) ofVal() Measure {
	m.Name = "val_" + strings.TrimPrefix(m.Name, "test_")
	m.Title = "validation " + strings.TrimPrefix(m.Title, "test ")
	m.Symbol = ""
	m.Doc = strings.ReplaceAll(m.Doc, "test ", "validation ")
	m.Main, m.val = false, true
	if m.groups != "" {
		m.groups = "val_" + m.groups
	}
	return m.onSplit(func(e *Evaluation) *Pass { return e.Val })
}

// onSplit makes a row of the test split compute its measure on the given split.
func (m Measure) onSplit(split func(*Evaluation) *Pass) Measure {
	m.Value = computeOn(split, m.Value)
	m.List = computeOn(split, m.List)
	m.Counts = computeOn(split, m.Counts)
	return m
}

// computeOn returns a function that computes for a split what compute computes for the test split.
// It returns the zero value where there is no such split. If compute is nil, so is the function.
func computeOn[T any](split func(*Evaluation) *Pass, compute func(*Evaluation) T) func(
	*Evaluation) T {
	if compute == nil {
		return nil
	}
	return func(e *Evaluation) (none T) {
		p := split(e)
		if p == nil {
			return none
		}
		of := *e
		of.Test = p
		return compute(&of)
	}
}
