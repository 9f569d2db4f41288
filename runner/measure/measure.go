package measure

import (
	"strings"

	"drolab/dro"
)

// Measure is a row of the table of measures (table.go): a quantity that runs report, with its
// definition and its computation. The log, its window, summaries, tables, charts, filters and
// exports range over the table. A measure of an evaluation is a row of evalRows; a measure of a
// step belongs to a method (see dro.Method) or is a row of stepRows. To add a measure, add a row:
// no other code knows measures by name. Files keep a name for good, so its meaning must not change.
type Measure struct {
	dro.Measure
	Axis Axis
	// Main says that the tables of run, show and compare have the measure, also with --json. Any
	// other measure is in show --json, in columns and filters that name it, and in exports.
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
	smooth bool   // for sets whose R_ρ grows as √ρ from ρ = 0
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

// Settings are the settings of a run that its measures depend on. The package spec, which imports
// this one, has all settings and makes these of them: see MeasureSettings there.
type Settings struct {
	// MinGroup is the least number of samples with which a class or group can be the worst.
	MinGroup int
	// Threshold is the probability of the second class of two from which on a sample counts as
	// that class. It does not apply where the class of the greatest probability counts, or where
	// ByVal says that each evaluation chooses the threshold on the validation split.
	Threshold Number
	ByVal     bool
	// HasRadius says that the uncertainty set has a radius. RiskRadii are the further radii of
	// the measure robust_risk_at.
	HasRadius bool
	RiskRadii []float64
	// Smooth says that the set's R_ρ grows as √ρ from ρ = 0: see dro.Sensitivity.
	Smooth    bool
	EtaMax    float64 // the bound B of the losses
	BoundsEta bool    // the method keeps η in its box
	Batch     int     // the samples of a step
}

// SetsThreshold reports whether decisions have a threshold of their own.
func (s *Settings) SetsThreshold() bool { return s.ByVal || s.Threshold.Applies() }

// Subject is the part of a run that decides which measures it has: its settings, the parts of its
// data, and whether its optimum is known. It is an interface since runner.Meta, which implements
// it, is in a package that imports this one.
type Subject interface {
	Measured() (s Settings, p *Parts, optimum bool)
}

// Scores reports whether the measure needs the probability of every class.
func (m *Measure) Scores() bool { return m.scores }

// CanApply reports whether evaluations of the run can have the measure. Its files leave out a
// measure that they cannot have.
func (m *Measure) CanApply(to Subject) bool {
	s, p, optimum := to.Measured()
	switch {
	case m.val && p.ClassCounts.Val == nil && p.GroupCounts.Val == nil && !p.Unsized:
		return false
	case m.pair && len(p.Classes) != 2, m.chosen && !s.SetsThreshold():
		return false
	case m.known:
		return optimum
	case m.smooth:
		return s.Smooth
	case m.group || m.Axis == PerGroup:
		return len(p.Groups) > 0
	case m.Axis == PerRadius, m.Radius:
		return s.HasRadius && (m.Radius || len(s.RiskRadii) > 0)
	}
	return true
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
