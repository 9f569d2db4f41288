package report

import (
	"slices"

	"drolab/dro"
	"drolab/runner/measure"
)

// Verdict is the seeds' answer to a claim.
type Verdict string

// The verdicts. A claim is decided where the corrected two-sided test rejects that the difference
// equals the claim's margin, which is 0 for most claims.
const (
	Supported    Verdict = "supported"
	NotSupported Verdict = "not supported" // the difference is significantly the other way
	Undecided    Verdict = "undecided at this number of seeds"
)

// Claim is a claim of the paper about two methods on one problem, tested.
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
	Margin  measure.Number `json:"margin"` // added to B
	Difference
	// Window is the mean difference of averages over the last five evaluations, the window of the
	// paper, in place of the values at the last iterate.
	Window measure.Number `json:"window"`
	// Few says what the test lacks: the claim's own arm, or seeds.
	Few string `json:"few,omitempty"`
	// Repeats is the problem on which the same test was already made. The methods of such a test do
	// not depend on the radius, and the test counts once.
	Repeats string  `json:"repeats,omitempty"`
	Verdict Verdict `json:"verdict"`
}

// claim tests the paper's claims on every problem that has the methods for them: on the arms that
// the claims are about and, in a family of its own, on each further arm.
func (r *Report) claim() {
	byArm := map[string][]*Claim{}
	for _, say := range claims() {
		for _, p := range r.Problems {
			for _, pair := range say.pairs {
				if c := p.claim(&say, pair); c != nil {
					r.Claims = append(r.Claims, c)
				}
				for _, a := range p.further(pair[0]) {
					if c := p.test(&say, a, p.arm(pair[1])); c != nil {
						r.Further, byArm[c.A] = append(r.Further, c), append(byArm[c.A], c)
					}
				}
			}
		}
	}
	r.Tests = judge(r.Claims)
	for _, list := range byArm {
		judge(list)
	}
}

// claimLater tests the later claims and, where Table 1 is for these data, whether the runs
// reproduce its means.
func (r *Report) claimLater() {
	for _, say := range later() {
		for _, p := range r.Problems {
			for _, pair := range say.pairs {
				if c := p.claim(&say, pair); c != nil {
					r.Later = append(r.Later, c)
				}
			}
		}
	}
	r.LaterTests = judge(r.Later)
	for _, row := range published.rows {
		for _, p := range r.Problems {
			a := p.arm(row.method)
			if a == nil || len(a.runs) < 2 || !p.published {
				continue
			}
			if c := a.reproduced(p.Label); !slices.ContainsFunc(r.Reproduction, c.sameTest) {
				r.Reproduction = append(r.Reproduction, c)
			}
		}
	}
	judge(r.Reproduction)
}

// judge corrects the tests of a family, where a repeated test counts once. It sets the verdicts and
// returns the number of different tests.
func judge(list []*Claim) (tests int) {
	var family []*Difference
	for i, c := range list {
		if c.Few != "" && len(c.Seeds) == 0 {
			continue
		}
		if same := slices.IndexFunc(list[:i], c.sameTest); same >= 0 {
			c.Repeats = list[same].Problem
		} else {
			family = append(family, &c.Difference)
		}
	}
	adjust(family)
	for _, c := range list {
		if c.Repeats != "" {
			same := list[slices.IndexFunc(list, c.sameTest)]
			c.Adjusted, c.Detectable = same.Adjusted, same.Detectable
		}
		c.Verdict = c.verdict()
	}
	return len(family)
}

// further returns the arms, besides the method's own, on which the method's claims are tested.
// These are other settings of the method and, for the first of the paper's methods, methods that
// the paper does not compare.
func (p *Problem) further(method dro.Algorithm) (list []*arm) {
	known := dro.PaperMethods()
	for _, a := range p.arms {
		foreign := method == known[0] && !slices.Contains(known, a.algorithm)
		if a != p.arm(method) && (a.algorithm == method || foreign) {
			list = append(list, a)
		}
	}
	return list
}

// claim tests a claim on the pair's own arms. If one is missing although its method was run, the
// claim says so. It is nil if a method was not run.
func (p *Problem) claim(say *claimed, pair [2]dro.Algorithm) *Claim {
	a, b := p.arm(pair[0]), p.arm(pair[1])
	if a != nil && b != nil {
		return p.test(say, a, b)
	}
	for _, method := range pair {
		if !slices.ContainsFunc(p.arms, func(o *arm) bool { return o.algorithm == method }) {
			return nil
		}
	}
	names := [2]string{}
	for i, method := range pair {
		first := p.arms[0].runs[0]
		m := first.Meta
		m.Spec = first.spec
		m.Spec.Algorithms = []dro.Algorithm{method}
		names[i] = first.name(&m, string(method))
	}
	c := say.of(p, names[0], names[1])
	c.Difference = noDifference()
	c.Few = "no run of " + names[0]
	if a != nil {
		c.Few = "no run of " + names[1]
	}
	return c
}

// of returns the claim on two arms, before any test.
func (say *claimed) of(p *Problem, a, b string) *Claim {
	return &Claim{
		Key: say.key, Problem: p.Label, A: a, B: b, Says: say.says, Source: say.source,
		Reading: say.reading, Measure: say.measure, Higher: say.higher,
		Margin: measure.Num(say.margin),
	}
}

// test compares two arms. It returns nil if an arm is nil or the measure applies to no common seed.
func (p *Problem) test(say *claimed, a, b *arm) *Claim {
	if a == nil || b == nil {
		return nil
	}
	measure, value := say.measure, say.value
	if value == nil {
		measure = a.runs[0].Meta.Fit(measure)
		value = last(measure)
	}
	c := say.of(p, a.label, b.label)
	c.Measure, c.Difference = measure, differ(a, b, value, say.margin)
	switch len(c.Values) {
	case 0:
		return nil
	case 1:
		c.Few = "one seed"
	}
	if say.value == nil {
		c.Window = differ(a, b, window(measure), 0).Mean
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
	case beyond == c.Higher:
		return Supported
	}
	return NotSupported
}
