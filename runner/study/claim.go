package study

import (
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strings"

	"drolab/dro"
	"drolab/runner/measure"
	"drolab/runner/spec"
)

// families reads a family of claims.
func (p *parser) families(e Entry) {
	f := Family{Name: e.Key, Title: "The claims", Correction: Holm}
	level, like, instead := .05, "", []int{}
	p.read(e, "a family", rows{
		"title": oneLine(&f.Title), "secondary": value(&f.Secondary, "true or false", nil),
		"level": value(&level, "a number in (0, 1)",
			func(x float64) bool { return x > 0 && x < 1 }),
		"correction": oneOf(&f.Correction, Holm, None),
		"like":       oneLine(&like),
		"instead":    p.arm(&instead),
		"claims":     nil,
	})
	f.Confidence = 1 - level
	claims := entryOf(e, "claims")
	switch {
	case like != "":
		p.like(e, &f, like, instead)
	case claims == nil || len(claims.Below) == 0:
		p.fail(e.Line, "%s: no claims: a family has at least one", e.Key)
	default:
		for _, c := range claims.Below {
			p.claim(c, &f)
		}
	}
	p.of.Families = append(p.of.Families, f)
}

// like takes over the claims of an earlier family whose first arm is the first of two, with the
// second in its place.
func (p *parser) like(e Entry, f *Family, name string, instead []int) {
	i := slices.IndexFunc(p.of.Families, func(o Family) bool { return o.Name == name })
	if i < 0 || len(instead) != 2 {
		p.fail(e.Line, "%s: want the name of a family above, and instead: [ARM, OTHER]", e.Key)
		return
	}
	for _, c := range p.of.Families[i].Claims {
		var pairs [][2]int
		for _, pair := range c.Pairs {
			if pair[0] == instead[0] {
				pairs = append(pairs, [2]int{instead[1], pair[1]})
			}
		}
		if c.Pairs = pairs; len(pairs) > 0 {
			f.Claims = append(f.Claims, c)
		}
	}
}

func (p *parser) arm(into *[]int) func(Entry) error {
	var names []string
	for _, a := range p.of.Arms {
		names = append(names, a.Name)
	}
	return p.names(into, "arm", names)
}

// pairs reads two arms, or a list of pairs of arms.
func (p *parser) pairs(into *[][2]int) func(Entry) error {
	return func(e Entry) error {
		var lists []json.RawMessage
		if json.Unmarshal(e.Value, &lists) != nil || len(lists) == 0 || lists[0][0] != '[' {
			lists = []json.RawMessage{e.Value}
		}
		for _, one := range lists {
			var pair []int
			if err := p.arm(&pair)(Entry{Key: e.Key, Line: e.Line, Value: one}); err != nil {
				return err
			}
			if len(pair) != 2 {
				return fmt.Errorf("arms: %.60s: want two arms, as in [sfk, erm]", one)
			}
			*into = append(*into, [2]int(pair))
		}
		return nil
	}
}

// measure reads the name of a measure, or its short title.
func (p *parser) measure(into *string) func(Entry) error {
	return func(e Entry) error {
		if err := oneLine(into)(e); err != nil || *into == StepTime {
			return err
		}
		for _, m := range measure.EvalMeasures() {
			if m.Name == *into || m.Head() == *into && !m.IsList() {
				*into = m.Name
				return nil
			}
		}
		return fmt.Errorf("measure: %.40q: no such measure: drolab show lists a run's, and there "+
			"is %s", *into, StepTime)
	}
}

func (p *parser) claim(e Entry, f *Family) {
	var c Claim
	var at, direction string
	margin, before := 0.0, len(p.errs)
	p.read(e, "a claim", rows{
		"key": oneLine(&c.Key), "says": oneLine(&c.Says), "source": oneLine(&c.Source),
		"reading": oneLine(&c.Reading), "name": oneLine(&c.Name), "measure": p.measure(&c.Measure),
		"at": oneOf(&at, "end", "along"), "arms": p.pairs(&c.Pairs),
		"classes": p.classes(&c.Classes[0]), "other": p.classes(&c.Classes[1]),
		"parts":     value(&c.Parts, "two names", func(l []string) bool { return len(l) == 2 }),
		"direction": oneOf(&direction, "less", "greater"),
		"margin":    value(&margin, "a number", nil),
		"equivalent": value(&c.Equivalent, "a number above 0",
			func(x float64) bool { return x > 0 }),
		"under": p.under(&c.Under), "as": oneLine(&c.As),
	})
	if len(p.errs) > before {
		return
	}
	m, _ := measure.FindMeasure(c.Measure)
	has := func(key string) bool { return entryOf(e, key) != nil }
	switch {
	case c.Measure == "":
		p.fail(e.Line, "a claim: no measure: as in measure: test_loss")
	case len(c.Pairs) == 0:
		p.fail(e.Line, "a claim: no arms: as in arms: [sfk, erm]")
	case has("direction") == has("equivalent"):
		p.fail(e.Line, "a claim: want either direction: less or greater, or equivalent: MARGIN")
	case has("margin") && has("equivalent"):
		p.fail(e.Line, "a claim: the margin of equivalence is that of equivalent")
	case has("classes") != (m.Axis == measure.PerClass):
		p.fail(e.Line, "a claim: %s: a measure of classes wants classes, as in [0, 2], and no "+
			"other does", c.Measure)
	case c.Measure == StepTime && at != "":
		p.fail(e.Line, "a claim: %s has no %s", StepTime, at)
	case m.IsList() && m.Axis != measure.PerClass:
		p.fail(e.Line, "a claim: %s: want a measure with one value", c.Measure)
	}
	p.checkRadius(e, &c)
	if c.Under = p.all(c.Under); c.As != "" && len(c.Under) > 1 {
		p.fail(e.Line, "a claim: as: wants under with one condition")
	}
	if len(c.Classes[1]) == 0 {
		c.Classes[1] = c.Classes[0]
	}
	c.Along, c.Higher = at == "along", direction == "greater"
	c.Margin, c.Equivalent = own(m, margin), own(m, c.Equivalent)
	if c.Measure == StepTime { // a ratio of times is a difference of logarithms
		c.Margin, c.Equivalent = logOf(c.Margin), logOf(c.Equivalent)
	}
	if c.Key == "" {
		c.Key = strings.ReplaceAll(c.Measure, "_", "-")
	}
	f.Claims = append(f.Claims, c)
}

// checkRadius refuses a robust risk at a radius at which an arm does not measure it.
func (p *parser) checkRadius(e Entry, c *Claim) {
	for _, at := range p.all(c.Under) {
		of := p.of.Conditions[at]
		for _, pair := range c.Pairs {
			for _, arm := range pair {
				a := &p.of.Arms[arm]
				if c.Measure == "robust_risk" && of.Radius > 0 &&
					!slices.Contains(a.Specs[at].RiskRadii, of.Radius) {
					p.fail(e.Line, "a claim: %s trains by another radius than %g: add that one to "+
						"its risk_radii", a.Name, of.Radius)
					return
				}
			}
		}
	}
}

func logOf(ratio float64) float64 {
	if ratio <= 0 { // none is given
		return 0
	}
	return math.Log(ratio)
}

// own returns a value, which people write in per cent for accuracies, in the measure's own unit.
func own(m measure.Measure, x float64) float64 {
	if m.Scale == dro.Percent {
		return x / 100
	}
	return x
}

// reproductions reads the comparison of an arm with a published number.
func (p *parser) reproductions(e Entry) {
	var arm []int
	r := Reproduction{Measure: "test_accuracy"}
	one := func(e Entry) error {
		quoted := append(append([]byte("["), e.Value...), ']')
		return p.arm(&arm)(Entry{Key: e.Key, Value: quoted})
	}
	p.read(e, "reproduction", rows{"arm": one, "measure": p.measure(&r.Measure),
		"value": value(&r.Value, "a number", nil), "under": p.under(&r.Under)})
	m, _ := measure.FindMeasure(r.Measure)
	t := p.of.Published
	switch {
	case len(arm) != 1:
		p.fail(e.Line, "reproduction: want an arm, as in {arm: erm, measure: mean, value: 72.9}")
		return
	case entryOf(e, "value") == nil && (t == nil || t.Rows[p.of.Arms[arm[0]].Name] == nil):
		p.fail(e.Line, "reproduction: want the published value")
		return
	case entryOf(e, "value") == nil:
		r.Value = t.Mean(p.of.Arms[arm[0]].Name)
	}
	r.Arm, r.Value, r.Under = arm[0], own(m, r.Value), p.all(r.Under)
	p.of.Reproduction = append(p.of.Reproduction, r)
}

// sensitivity reads a setting with the values that are compared.
func (p *parser) sensitivity(e Entry) {
	var s Sensitivity
	var values []json.RawMessage
	known := func(key string) bool { _, ok := spec.FindSetting(key); return ok }
	before := len(p.errs)
	p.read(e, "sensitivity", rows{"setting": value(&s.Setting, "a setting", known),
		"values": value(&values, "a list of values", nil), "arms": p.arm(&s.Arms)})
	for _, v := range values {
		s.Values = append(s.Values, strings.Trim(string(v), `"`))
	}
	if len(p.errs) == before && (s.Setting == "" || len(s.Values) == 0 || len(s.Arms) == 0) {
		p.fail(e.Line, "sensitivity: want {setting: init, values: [he], arms: [sfk]}")
	}
	p.of.Sensitivity = append(p.of.Sensitivity, s)
}
