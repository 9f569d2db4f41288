package report

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"drolab/dro"
	"drolab/runner/compare"
	"drolab/runner/lists"
	"drolab/runner/measure"
)

// Verdict is the seeds' answer to a claim.
type Verdict string

// The verdicts. A claim is decided where the corrected two-sided test rejects that the difference
// equals the claim's margin, which is 0 for most claims. A claim of equivalence is supported where
// two one-sided tests reject, and never contradicted. A claim is not tested where no seed gives a
// difference; Finding.Few has the reason, and the claim counts in its family as a test with p = 1.
const (
	Supported    Verdict = "supported"
	NotSupported Verdict = "not supported" // the difference is significantly the other way
	Undecided    Verdict = "undecided at this number of seeds"
	NotTested    Verdict = "not tested"
)

// Finding is a claim of a study about two arms under one condition, tested.
type Finding struct {
	Key     string         `json:"key"`
	Problem string         `json:"problem"`
	A       string         `json:"a"` // the arms
	B       string         `json:"b"`
	Says    string         `json:"says"` // A says B
	Source  string         `json:"source"`
	Reading string         `json:"reading"` // what is measured, on which the verdict depends
	Measure string         `json:"measure,omitempty"`
	Higher  bool           `json:"higher"` // it is claimed that A is above B, else below
	Margin  measure.Number `json:"margin"` // added to B; of equivalence, on either side
	Difference
	// Window is the mean difference of averages over the study's window, in place of the values at
	// the last iterate.
	Window measure.Number `json:"window"`
	// Few says what the test lacks: an arm, a measure, or seeds.
	Few string `json:"few,omitempty"`
	// Repeats is the problem on which the same test was already made: with the other direction, or
	// under a condition on which its methods do not depend. The test counts once.
	Repeats string  `json:"repeats,omitempty"`
	Verdict Verdict `json:"verdict"`
	// Exploratory says that a run of the test was begun before the study was registered.
	Exploratory bool `json:"exploratory,omitempty"`

	claim     *Claim
	condition *Problem
	question  question
	same      *Finding // the claim that Repeats is about, or nil
}

// judge tests the families of claims and, for the first one, the claims of further arms, each of
// which is a family of its own. Every claim that the study has stands in its family.
func (r *Report) judge() {
	byArm := map[string][]*Finding{}
	for i := range r.study.Families {
		of := &r.study.Families[i]
		f := &TestedFamily{Name: of.Name, Level: of.Confidence, Correction: of.Correction,
			title: of.Title, Claims: []*Finding{}}
		for j := range of.Claims {
			claim := &of.Claims[j]
			for _, at := range claim.Under {
				for _, pair := range claim.Pairs {
					p := r.conditions[at]
					f.Claims = append(f.Claims, r.test(p, claim, p.own[pair[0]], p.own[pair[1]]))
					if i > 0 {
						continue
					}
					for _, a := range p.furtherArms(pair[0]) {
						c := r.test(p, claim, a, p.own[pair[1]])
						if len(c.Seeds) > 0 {
							r.Further, byArm[c.A] = append(r.Further, c), append(byArm[c.A], c)
						}
					}
				}
			}
		}
		f.Tests = correct(f.Claims, of, r.registered())
		r.Families = append(r.Families, f)
	}
	for _, list := range byArm {
		correct(list, &r.study.Families[0], false)
	}
	r.reproduce()
}

// reproduce compares arms with published numbers. A comparison that repeats another one has no row,
// unless the study is registered.
func (r *Report) reproduce() {
	for _, one := range r.study.Reproduction {
		for _, at := range one.Under {
			p := r.conditions[at]
			a := p.own[one.Arm]
			s := statisticOf(one.Measure, p.condition.Radius)
			c := &Finding{Key: "reproduction", Problem: p.Label, A: a.label,
				B: "the published value", Measure: one.Measure, claim: &Claim{}, condition: p,
				question: s.ask(&Claim{Margin: one.Value}, a, a)}
			if r.study.Published != nil {
				c.B = r.study.Published.Name
			}
			c.Difference = differenceOf(a, a, func(r, _ *loggedRun) (x, y float64) {
				return s.last(r, 0).Float(), one.Value
			}, 0)
			r.sayFew(c, s, a, a)
			if r.registered() || !slices.ContainsFunc(r.Reproduction, c.sameTest) {
				r.Reproduction = append(r.Reproduction, c)
			}
		}
	}
	correct(r.Reproduction, &Family{Confidence: level, Correction: Holm}, true)
}

// correct corrects the tests of a family. It sets the verdicts and returns the number of tests, to
// which the claims that were not tested belong. The number is fixed for a registered study. Else a
// repeated test counts once.
func correct(list []*Finding, of *Family, fixed bool) (tests int) {
	var family []*Difference
	for i, c := range list {
		if same := first(list[:i], c.sameTest); same != nil && !fixed {
			c.Repeats, c.same = same.Problem, same
		} else {
			family = append(family, &c.Difference)
		}
	}
	adjust(family, of.Confidence, of.Correction)
	for _, c := range list {
		if c.same != nil {
			c.Adjusted, c.Detectable = c.same.Adjusted, c.same.Detectable
			c.confidence = c.same.confidence
		}
		if c.ofEquivalence() { // it holds for the two-sided test alone
			c.Detectable = measure.Number{}
		}
		c.Verdict = c.verdict()
	}
	return len(family)
}

// furtherArms returns the arms, besides the study's own, on which the claims of an arm are tested:
// other settings of its method and, for the study's first arm, methods that are none of its own.
func (p *Problem) furtherArms(own int) (list []*arm) {
	for _, a := range p.arms {
		same := a.method() == p.study.Arms[own].Method()
		if a.name == "" && (same || own == 0 && p.arm(a.method()) == nil) {
			list = append(list, a)
		}
	}
	return list
}

// test compares two arms.
func (r *Report) test(p *Problem, claim *Claim, a, b *arm) *Finding {
	s := claim.statistic(p.condition)
	c := &Finding{Key: claim.Key, Problem: p.Label, A: a.label, B: b.label, Says: claim.Says,
		Source: claim.Source, Reading: claim.Reading, Measure: claim.Measure, Higher: claim.Higher,
		Margin: measure.Num(claim.Margin + claim.Equivalent), claim: claim, condition: p,
		question: s.ask(claim, a, b)}
	if claim.As != "" {
		c.Problem = claim.As
	}
	if claim.Measure == StepTime {
		c.Measure = ""
	}
	c.Difference = differenceOf(a, b, s.values, claim.Margin)
	for _, one := range slices.Concat(a.runs, b.runs) {
		c.Exploratory = c.Exploratory || one.Meta.Created.Before(r.study.Registered) &&
			slices.Contains(c.Seeds, one.seed())
	}
	if claim.Equivalent > 0 {
		c.P = measure.NumUnlessNaN(compare.Equivalence(lists.Map(c.Values, measure.Number.Float),
			claim.Equivalent))
	}
	r.sayFew(c, s, a, b)
	if c.Measure != "" && !s.along && s.classes[0] == nil && r.study.Window > 0 {
		c.Window = differenceOf(a, b, s.windowMean(r.study.Window), 0).Mean
	}
	return c
}

// sayFew says what the test of two arms lacks.
func (r *Report) sayFew(c *Finding, s *statistic, a, b *arm) {
	switch {
	case len(c.Seeds) > 1:
	case len(c.Seeds) == 1:
		c.Few = "one seed"
	case len(r.Seeds) == 0 && r.Done > 0:
		c.Few = "no seed has all of its runs"
	default:
		c.Few = s.whyUntested(a, b)
	}
}

// tested reports whether a seed gives the difference.
func (c *Finding) tested() bool { return len(c.Seeds) > 0 }

// ofEquivalence reports whether it is claimed that the arms differ by less than a margin.
func (c *Finding) ofEquivalence() bool { return c.claim.Equivalent > 0 }

func (c *Finding) testedForEquivalence() bool { return c.ofEquivalence() && c.tested() }

func (c *Finding) verdict() Verdict {
	switch beyond := c.Mean.Float() > c.Margin.Float(); {
	case !c.tested():
		return NotTested
	case !c.significant():
		return Undecided
	case beyond == c.Higher || c.ofEquivalence():
		return Supported
	}
	return NotSupported
}

// claims returns the claims of the first family.
func (r *Report) claims() []*Finding {
	if len(r.Families) == 0 {
		return nil
	}
	return r.Families[0].Claims
}

// findingsOf returns the claims on the problem.
func (p *Problem) findingsOf(list []*Finding) []*Finding {
	other := func(c *Finding) bool { return c.condition != p }
	return slices.DeleteFunc(slices.Clone(list), other)
}

// text returns the claim as a relation.
func (c *Finding) text() string { return c.relation(c.A) }

func (c *Finding) relation(a string) string {
	claim, sign, other := c.claim, "<", c.B
	if c.Higher {
		sign = ">"
	}
	if c.ofEquivalence() {
		sign = "≈"
	}
	m, _ := measure.FindMeasure(c.Measure)
	what := m.Title
	switch {
	case claim.Parts != nil:
		return fmt.Sprintf("%s: %s %s %s", a, claim.Parts[0], sign, claim.Parts[1])
	case claim.Name != "":
		what = claim.Name
	case claim.Measure == StepTime:
		what = "time of a step"
	case claim.Classes[0] != nil:
		what = classList(claim.Classes[0])
	}
	what = strings.TrimSuffix(what, " accuracy")
	if claim.Along && claim.Name == "" {
		what += ", along the run"
	}
	switch margin := claim.Margin; {
	case margin != 0 && claim.Measure == StepTime:
		other = shortest(math.Exp(margin)) + " × " + other
	case margin != 0:
		other += " " + c.unit(margin)
	case c.ofEquivalence() && claim.Measure == StepTime:
		other += ", within ×" + shortest(math.Exp(claim.Equivalent))
	case c.ofEquivalence():
		other += ", ±" + strings.TrimPrefix(c.unit(claim.Equivalent), "+ ")
	}
	return fmt.Sprintf("%s: %s %s %s", what, a, sign, other)
}

// unit formats a margin with its sign.
func (c *Finding) unit(x float64) string {
	sign, unit := "+ ", ""
	if x < 0 {
		sign = "− "
	}
	if m, _ := measure.FindMeasure(c.Measure); m.Scale == dro.Percent {
		x, unit = 100*x, " points"
	}
	text := shortest(math.Abs(x))
	if unit != "" && text == "1" {
		unit = " point"
	}
	return sign + text + unit
}

// shortest formats a number of the study's file, which a change of units may have rounded.
func shortest(x float64) string { return fmt.Sprintf("%.10g", x) }

func classList(list []int) string {
	noun := "classes "
	if len(list) == 1 {
		noun = "class "
	}
	return noun + strings.Trim(strings.Join(strings.Fields(fmt.Sprint(list)), ", "), "[]")
}

// pair names a test that has no side.
func (c *Finding) pair() string { return join(c.A+" and "+c.B, c.Problem) }
