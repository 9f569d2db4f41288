package report

import (
	"fmt"
	"reflect"
	"slices"

	"drolab/dro"
	"drolab/runner"
	"drolab/runner/compare"
	"drolab/runner/measure"
)

// statistic is a figure of a run. Tests compare it between two arms.
type statistic struct {
	measure string // StepTime, or a measure of evaluations
	along   bool   // the mean over the evaluations at equal steps, not the last one
	// classes are the classes over which a measure of classes is pooled, in the first and the
	// second arm; nil for other measures.
	classes [2][]int
	// radius is that at which a measure of the uncertainty set is taken; 0 stands for each run's
	// own, and for the measures that know no set.
	radius float64
}

const (
	classAccuracy = "class_accuracy"
	worstClass    = "worst_class_accuracy"
	worstGroup    = "worst_group_accuracy"
	robustRisk    = "robust_risk"
	trainRisk     = "train_robust_risk"
)

// statisticOf returns a measure at the last iterate, for a condition with that radius.
func statisticOf(name string, radius float64) *statistic {
	if m, _ := measure.FindMeasure(name); m.Asks != dro.OfProblem {
		radius = 0
	}
	return &statistic{measure: name, radius: radius}
}

// statistic returns what the claim compares under a condition.
func (c *Claim) statistic(under *Condition) *statistic {
	s := statisticOf(c.Measure, under.Radius)
	s.along, s.classes = c.Along, c.Classes
	return s
}

// at returns the statistic at one evaluation of a run. side is 0 in the first arm and 1 in the
// second. The robust risk of a radius is read from the list of risk_radii, since two solutions of
// the same problem may differ in the last digits. The other measures of a set are of the run's own
// radius, and do not apply at another.
func (s *statistic) at(m *runner.Meta, of *runner.Results, side int) measure.Number {
	list := atRadii(s.measure)
	switch {
	case s.classes[side] != nil:
		return pooledMean(of, s.measure, s.classes[side])
	case s.radius == 0, list == "" && s.radius == m.Spec.Rho:
		return of.Named(s.measure)
	}
	i, values := slices.Index(m.Spec.RiskRadii, s.radius), of.ByGroup.Named(list)
	if i < 0 || i >= len(values) {
		return measure.Number{}
	}
	return values[i]
}

// atRadii names the list with a measure's values at the radii of the setting risk_radii, or "".
func atRadii(name string) string {
	if m, ok := measure.FindMeasure(name + "_at"); ok {
		return m.Name
	}
	return ""
}

// pooledMean returns the mean of a measure over classes.
func pooledMean(of *runner.Results, name string, classes []int) measure.Number {
	values, sum := of.ByGroup.Named(name), 0.0
	for _, i := range classes {
		if i >= len(values) || !values[i].Applies() {
			return measure.Number{}
		}
		sum += values[i].Float() / float64(len(classes))
	}
	return measure.Num(sum)
}

// last returns the statistic of a run at its last iterate or, outside of studies, at the step that
// the page compares.
func (s *statistic) last(r *loggedRun, side int) measure.Number {
	return s.at(&r.Meta, r.results(), side)
}

// lastOf returns the function that gives a measure as last does: see statisticOf.
func lastOf(name string, radius float64) func(*loggedRun) measure.Number {
	s := statisticOf(name, radius)
	return func(r *loggedRun) measure.Number { return s.last(r, 0) }
}

// pairValue returns the values of a statistic in two runs that are compared. A value is NaN where
// the statistic does not apply.
type pairValue func(a, b *loggedRun) (x, y float64)

// ofEachRun compares a value that is computed from one run alone.
func ofEachRun(value func(*loggedRun) measure.Number) pairValue {
	return func(a, b *loggedRun) (x, y float64) { return value(a).Float(), value(b).Float() }
}

// values returns the values of the statistic in two runs.
func (s *statistic) values(a, b *loggedRun) (x, y float64) {
	switch {
	case s.measure == StepTime:
		return stepTime(a, b)
	case s.along:
		return s.meanAlong(a, b)
	}
	return s.last(a, 0).Float(), s.last(b, 1).Float()
}

// meanAlong returns the means over the evaluations that two runs have at the same steps.
func (s *statistic) meanAlong(a, b *loggedRun) (x, y float64) {
	n := 0.0
	for _, e := range a.evals {
		o := first(b.evals, func(o *runner.EvalEvent) bool { return o.Step == e.Step })
		if o == nil {
			continue
		}
		v := s.at(&a.Meta, &runner.Results{Measures: e.Values, ByGroup: e.ByGroup}, 0)
		w := s.at(&b.Meta, &runner.Results{Measures: o.Values, ByGroup: o.ByGroup}, 1)
		if v.Applies() && w.Applies() {
			x, y, n = x+v.Float(), y+w.Float(), n+1
		}
	}
	return x / n, y / n
}

// windowMean compares the means over the last evaluations. It does not apply to a run with fewer.
func (s *statistic) windowMean(size int) pairValue {
	return ofEachRun(func(r *loggedRun) measure.Number {
		if len(r.evals) < size {
			return measure.Number{}
		}
		mean := 0.0
		for _, e := range r.evals[len(r.evals)-size:] {
			of := runner.Results{Measures: e.Values, ByGroup: e.ByGroup}
			mean += s.at(&r.Meta, &of, 0).Float() / float64(size)
		}
		return measure.Num(mean)
	})
}

// question is what a test asks. The direction of a claim is no part of it, since a two-sided test
// has one p for both directions.
type question struct {
	a, b string // the arms
	statistic
	// sets have, for a measure of the uncertainty set, the set with its radius in either arm.
	sets       [2]string
	margin     float64
	equivalent float64
}

// ask returns the question of a claim on two arms.
func (s *statistic) ask(claim *Claim, a, b *arm) question {
	q := question{a: a.key(), b: b.key(), statistic: *s, margin: claim.Margin,
		equivalent: claim.Equivalent}
	if m, _ := measure.FindMeasure(s.measure); m.Asks != dro.OfProblem {
		return q
	}
	for i, one := range []*arm{a, b} {
		if len(one.runs) == 0 {
			continue
		}
		of := one.runs[0].Meta
		if s.radius != 0 {
			of.Spec.Rho = s.radius
		}
		q.sets[i] = compare.Question(dro.OfProblem, &of)
	}
	return q
}

// sameTest tells whether two claims are one test: they ask the same question of the same figures.
// The figures are the same under one condition and, where the arms do not depend on what the
// conditions change, under several.
func (c *Finding) sameTest(o *Finding) bool {
	if !reflect.DeepEqual(c.question, o.question) {
		return false
	}
	return c.condition == o.condition || len(c.Values) > 0 &&
		slices.Equal(c.Seeds, o.Seeds) && slices.Equal(c.Values, o.Values)
}

// whyUntested says why no seed gives a difference.
func (s *statistic) whyUntested(a, b *arm) string {
	for _, one := range []*arm{a, b} {
		switch {
		case len(one.runs) > 0:
		case one.broken > 0:
			return "no run of " + one.label + " has finite numbers"
		default:
			return "no run of " + one.label
		}
	}
	if !slices.ContainsFunc(a.runs, func(r *loggedRun) bool { return b.run(r.seed()) != nil }) {
		return a.label + " and " + b.label + " have no seed in common"
	}
	if s.measure == StepTime {
		return whyUntimed(a, b)
	}
	for side, one := range []*arm{a, b} {
		if why := s.whyNone(one, side); why != "" {
			return why
		}
	}
	if s.along {
		return a.label + " and " + b.label + " have no evaluation at the same step"
	}
	return "no seed has finite numbers in both arms"
}

func whyUntimed(a, b *arm) string {
	for _, one := range []*arm{a, b} {
		if !slices.ContainsFunc(one.runs, func(r *loggedRun) bool { return len(r.ticks) > 0 }) {
			return "no steps of " + one.label + " were timed"
		}
	}
	return "no runs of one seed trained side by side"
}

// whyNone says why no run of an arm has the statistic, or "" if one has.
func (s *statistic) whyNone(one *arm, side int) string {
	finite, applies, elsewhere := false, false, false
	for _, r := range one.runs {
		n := s.last(r, side)
		finite, applies = finite || n.Finite(), applies || n.Applies()
		elsewhere = elsewhere || r.Summary().Named(s.measure).Applies() // at the run's own radius
	}
	m, _ := measure.FindMeasure(s.measure)
	switch {
	case finite:
		return ""
	case applies:
		return fmt.Sprintf("the %s of %s is not finite", m.Title, one.label)
	case s.classes[side] != nil:
		return noClass(one, &m, s.classes[side])
	case elsewhere:
		return fmt.Sprintf("%s has no %s at ρ = %g", one.label, m.Title, s.radius)
	}
	return one.label + " has no " + m.Title
}

// noClass says that an arm has no such measure of some classes.
func noClass(one *arm, m *measure.Measure, classes []int) string {
	n, most := len(one.runs[0].Meta.Names(m.Axis)), slices.Max(classes)
	if most < n {
		return fmt.Sprintf("%s has no %s of %s", one.label, m.Title, classList(classes))
	}
	return fmt.Sprintf("%s has no class %d: its classes are 0 to %d", one.label, most, n-1)
}
