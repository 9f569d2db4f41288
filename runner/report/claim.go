package report

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"drolab/dro"
	"drolab/runner/compare"
	"drolab/runner/measure"
	"drolab/runner/study"
)

// Verdict is the seeds' answer to a claim.
type Verdict string

// The verdicts. A claim is decided where the corrected two-sided test rejects that the difference
// equals the claim's margin, which is 0 for most claims. A claim of equivalence is supported where
// two one-sided tests reject, and never contradicted.
const (
	Supported    Verdict = "supported"
	NotSupported Verdict = "not supported" // the difference is significantly the other way
	Undecided    Verdict = "undecided at this number of seeds"
)

// Claim is a claim of a study about two arms under one condition, tested.
type Claim struct {
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
	// Few says what the test lacks: the claim's own arm, or seeds.
	Few string `json:"few,omitempty"`
	// Repeats is the problem on which the same test was already made. The methods of such a test do
	// not depend on the condition, and the test counts once.
	Repeats string  `json:"repeats,omitempty"`
	Verdict Verdict `json:"verdict"`
	// Exploratory says that a run of the test was begun before the study was registered.
	Exploratory bool `json:"exploratory,omitempty"`

	says *study.Claim
}

// judge tests the families of claims and, for the first one, the claims of further arms, each of
// which is a family of its own.
func (r *Report) judge() {
	byArm := map[string][]*Claim{}
	for i := range r.study.Families {
		of := &r.study.Families[i]
		f := &Family{Name: of.Name, Level: of.Confidence, Correction: of.Correction,
			title: of.Title, Claims: []*Claim{}}
		for j := range of.Claims {
			say := &of.Claims[j]
			for _, c := range say.Under {
				for _, pair := range say.Pairs {
					p := r.at[c]
					if c := r.claim(p, say, pair); c != nil {
						f.Claims = append(f.Claims, c)
					}
					for _, a := range p.further(pair[0]) {
						if c := r.test(p, say, a, p.own[pair[1]]); i == 0 && len(c.Seeds) > 0 {
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

// reproduce compares arms with published numbers.
func (r *Report) reproduce() {
	for _, say := range r.study.Reproduction {
		for _, at := range say.Under {
			p := r.at[at]
			a := p.own[say.Arm]
			c := &Claim{Key: "reproduction", Problem: p.Label, A: a.label, B: "the published value",
				Measure: say.Measure, says: &study.Claim{}}
			if r.study.Published != nil {
				c.B = r.study.Published.Name
			}
			c.Difference = differ(a, a, func(r, _ *ran) (x, y float64, ok bool) {
				v := r.Summary().Of(say.Measure)
				return v.Float(), say.Value, v.Applies()
			}, 0)
			if len(c.Values) > 1 && !slices.ContainsFunc(r.Reproduction, c.sameTest) {
				r.Reproduction = append(r.Reproduction, c)
			}
		}
	}
	correct(r.Reproduction, &study.Family{Confidence: level, Correction: study.Holm}, true)
}

// correct corrects the tests of a family. It sets the verdicts and returns the number of tests,
// which is fixed for a registered study. Else a repeated test counts once.
func correct(list []*Claim, of *study.Family, fixed bool) (tests int) {
	var family []*Difference
	for i, c := range list {
		if c.Few != "" && len(c.Seeds) == 0 {
			continue
		}
		if same := slices.IndexFunc(list[:i], c.sameTest); same >= 0 && !fixed {
			c.Repeats = list[same].Problem
		} else {
			family = append(family, &c.Difference)
		}
	}
	adjust(family, of.Confidence, of.Correction)
	for _, c := range list {
		if c.Repeats != "" {
			same := list[slices.IndexFunc(list, c.sameTest)]
			c.Adjusted, c.Detectable, c.confidence = same.Adjusted, same.Detectable, same.confidence
		}
		if c.says.Equivalent > 0 { // it holds for the two-sided test alone
			c.Detectable = measure.Number{}
		}
		c.Verdict = c.verdict()
	}
	return len(family)
}

// further returns the arms, besides the study's own, on which the claims of an arm are tested:
// other settings of its method and, for the study's first arm, methods that are none of its own.
func (p *Problem) further(own int) (list []*arm) {
	for _, a := range p.arms {
		same := a.method() == p.study.Arms[own].Method()
		if a.name == "" && (same || own == 0 && p.arm(a.method()) == nil) {
			list = append(list, a)
		}
	}
	return list
}

// claim tests a claim on a pair of arms. If one has no runs although its method was run, or the
// study is registered, the claim says so; else it is nil.
func (r *Report) claim(p *Problem, say *study.Claim, pair [2]int) *Claim {
	a, b := p.own[pair[0]], p.own[pair[1]]
	c := r.test(p, say, a, b)
	for i, one := range []*arm{a, b} {
		if len(one.runs) > 0 {
			continue
		}
		method := r.study.Arms[pair[i]].Method()
		if !r.registered() && !slices.ContainsFunc(p.arms, func(o *arm) bool {
			return o.method() == method
		}) {
			return nil
		}
		if c.Few == "" || i == 0 {
			c.Few = "no run of " + one.label
		}
	}
	if len(c.Seeds) == 0 && c.Few == "" {
		return nil
	}
	return c
}

// test compares two arms.
func (r *Report) test(p *Problem, say *study.Claim, a, b *arm) *Claim {
	c := &Claim{Key: say.Key, Problem: p.Label, A: a.label, B: b.label, Says: say.Says,
		Source: say.Source, Reading: say.Reading, Measure: say.Measure, Higher: say.Higher,
		Margin: measure.Num(say.Margin + say.Equivalent), Difference: noDifference(), says: say}
	if say.As != "" {
		c.Problem = say.As
	}
	if say.Measure == study.StepTime {
		c.Measure = ""
	}
	if len(a.runs) == 0 || len(b.runs) == 0 {
		return c
	}
	plain := c.Measure != "" && !say.Along && say.Classes[0] == nil
	if plain {
		c.Measure = a.runs[0].Meta.Fit(c.Measure)
	}
	c.Difference = differ(a, b, valueOf(say, c.Measure, p.of.Radius), say.Margin)
	for _, one := range slices.Concat(a.runs, b.runs) {
		c.Exploratory = c.Exploratory || one.Meta.Created.Before(r.study.Registered) &&
			slices.Contains(c.Seeds, one.seed())
	}
	if say.Equivalent > 0 {
		p := compare.Equivalence(floats(c.Values), say.Equivalent)
		c.P = measure.NumIf(!math.IsNaN(p), p)
	}
	if len(c.Values) == 1 {
		c.Few = "one seed"
	}
	if plain && r.study.Window > 0 {
		c.Window = differ(a, b, window(c.Measure, r.study.Window), 0).Mean
	}
	return c
}

// sameTest tells whether two claims are the same test of the same numbers.
func (c *Claim) sameTest(o *Claim) bool {
	return o.Key == c.Key && o.A == c.A && o.B == c.B && o.Repeats == "" &&
		slices.Equal(o.Seeds, c.Seeds) && slices.Equal(o.Values, c.Values)
}

func (c *Claim) verdict() Verdict {
	switch beyond := c.Mean.Float() > c.Margin.Float(); {
	case !c.significant():
		return Undecided
	case beyond == c.Higher || c.says.Equivalent > 0:
		return Supported
	}
	return NotSupported
}

// claims returns the claims of the first family.
func (r *Report) claims() []*Claim {
	if len(r.Families) == 0 {
		return nil
	}
	return r.Families[0].Claims
}

// on returns the claims on the problem.
func (p *Problem) on(list []*Claim) (found []*Claim) {
	for _, c := range list {
		if c.Problem == p.Label {
			found = append(found, c)
		}
	}
	return found
}

// short returns the claim as a relation.
func (c *Claim) short() string { return c.relation(c.A) }

func (c *Claim) relation(a string) string {
	say, sign, other := c.says, "<", c.B
	if c.Higher {
		sign = ">"
	}
	if say.Equivalent > 0 {
		sign = "≈"
	}
	m, _ := measure.FindMeasure(c.Measure)
	what := m.Title
	switch {
	case say.Parts != nil:
		return fmt.Sprintf("%s: %s %s %s", a, say.Parts[0], sign, say.Parts[1])
	case say.Name != "":
		what = say.Name
	case say.Measure == study.StepTime:
		what = "time of a step"
	case say.Classes[0] != nil:
		what = classes(say.Classes[0])
	case say.Along:
		what += ", along the run"
	}
	switch margin := say.Margin; {
	case margin != 0 && say.Measure == study.StepTime:
		other = fmt.Sprintf("%g × %s", math.Exp(margin), other)
	case margin != 0:
		other += " " + c.unit(margin)
	case say.Equivalent > 0:
		other += ", ±" + strings.TrimPrefix(c.unit(say.Equivalent), "+ ")
	}
	return fmt.Sprintf("%s: %s %s %s", strings.TrimSuffix(what, " accuracy"), a, sign, other)
}

// unit formats a margin with its sign.
func (c *Claim) unit(x float64) string {
	sign, unit := "+ ", ""
	if x < 0 {
		sign = "− "
	}
	if m, _ := measure.FindMeasure(c.Measure); m.Scale == dro.Percent {
		x, unit = 100*x, " point"
	}
	return fmt.Sprintf("%s%g%s", sign, math.Abs(x), unit)
}

func classes(list []int) string {
	return "classes " + strings.Trim(strings.Join(strings.Fields(fmt.Sprint(list)), ", "), "[]")
}

// pair names a test that has no side.
func (c *Claim) pair() string {
	if c.Problem == "" {
		return c.A + " and " + c.B
	}
	return c.A + " and " + c.B + ", " + c.Problem
}
