package report

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"drolab/dro"
	"drolab/runner"
	"drolab/runner/compare"
	"drolab/runner/measure"
	"drolab/runner/page"
	"drolab/runner/record"
	"drolab/runner/spec"
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
	// Few says what the test lacks: the claim's own arm, or seeds.
	Few string `json:"few,omitempty"`
	// Repeats is the problem on which the same test was already made. The methods of such a test do
	// not depend on the condition, and the test counts once.
	Repeats string  `json:"repeats,omitempty"`
	Verdict Verdict `json:"verdict"`
	// Exploratory says that a run of the test was begun before the study was registered.
	Exploratory bool `json:"exploratory,omitempty"`

	claim *Claim
}

// judge tests the families of claims and, for the first one, the claims of further arms, each of
// which is a family of its own.
func (r *Report) judge() {
	byArm := map[string][]*Finding{}
	for i := range r.study.Families {
		of := &r.study.Families[i]
		f := &TestedFamily{Name: of.Name, Level: of.Confidence, Correction: of.Correction,
			title: of.Title, Claims: []*Finding{}}
		for j := range of.Claims {
			claim := &of.Claims[j]
			for _, c := range claim.Under {
				for _, pair := range claim.Pairs {
					p := r.conditions[c]
					if c := r.claim(p, claim, pair); c != nil {
						f.Claims = append(f.Claims, c)
					}
					for _, a := range p.further(pair[0]) {
						if c := r.test(p, claim, a, p.own[pair[1]]); i == 0 && len(c.Seeds) > 0 {
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
	for _, one := range r.study.Reproduction {
		for _, at := range one.Under {
			p := r.conditions[at]
			a := p.own[one.Arm]
			c := &Finding{Key: "reproduction", Problem: p.Label, A: a.label,
				B: "the published value", Measure: one.Measure, claim: &Claim{}}
			if r.study.Published != nil {
				c.B = r.study.Published.Name
			}
			c.Difference = differenceOf(a, a, func(r, _ *ran) (x, y float64) {
				return r.Summary().Named(one.Measure).Float(), one.Value
			}, 0)
			if len(c.Values) > 1 && !slices.ContainsFunc(r.Reproduction, c.sameTest) {
				r.Reproduction = append(r.Reproduction, c)
			}
		}
	}
	correct(r.Reproduction, &Family{Confidence: level, Correction: Holm}, true)
}

// correct corrects the tests of a family. It sets the verdicts and returns the number of tests,
// which is fixed for a registered study. Else a repeated test counts once.
func correct(list []*Finding, of *Family, fixed bool) (tests int) {
	var family []*Difference
	for i, c := range list {
		if c.Few != "" && len(c.Seeds) == 0 {
			continue
		}
		if same := first(list[:i], c.sameTest); same != nil && !fixed {
			c.Repeats = same.Problem
		} else {
			family = append(family, &c.Difference)
		}
	}
	adjust(family, of.Confidence, of.Correction)
	for _, c := range list {
		if c.Repeats != "" {
			same := first(list, c.sameTest)
			c.Adjusted, c.Detectable, c.confidence = same.Adjusted, same.Detectable, same.confidence
		}
		if c.claim.Equivalent > 0 { // it holds for the two-sided test alone
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
func (r *Report) claim(p *Problem, claim *Claim, pair [2]int) *Finding {
	a, b := p.own[pair[0]], p.own[pair[1]]
	c := r.test(p, claim, a, b)
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
func (r *Report) test(p *Problem, claim *Claim, a, b *arm) *Finding {
	c := &Finding{Key: claim.Key, Problem: p.Label, A: a.label, B: b.label, Says: claim.Says,
		Source: claim.Source, Reading: claim.Reading, Measure: claim.Measure, Higher: claim.Higher,
		Margin:     measure.Num(claim.Margin + claim.Equivalent),
		Difference: emptyDifference(), claim: claim}
	if claim.As != "" {
		c.Problem = claim.As
	}
	if claim.Measure == StepTime {
		c.Measure = ""
	}
	if len(a.runs) == 0 || len(b.runs) == 0 {
		return c
	}
	plain := c.Measure != "" && !claim.Along && claim.Classes[0] == nil
	if plain {
		c.Measure = a.runs[0].Meta.MeasureFor(c.Measure)
	}
	value := comparedValue(claim, c.Measure, p.condition.Radius)
	c.Difference = differenceOf(a, b, value, claim.Margin)
	for _, one := range slices.Concat(a.runs, b.runs) {
		c.Exploratory = c.Exploratory || one.Meta.Created.Before(r.study.Registered) &&
			slices.Contains(c.Seeds, one.seed())
	}
	if claim.Equivalent > 0 {
		c.P = measure.Known(compare.Equivalence(spec.Map(c.Values, measure.Number.Float),
			claim.Equivalent))
	}
	if len(c.Values) == 1 {
		c.Few = "one seed"
	}
	if plain && r.study.Window > 0 {
		c.Window = differenceOf(a, b, windowMean(c.Measure, r.study.Window), 0).Mean
	}
	return c
}

// sameTest tells whether two claims are the same test of the same numbers.
func (c *Finding) sameTest(o *Finding) bool {
	return o.Key == c.Key && o.A == c.A && o.B == c.B && o.Repeats == "" &&
		slices.Equal(o.Seeds, c.Seeds) && slices.Equal(o.Values, c.Values)
}

func (c *Finding) verdict() Verdict {
	switch beyond := c.Mean.Float() > c.Margin.Float(); {
	case !c.significant():
		return Undecided
	case beyond == c.Higher || c.claim.Equivalent > 0:
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
	other := func(c *Finding) bool { return c.Problem != p.Label }
	return slices.DeleteFunc(slices.Clone(list), other)
}

// text returns the claim as a relation.
func (c *Finding) text() string { return c.relation(c.A) }

func (c *Finding) relation(a string) string {
	claim, sign, other := c.claim, "<", c.B
	if c.Higher {
		sign = ">"
	}
	if claim.Equivalent > 0 {
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
		what = classes(claim.Classes[0])
	case claim.Along:
		what += ", along the run"
	}
	switch margin := claim.Margin; {
	case margin != 0 && claim.Measure == StepTime:
		other = fmt.Sprintf("%g × %s", math.Exp(margin), other)
	case margin != 0:
		other += " " + c.unit(margin)
	case claim.Equivalent > 0:
		other += ", ±" + strings.TrimPrefix(c.unit(claim.Equivalent), "+ ")
	}
	return fmt.Sprintf("%s: %s %s %s", strings.TrimSuffix(what, " accuracy"), a, sign, other)
}

// unit formats a margin with its sign.
func (c *Finding) unit(x float64) string {
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
func (c *Finding) pair() string { return join(c.A+" and "+c.B, c.Problem) }

// Difference is the difference of a measure between two arms, over the seeds that both have.
type Difference struct {
	Seeds  []uint64         `json:"seeds"`
	Values []measure.Number `json:"values"` // one for each seed
	Mean   measure.Number   `json:"mean"`
	Half   measure.Number   `json:"half"` // half width of the mean's t interval at Report.Level
	// P is the two-sided p of Student's paired t test against 0 or the claim's margin. It does not
	// apply where the test cannot be made. Adjusted is P after Holm's correction.
	P        measure.Number `json:"p"`
	Adjusted measure.Number `json:"adjusted_p"`
	// Detectable is the least distance of the true mean from the margin that the test finds with
	// 80 % power. It holds at the first step of the correction, if the differences have the
	// standard deviation of these seeds.
	Detectable measure.Number `json:"detectable"`

	confidence float64 // of the test, 1 less its level
}

// emptyDifference returns the difference over no seed.
func emptyDifference() Difference {
	return Difference{Seeds: []uint64{}, Values: []measure.Number{}}
}

// pairValue returns the values of a measure in two runs that are compared. A value is NaN where the
// measure does not apply.
type pairValue func(a, b *ran) (x, y float64)

// ofEachRun compares a value that is computed from one run alone.
func ofEachRun(value func(*ran) measure.Number) pairValue {
	return func(a, b *ran) (x, y float64) { return value(a).Float(), value(b).Float() }
}

// lastOf returns a measure at the last iterate or, outside of studies, at the step that the page
// compares. The robust risk is that of the radius, whatever radius a run trained by; 0 stands for
// the run's own. That of the training split is measured at the run's own radius alone.
func lastOf(name string, radius float64) func(*ran) measure.Number {
	return func(r *ran) (n measure.Number) {
		switch {
		case name == trainRisk && radius != 0 && radius != r.Meta.Spec.Rho:
			return n
		case name != robustRisk || radius == 0:
			return r.results().Named(r.Meta.MeasureFor(name))
		}
		list := r.results().ByGroup.Named("robust_risk_at")
		if i := slices.Index(r.Meta.Spec.RiskRadii, radius); i >= 0 && i < len(list) {
			n = list[i]
		}
		return n
	}
}

const robustRisk = "robust_risk"

// windowMean compares a measure's mean over the last evaluations. It does not apply to a run with
// fewer.
func windowMean(name string, size int) pairValue {
	return ofEachRun(func(r *ran) measure.Number {
		if len(r.evals) < size {
			return measure.Number{}
		}
		mean := 0.0
		for _, e := range r.evals[len(r.evals)-size:] {
			mean += e.Named(name).Float() / float64(size)
		}
		return measure.Num(mean)
	})
}

// comparedValue returns what a claim compares: see lastOf for the radius.
func comparedValue(claim *Claim, measured string, radius float64) pairValue {
	switch {
	case claim.Measure == StepTime:
		return stepTime
	case claim.Along:
		return func(a, b *ran) (x, y float64) { return meanAlong(measured, a, b) }
	case claim.Classes[0] != nil:
		return func(a, b *ran) (x, y float64) {
			return pooled(a, measured, claim.Classes[0]).Float(),
				pooled(b, measured, claim.Classes[1]).Float()
		}
	}
	return ofEachRun(lastOf(measured, radius))
}

// pooled returns the mean of a measure over classes.
func pooled(r *ran, name string, classes []int) measure.Number {
	values, sum := r.results().ByGroup.Named(name), 0.0
	for _, i := range classes {
		if i >= len(values) || !values[i].Applies() {
			return measure.Number{}
		}
		sum += values[i].Float() / float64(len(classes))
	}
	return measure.Num(sum)
}

// differenceOf tests a − b against margin. Runs of one seed are a pair, since the seed decides the
// initialisation and the batch order of both.
func differenceOf(a, b *arm, value pairValue, margin float64) Difference {
	d := emptyDifference()
	var xs, ys []float64
	for _, r := range a.runs {
		o := first(b.runs, func(o *ran) bool { return o.seed() == r.seed() })
		if o == nil {
			continue
		}
		x, y := value(r, o)
		if difference := measure.Num(x - y); difference.Finite() {
			d.Seeds, d.Values = append(d.Seeds, r.seed()), append(d.Values, difference)
			xs, ys = append(xs, x-margin), append(ys, y)
		}
	}
	_, d.Mean, _, d.Half = compare.Describe(d.Values, level)
	if len(d.Values) > 1 {
		d.P = measure.Known(compare.PairedT(xs, ys))
	}
	return d
}

// first returns the first of the list that is so, or nil.
func first[T any](list []*T, is func(*T) bool) *T {
	if i := slices.IndexFunc(list, is); i >= 0 {
		return list[i]
	}
	return nil
}

// power is the power of the test at which Difference.Detectable is computed.
const power = .8

// adjust sets Adjusted and Detectable of differences whose tests form one family.
func adjust(list []*Difference, confidence float64, correction string) {
	p := spec.Map(list, func(d *Difference) float64 { return d.P.Float() })
	found, tests := map[int]float64{}, 1
	if correction == Holm {
		p, tests = compare.Holm(p), len(list)
	}
	for i, q := range p {
		d, n := list[i], len(list[i].Values)
		d.Adjusted, d.confidence = measure.Known(q), confidence
		if !d.P.Applies() {
			continue
		}
		if _, known := found[n]; !known {
			found[n] = compare.Detectable(n, (1-confidence)/float64(tests), power)
		}
		deviation := d.Half.Float() / compare.HalfWidth(n, level) * math.Sqrt(float64(n))
		d.Detectable = measure.Num(found[n] * deviation)
	}
}

// significant tells whether the corrected test rejects.
func (d *Difference) significant() bool { return d.Adjusted.Float() < 1-d.confidence }

// readLog returns a run with its evaluations and steps, without those that a resume has taken back,
// and with the time that it trained.
func readLog(r *record.Run) (*ran, error) {
	p := record.NewProgress(&r.Meta)
	h, err := record.ReadHistory(r.Tail(), func(e runner.Event) {
		p.Add(e)
		if s, ok := e.(*runner.StepEvent); ok { // only their pace is used
			s.Values, s.Min, s.Max = nil, nil, nil
		}
	})
	if err != nil {
		return nil, fmt.Errorf("run %s: %w", r.Meta.ID, err)
	}
	out := &ran{Run: r, evals: h.Evals, seconds: p.Seconds}
	for _, s := range h.Steps {
		if speed := s.ImagesPerSecond.Float(); speed > 0 {
			out.ticks = append(out.ticks, tick{s.Time, float64(r.Meta.Spec.Batch) / speed})
		}
	}
	return out, nil
}

// curve returns the mean and t interval of a measure over the runs that were trained here. The only
// evaluation of an imported run belongs to no step.
func (a *arm) curve(measure string) page.Curve {
	var evals [][]*runner.EvalEvent
	for _, r := range a.runs {
		if r.Meta.Imported == nil {
			evals = append(evals, r.evals)
		}
	}
	return page.Curve{Name: a.label, Points: compare.MeanCurve(evals, measure, level)}
}

// meanAlong returns the mean of a measure over the evaluations that two runs have at
// the same steps.
func meanAlong(measure string, a, b *ran) (x, y float64) {
	n := 0.0
	for _, e := range a.evals {
		o := first(b.evals, func(o *runner.EvalEvent) bool { return o.Step == e.Step })
		if o == nil {
			continue
		}
		v, w := e.Named(measure), o.Named(measure)
		if v.Applies() && w.Applies() {
			x, y, n = x+v.Float(), y+w.Float(), n+1
		}
	}
	return x / n, y / n
}
