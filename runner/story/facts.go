package story

import (
	"fmt"
	"math"
	"slices"
	"strconv"

	"drolab/dro"
	"drolab/runner"
	"drolab/runner/compare"
	"drolab/runner/measure"
)

// claim is the least number of seeds with which a difference is tested. With fewer the sentence
// speaks of these seeds alone.
const claim = 4

// point is the least difference that the sentence speaks of, in points of accuracy.
const point = 1.0

// facts holds the measurements of a cast. Accuracies are in percent, differences in points.
type facts struct {
	*cast
	others  int      // the number of arms that are compared, without the baseline
	best    *arm     // the best of these arms by worst class, or else by robust risk
	last    *arm     // the last of these arms, by the same
	lead    *arm     // the arm that the sentence is about
	worst   bool     // all have a worst class or group
	risk    bool     // all have a robust risk
	gain    estimate // of the lead's worst class over the baseline's
	mean    estimate // of the lead's mean accuracy over the baseline's
	drop    estimate // of the lead's robust risk below the baseline's, in nats
	sunk    []*arm   // others whose worst class is below the baseline's by a point or more
	lifted  int      // others whose worst class is above it by a point or more
	overfit []string // names of the arms that have begun to overfit
	// turned says that the last evaluation alone contradicts the gain, as the table shows.
	turned bool
	early  string // why it is too early to compare the arms; "" if it is not
}

// estimate is a mean difference over the seeds. half is half the width of its interval, 0 if
// nothing is tested.
type estimate struct{ value, half float64 }

// low returns the lower end of the interval.
func (e estimate) low() float64 { return e.value - e.half }

// high returns the upper end of the interval.
func (e estimate) high() float64 { return e.value + e.half }

// facts measures the cast. The sentence is about the first arm that was best and, from then on,
// about an arm that has been best for three evaluations. So its subject depends on the evaluations,
// and not on when somebody looked.
func (c *cast) facts() *facts {
	const holds = 3
	f := &facts{cast: c}
	among := c.arms
	if c.base != nil {
		among = rivalsOf(c.arms[1:])
	}
	var next *arm
	since := 0
	for n := range c.n {
		c.n = n + 1
		f.rank(among)
		if f.early = f.tooEarly(); f.early != "" {
			continue
		}
		if since++; f.best != next {
			next, since = f.best, 1
		}
		if f.lead == nil || since >= holds {
			f.lead = f.best
		}
	}
	f.overfit = c.overfits()
	if f.lead == nil || c.base == nil {
		f.lead = f.best
	}
	if f.others = len(among); f.others == 0 {
		f.lead, f.best = c.base, c.base
		return f
	}
	if c.base == nil {
		return f
	}
	f.gain, f.mean = f.against(f.lead, worstAccuracy), f.against(f.lead, meanAccuracy)
	f.turned = math.Abs(f.gain.value) > f.gain.half &&
		(f.now(f.lead)-f.now(f.base))*math.Copysign(1, f.gain.value) <= -point
	f.drop = f.against(f.lead, robustRisk)
	f.drop.value = -f.drop.value
	for _, a := range among {
		if f.against(a, worstAccuracy).value >= point {
			f.lifted++
		}
		if a != f.lead && f.against(a, worstAccuracy).high() <= -point {
			f.sunk = append(f.sunk, a)
		}
	}
	return f
}

// rank finds the best and the last of the arms.
func (f *facts) rank(among []*arm) {
	f.worst, f.risk, f.best, f.last = f.have(worstAccuracy), f.have(robustRisk), nil, nil
	of, sign := worstAccuracy, 1.0
	if !f.worst {
		of, sign = robustRisk, -1
	}
	for _, a := range among {
		switch v := sign * f.over(a, of); {
		case f.best == nil:
			f.best, f.last = a, a
		case v > sign*f.over(f.best, of):
			f.best = a
		case v < sign*f.over(f.last, of):
			f.last = a
		}
	}
}

// tooEarly says why nothing can be said of the arms yet. Nothing follows the last evaluation of
// runs that are done, so it is not too early then: a class that was never learnt is a result.
func (f *facts) tooEarly() string {
	lost := slices.IndexFunc(f.arms, func(a *arm) bool { return f.now(a) == 0 })
	switch {
	case len(f.arms) == 1 || f.done && f.n == len(f.arms[0].runs[f.seeds[0]].Evals):
		return ""
	case 5*f.epoch() < float64(f.planned):
		return "before a fifth of the run"
	case lost >= 0:
		return fmt.Sprintf("while a %s of %s is at 0 %%", f.kind(), f.arms[lost].name)
	}
	return ""
}

// kind says what suffers: a class, or a group where the runs have groups.
func (c *cast) kind() string { return c.arms[0].runs[c.seeds[0]].Meta.Part() }

// now returns the worst accuracy of an arm at the last evaluation alone.
func (c *cast) now(a *arm) float64 {
	alone := *c
	alone.window = 1
	return alone.over(a, worstAccuracy)
}

// rivalsOf returns the arms that are compared with the baseline: the arms of other methods, or all
// arms if there are none. The plain method in other settings says nothing about the methods.
func rivalsOf(arms []*arm) []*arm {
	other := slices.DeleteFunc(slices.Clone(arms), (*arm).plain)
	if len(other) == 0 {
		return arms
	}
	return other
}

// plain tells whether an arm is of the plain method.
func (a *arm) plain() bool {
	for _, r := range a.runs {
		return r.Meta.Spec.Algorithm() == dro.Baseline()
	}
	return false
}

// quantity returns a quantity of an evaluation, or NaN if it does not apply.
type quantity func(*runner.Meta, *runner.EvalEvent) float64

func worstAccuracy(m *runner.Meta, e *runner.EvalEvent) float64 {
	return 100 * e.Of(m.Fit("worst_class_accuracy")).Float()
}

func meanAccuracy(_ *runner.Meta, e *runner.EvalEvent) float64 {
	return 100 * e.Of("test_accuracy").Float()
}

func robustRisk(_ *runner.Meta, e *runner.EvalEvent) float64 { return e.Of("robust_risk").Float() }

// latest returns the evaluations of an arm and seed that are spoken of by their mean. Accuracies of
// single evaluations swing, by as much as 60 points in early epochs.
func (c *cast) latest(a *arm, seed uint64) []*runner.EvalEvent {
	return a.runs[seed].Evals[max(0, c.n-c.window):c.n]
}

// of returns the mean of a quantity over the latest evaluations of an arm and seed.
func (c *cast) of(a *arm, seed uint64, of quantity) (mean float64) {
	evals := c.latest(a, seed)
	for _, e := range evals {
		mean += of(a.runs[seed].Meta, e) / float64(len(evals))
	}
	return mean
}

// over returns the mean of a quantity over the seeds.
func (c *cast) over(a *arm, of quantity) float64 {
	sum := 0.0
	for _, s := range c.seeds {
		sum += c.of(a, s, of)
	}
	return sum / float64(len(c.seeds))
}

// have tells whether all arms have a quantity in every seed.
func (c *cast) have(of quantity) bool {
	return !slices.ContainsFunc(c.arms, func(a *arm) bool {
		v := c.over(a, of)
		return math.IsNaN(v) || math.IsInf(v, 0)
	})
}

// against returns an arm's difference to the baseline. The arm was chosen among several, so the
// interval has Bonferroni's correction for that many tests.
func (f *facts) against(a *arm, of quantity) estimate {
	var differences []float64
	for _, s := range f.seeds {
		differences = append(differences, f.of(a, s, of)-f.of(f.base, s, of))
	}
	mean, half := compare.TInterval(differences, 1-.05/float64(f.others))
	if len(f.seeds) < claim {
		half = 0
	}
	return estimate{mean, half}
}

// part returns the worst class or group of an arm, or "" if it differs between seeds or between
// evaluations.
func (c *cast) part(a *arm) (name string) {
	for i, s := range c.seeds {
		for k, e := range c.latest(a, s) {
			worst := worstPart(a.runs[s].Meta, e)
			if i+k > 0 && worst != name {
				return ""
			}
			name = worst
		}
	}
	return name
}

// worstPart returns the class or group with the least accuracy among those that have min_group test
// samples.
func worstPart(m *runner.Meta, e *runner.EvalEvent) (name string) {
	counts := m.Counts(m.Main()).Test
	known := measure.Enough(e.ByGroup.Of(m.Fit("class_accuracy")), counts, m.Spec.MinGroup)
	if i, names := measure.Worst(known, false), m.Names(m.Main()); i >= 0 && i < len(names) {
		name = names[i]
	}
	return name
}

// overfits names the arms that have begun to overfit in every seed.
func (c *cast) overfits() (names []string) {
	for _, a := range c.arms {
		fits := func(s uint64) bool { return !overfit(a.runs[s].Evals[:c.n]) }
		if !slices.ContainsFunc(c.seeds, fits) {
			names = append(names, a.name)
		}
	}
	return names
}

// overfit reports whether the test loss of the last three evaluations is above its least value by a
// twentieth or more, while the train loss has gone on falling.
func overfit(evals []*runner.EvalEvent) bool {
	const evaluations, above = 3, 1.05
	var least *runner.EvalEvent
	since := []*runner.EvalEvent{}
	for _, e := range evals {
		if loss := e.Of("test_loss"); !loss.Applies() {
			return false
		} else if least == nil || loss.Float() < least.Of("test_loss").Float() {
			least, since = e, nil
		} else {
			since = append(since, e)
		}
	}
	if len(since) < evaluations {
		return false
	}
	since = since[len(since)-evaluations:]
	for _, e := range since {
		if !(e.Of("test_loss").Float() >= above*least.Of("test_loss").Float()) {
			return false
		}
	}
	return since[evaluations-1].Of("train_loss").Float() < least.Of("train_loss").Float()
}

// figures formats two accuracies without decimals, or with one if they differ by less than 2
// points.
func figures(a, b float64) (string, string) {
	digits := 0
	if math.Abs(a-b) < 2 {
		digits = 1
	}
	return strconv.FormatFloat(a, 'f', digits, 64), strconv.FormatFloat(b, 'f', digits, 64)
}

// atMost formats an upper bound of a cost in points, rounded up to a tenth and never 0.
func atMost(points float64) string {
	return tenth(max(.1, math.Ceil(10*points-1e-9)/10))
}

// atLeast formats a lower bound of a gain in points, rounded down to a tenth.
func atLeast(points float64) string { return tenth(math.Floor(10*points+1e-9) / 10) }

func tenth(points float64) string { return fmt.Sprintf("%.1f", points) }
