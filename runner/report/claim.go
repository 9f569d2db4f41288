package report

import (
	"fmt"
	"slices"

	"drolab/dro"
	"drolab/runner"
)

// Verdict is what the seeds say of a claim.
type Verdict string

// The verdicts. A claim is decided where the corrected two-sided test rejects that
// the difference is the claim's margin, which mostly is 0.
const (
	Supported    Verdict = "supported"
	NotSupported Verdict = "not supported" // the difference is significantly the other way
	Undecided    Verdict = "undecided at this number of seeds"
)

// Claim is a claim of the paper about two methods on one problem, tested.
type Claim struct {
	Key     string        `json:"key"`
	Problem string        `json:"problem"`
	A       string        `json:"a"` // the arms
	B       string        `json:"b"`
	Says    string        `json:"says"` // A says B
	Source  string        `json:"source"`
	Reading string        `json:"reading"` // on which the verdict depends
	Measure string        `json:"measure,omitempty"`
	Higher  bool          `json:"higher"` // it is claimed that A is above B, else below
	Margin  runner.Number `json:"margin"` // added to B
	Difference
	// Window is the mean difference where the last evaluations, as many as the
	// paper's window, are averaged in place of the last iterate's.
	Window runner.Number `json:"window"`
	// Repeats is the problem that the same test was made on: its methods do not
	// depend on the radius, and it counts once.
	Repeats string  `json:"repeats,omitempty"`
	Verdict Verdict `json:"verdict"`
}

// Sentence is the claim in words.
func (c *Claim) Sentence() string { return fmt.Sprintf("%s %s %s", c.A, c.Says, c.B) }

// claim tests what the paper claims on every problem that has the methods for it.
func (r *Report) claim() {
	var family []*Difference
	for _, say := range claims() {
		for _, p := range r.Problems {
			for _, pair := range say.pairs {
				c := p.claim(&say, pair)
				if c == nil {
					continue
				}
				same := slices.IndexFunc(r.Claims, c.sameTest)
				if same >= 0 {
					c.Repeats = r.Claims[same].Problem
				} else {
					family = append(family, &c.Difference)
				}
				r.Claims = append(r.Claims, c)
			}
		}
	}
	adjust(family)
	r.Tests = len(family)
	for _, c := range r.Claims {
		if c.Repeats != "" {
			c.Adjusted = r.Claims[slices.IndexFunc(r.Claims, c.sameTest)].Adjusted
		}
		c.Verdict = c.verdict()
	}
}

func (p *Problem) claim(say *claimed, pair [2]dro.Algorithm) *Claim {
	a, b := p.arm(pair[0]), p.arm(pair[1])
	if a == nil || b == nil {
		return nil
	}
	measure, value := say.measure, say.value
	if value == nil {
		measure = a.runs[0].Meta.Fit(measure)
		value = last(measure)
	}
	c := &Claim{Key: say.key, Problem: p.Label, A: a.label, B: b.label, Says: say.says, Source: say.source,
		Reading: say.reading, Measure: measure, Higher: say.higher, Margin: runner.Num(say.margin),
		Difference: differ(a, b, value, say.margin)}
	if len(c.Values) == 0 {
		return nil
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
