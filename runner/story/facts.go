package story

import (
	"fmt"
	"math"
	"slices"
	"strconv"

	"drolab/dro"
	"drolab/runner"
	"drolab/runner/compare"
)

// claim is how many seeds a difference is tested from. Of fewer the sentence is of these seeds.
const claim = 4

// point is the least difference that is spoken of, in points of accuracy, where nothing is tested.
const point = 1.0

// facts are what is measured of a cast. Accuracies are in percent, differences in points.
type facts struct {
	*cast
	others  int      // arms but the baseline
	lead    *arm     // with the highest worst class: of others where there is a baseline
	last    *arm     // with the lowest, of the same
	worst   bool     // all have a worst class or group
	risk    bool     // all have a robust risk
	gain    estimate // of the lead's worst class over the baseline's
	mean    estimate // of the lead's mean accuracy over the baseline's
	drop    estimate // of the lead's robust risk below the baseline's, in nats
	sunk    []*arm   // others whose worst class is below the baseline's by a point or more
	lifted  int      // others whose worst class is above it by a point or more
	overfit []string // names
}

// estimate is a mean difference over the seeds; half is that of its interval, 0 where nothing is
// tested.
type estimate struct{ value, half float64 }

// low is the least that the difference can be.
func (e estimate) low() float64 { return e.value - e.half }

// high is the most that it can be.
func (e estimate) high() float64 { return e.value + e.half }

// facts measures the cast.
func (c *cast) facts() *facts {
	f := &facts{cast: c, worst: c.have(worstAccuracy), risk: c.have(robustRisk)}
	among := c.arms
	if c.base != nil {
		among = rivalsOf(c.arms[1:])
	}
	f.others = len(among)
	f.overfit = c.overfits()
	if f.others == 0 {
		f.lead = c.base
		return f
	}
	of, sign := worstAccuracy, 1.0
	if !f.worst {
		of, sign = robustRisk, -1
	}
	for _, a := range among {
		switch v := sign * c.over(a, of); {
		case f.lead == nil:
			f.lead, f.last = a, a
		case v > sign*c.over(f.lead, of):
			f.lead = a
		case v < sign*c.over(f.last, of):
			f.last = a
		}
	}
	if c.base == nil {
		return f
	}
	f.gain, f.mean = f.against(f.lead, worstAccuracy), f.against(f.lead, meanAccuracy)
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

// rivalsOf are the arms that a baseline is held against: those of other methods, where there are
// any. The plain method in other settings is no answer to what the methods do.
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

// quantity is one of an evaluation; NaN where it does not apply.
type quantity func(*runner.Meta, *runner.EvalEvent) float64

func worstAccuracy(m *runner.Meta, e *runner.EvalEvent) float64 {
	return 100 * e.Of(m.Fit("worst_class_accuracy")).Float()
}

func meanAccuracy(_ *runner.Meta, e *runner.EvalEvent) float64 {
	return 100 * e.Of("test_accuracy").Float()
}

func robustRisk(_ *runner.Meta, e *runner.EvalEvent) float64 { return e.Of("robust_risk").Float() }

// of is a quantity of a seed's run at the epoch.
func (c *cast) of(a *arm, seed uint64, of quantity) float64 {
	return of(a.runs[seed].Meta, a.at(seed, c.epoch))
}

// over is its mean over the seeds.
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

// against is an arm's difference to the baseline. It was chosen among several, so its interval is
// that of as many tests: Bonferroni's correction.
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

// part is the worst class or group of an arm: that of all the seeds, or "" where they differ.
func (c *cast) part(a *arm) (name string) {
	for i, s := range c.seeds {
		r := a.runs[s]
		worst := worstPart(r.Meta, r.at(c.epoch))
		if i > 0 && worst != name {
			return ""
		}
		name = worst
	}
	return name
}

// worstPart is the class or group with the least accuracy, of those with min_group test samples.
func worstPart(m *runner.Meta, e *runner.EvalEvent) (name string) {
	counts, least := m.Counts(m.Main()).Test, math.Inf(1)
	for i, v := range e.ByGroup.Of(m.Fit("class_accuracy")) {
		few := i < len(counts) && counts[i] < m.Spec.MinGroup
		if names := m.Names(m.Main()); v.Applies() && !few && v.Float() < least && i < len(names) {
			name, least = names[i], v.Float()
		}
	}
	return name
}

// overfits names the arms that have begun to overfit in every seed.
func (c *cast) overfits() (names []string) {
	for _, a := range c.arms {
		fits := func(s uint64) bool { return !overfit(a.runs[s], c.epoch) }
		if !slices.ContainsFunc(c.seeds, fits) {
			names = append(names, a.name)
		}
	}
	return names
}

// overfit tells whether the test loss has been above its least by a twentieth for three
// evaluations up to an epoch, while the train loss went on falling.
func overfit(r Run, epoch float64) bool {
	const evaluations, above = 3, 1.05
	var least *runner.EvalEvent
	since := []*runner.EvalEvent{}
	for _, e := range r.Evals {
		if e.Epoch > epoch && !same(e.Epoch, epoch) {
			break
		}
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

// figures are two accuracies in as few decimals as tell them apart.
func figures(a, b float64) (string, string) {
	digits := 0
	if math.Abs(a-b) < 2 {
		digits = 1
	}
	return strconv.FormatFloat(a, 'f', digits, 64), strconv.FormatFloat(b, 'f', digits, 64)
}

// atMost is a number of points that a cost is at most: a tenth up, and never nothing.
func atMost(points float64) string {
	return tenth(max(.1, math.Ceil(10*points-1e-9)/10))
}

// atLeast is a number of points that a gain is at least.
func atLeast(points float64) string { return tenth(math.Floor(10*points+1e-9) / 10) }

func tenth(points float64) string { return fmt.Sprintf("%.1f", points) }
