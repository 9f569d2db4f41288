package compare

import (
	"fmt"
	"math"
	"slices"

	"drolab/dro"
	"drolab/runner"
	"drolab/runner/data/source"
	"drolab/runner/lists"
	"drolab/runner/measure"
	"drolab/runner/spec"
)

// minTestedSeeds is the least number of seeds with which a difference is tested. With fewer the
// sentence speaks of these seeds alone.
const minTestedSeeds = 4

// facts holds what is measured of a comparison.
type facts struct {
	*comparison
	early    string // why it is too early to compare the arms; "" if it is not
	oneClass bool   // every run puts all test samples into one class
	by       criterion
	measured bool // the arms have what the criterion measures
	alone    bool // there is one arm only, and first and second are this arm
	// first is the arm that leads, and second the one that it leads. If none leads, they are the
	// best rival of the baseline and the baseline; without a baseline, the best arm and the last.
	first, second *arm
	gain          estimate // of first over second, by the criterion
	cost          estimate // the mean accuracy of second over that of first, in points
	leads         bool     // first leads: by the least difference or more, beyond the interval
	unbeaten      bool     // first leads so, and is the baseline of several other methods
	contradicted  bool     // first would lead if the last evaluation alone did not say the opposite
	since         float64  // the epoch from which on first has been the best arm
}

// facts measures the comparison.
func (c *comparison) facts() *facts {
	f := &facts{comparison: c, early: c.tooEarly(), oneClass: c.oneClass(), by: c.criterion(),
		first: c.arms[0], second: c.arms[0]}
	f.measured = c.allHave(f.by.of)
	switch {
	case f.early != "" || f.oneClass || !f.measured:
		return f
	case len(c.arms) == 1:
		f.alone = true
		return f
	case c.base == nil:
		f.first, f.second = c.best(c.arms, f.by), c.worst(c.arms, f.by)
		return f
	}
	rivals := c.rivals()
	f.first, f.second = c.best(rivals, f.by), c.base
	f.gain = f.difference(f.by.of, len(rivals)).times(f.by.sign)
	if f.gain.value < 0 && f.gain.isBeyond(f.by.least) {
		f.first, f.second = f.second, f.first
		f.gain = f.gain.times(-1)
	}
	f.cost = f.difference(meanAccuracy, len(rivals)).times(-1)
	now := f.by.sign * (f.lastMean(f.first, f.by.of) - f.lastMean(f.second, f.by.of))
	ahead := f.gain.isBeyond(f.by.least) && f.gain.value > 0
	f.contradicted = ahead && now <= -f.by.least
	f.unbeaten = ahead && !f.contradicted && f.first == c.base && len(rivals) > 1 &&
		!c.isPlain(rivals[0])
	f.leads = ahead && !f.contradicted && !f.unbeaten
	f.since = c.bestSince(f.first, f.by)
	return f
}

// scope names the epochs whose mean is told, and the number of seeds.
func (f *facts) scope() string {
	text := fmt.Sprintf("Epoch %.4g, ", f.epoch())
	if list := f.clock().Epochs; len(list) > 1 {
		text = fmt.Sprintf("Mean of epochs %.4g–%.4g, ", list[0], f.epoch())
	}
	switch n := len(f.seeds); {
	case n < f.asked:
		return text + fmt.Sprintf("%d of %d seeds", n, f.asked)
	case n == 1:
		return text + "one seed"
	default:
		return text + fmt.Sprintf("%d seeds", n)
	}
}

// tooEarly says why nothing can be said of the arms yet. Nothing follows the last evaluation of
// runs that are done, so it is not too early then: a class that was never learnt is a result.
func (c *comparison) tooEarly() string {
	if len(c.arms) == 1 || c.done && c.n == len(c.arms[0].runs[c.seeds[0]].Evals) {
		return ""
	}
	if 5*c.epoch() < float64(c.planned) {
		return "before a fifth of the run"
	}
	for _, a := range c.arms {
		if c.lastMean(a, worstAccuracy) == 0 {
			return fmt.Sprintf("while a %s of %s is at 0 %%", c.meta().Part(), a.name)
		}
	}
	return ""
}

// meta describes a run of the comparison, for what all of them have in common.
func (c *comparison) meta() *runner.Meta { return c.arms[0].runs[c.seeds[0]].Meta }

// unscaled reports whether the features of the data are used as they are in a file.
func (c *comparison) unscaled() bool { return source.Unscaled(c.meta().Spec.Dataset) }

// oneClass reports whether the last evaluation of every run puts all test samples into one class.
func (c *comparison) oneClass() bool {
	for _, a := range c.arms {
		for _, seed := range c.seeds {
			if !inOneClass(a.runs[seed].Evals[c.n-1]) {
				return false
			}
		}
	}
	return true
}

// inOneClass reports whether an evaluation is right on all samples of one class, and on none of any
// other.
func inOneClass(e *runner.EvalEvent) bool {
	right, wrong, between := 0, 0, 0
	for _, n := range e.ByGroup.Named("class_accuracy") {
		switch {
		case !n.Applies():
		case n.Float() == 1:
			right++
		case n.Float() == 0:
			wrong++
		default:
			between++
		}
	}
	return right == 1 && wrong > 0 && between == 0
}

// quantity returns a quantity of an evaluation, or NaN if it does not apply.
type quantity func(*runner.Meta, *runner.EvalEvent) float64

func worstAccuracy(m *runner.Meta, e *runner.EvalEvent) float64 {
	return 100 * e.Named(m.MeasureFor("worst_class_accuracy")).Float()
}

func meanAccuracy(_ *runner.Meta, e *runner.EvalEvent) float64 {
	return 100 * e.Named("test_accuracy").Float()
}

func robustRisk(_ *runner.Meta, e *runner.EvalEvent) float64 {
	return e.Named("robust_risk").Float()
}

// criterion is the quantity by which arms are compared, and how the sentence writes it.
type criterion struct {
	of         quantity
	sign       float64 // 1 if more is better, -1 if less is
	least      float64 // the least difference that is spoken of
	name       string  // "the worst class"
	unit       string  // that follows a value
	difference string  // the unit that follows a difference
	digits     int     // decimals of a difference
}

// criterion returns the worst class or group if all arms have one, or else the robust risk.
func (c *comparison) criterion() criterion {
	if c.allHave(worstAccuracy) {
		return criterion{worstAccuracy, 1, 1, "the worst " + c.meta().Part(), " %", " points", 1}
	}
	return criterion{robustRisk, -1, .0005, "robust risk", "", " nats", 3}
}

// pair formats two values, with as many decimals as their difference asks for.
func (y criterion) pair(a, b float64) (string, string) {
	if y.unit == " %" {
		return figures(a, b)
	}
	return fmt.Sprintf("%.*f", y.digits, a), fmt.Sprintf("%.*f", y.digits, b)
}

// figures formats two accuracies without decimals, or with one if they differ by less than 2
// points, as in tables. A half of a point is rounded up: 14.5 is not the even 14.
func figures(a, b float64) (string, string) {
	if math.Abs(a-b) < 2 {
		return fmt.Sprintf("%.1f", a), fmt.Sprintf("%.1f", b)
	}
	return fmt.Sprint(math.Round(a)), fmt.Sprint(math.Round(b))
}

// latest returns the evaluations of an arm and seed that are spoken of by their mean. Accuracies of
// single evaluations swing, by as much as 60 points in early epochs. Of a method that refits only
// the last evaluation is its own.
func (c *comparison) latest(a *arm, seed uint64) []*runner.EvalEvent {
	r, window := a.runs[seed], c.window
	if r.Meta.Refits() {
		window = 1
	}
	return r.Evals[max(0, c.n-window):c.n]
}

// seedMean returns the mean of a quantity over the latest evaluations of an arm and seed.
func (c *comparison) seedMean(a *arm, seed uint64, of quantity) (mean float64) {
	evals := c.latest(a, seed)
	for _, e := range evals {
		mean += of(a.runs[seed].Meta, e) / float64(len(evals))
	}
	return mean
}

// armMean returns the mean of a quantity over the seeds.
func (c *comparison) armMean(a *arm, of quantity) float64 {
	means := lists.Map(c.seeds, func(s uint64) float64 { return c.seedMean(a, s, of) })
	return measure.Mean(means)
}

// lastMean returns the mean of a quantity over the seeds at the last evaluation alone.
func (c *comparison) lastMean(a *arm, of quantity) float64 {
	last := *c
	last.window = 1
	return last.armMean(a, of)
}

// allHave tells whether all arms have a quantity in every seed.
func (c *comparison) allHave(of quantity) bool {
	return !slices.ContainsFunc(c.arms, func(a *arm) bool {
		return !spec.AllFinite(c.armMean(a, of))
	})
}

// rivals returns the arms that are compared with the baseline: the arms of other methods, or all
// arms if there are none. The plain method in other settings says nothing about the methods.
func (c *comparison) rivals() []*arm {
	others := slices.DeleteFunc(slices.Clone(c.arms), func(a *arm) bool { return a == c.base })
	methods := slices.DeleteFunc(slices.Clone(others), c.isPlain)
	if len(methods) == 0 {
		return others
	}
	return methods
}

// isPlain reports whether the method of an arm is the plain one.
func (c *comparison) isPlain(a *arm) bool {
	return a.runs[c.seeds[0]].Meta.Spec.Algorithm() == dro.Baseline()
}

// best returns the best of some arms by a criterion; of equal ones the first.
func (c *comparison) best(among []*arm, by criterion) *arm {
	best := among[0]
	for _, a := range among {
		if by.sign*c.armMean(a, by.of) > by.sign*c.armMean(best, by.of) {
			best = a
		}
	}
	return best
}

// worst returns the last of some arms by a criterion; of equal ones the first.
func (c *comparison) worst(among []*arm, by criterion) *arm {
	by.sign = -by.sign
	return c.best(among, by)
}

// bestSince returns the epoch from which on an arm has been the best by a criterion, counted back
// from the last.
func (c *comparison) bestSince(a *arm, by criterion) float64 {
	among := c.arms
	if c.base != nil {
		among = append([]*arm{c.base}, c.rivals()...)
	}
	since, past := c.epoch(), *c
	for past.n = c.n; past.n > 0; past.n-- {
		if !past.allHave(by.of) || past.best(among, by) != a {
			break
		}
		since = past.epoch()
	}
	return since
}

// difference returns what the first arm has of a quantity beyond the second. One of them was chosen
// among so many arms, so the interval has Bonferroni's correction for that many tests.
func (f *facts) difference(of quantity, arms int) estimate {
	differences := lists.Map(f.seeds, func(s uint64) float64 {
		return f.seedMean(f.first, s, of) - f.seedMean(f.second, s, of)
	})
	mean, half := TInterval(differences, 1-.05/float64(arms))
	if len(f.seeds) < minTestedSeeds {
		half = 0
	}
	return estimate{mean, half}
}

// estimate is a mean difference over the seeds. half is half the width of its interval, 0 if
// nothing is tested.
type estimate struct{ value, half float64 }

// times returns the estimate of a multiple.
func (e estimate) times(factor float64) estimate {
	return estimate{factor * e.value, math.Abs(factor) * e.half}
}

// high returns the upper end of the interval.
func (e estimate) high() float64 { return e.value + e.half }

// isBeyond tells whether the difference, of either sign, is so large, and not 0 by its interval.
func (e estimate) isBeyond(least float64) bool {
	return math.Abs(e.value) >= least && math.Abs(e.value) > e.half
}

// size formats the difference without its sign, and half the width of its interval, rounded up.
func (e estimate) size(digits int) string {
	text := fmt.Sprintf("%.*f", digits, math.Abs(e.value))
	if e.half > 0 {
		unit := math.Pow10(digits)
		text += fmt.Sprintf(" ± %.*f", digits, math.Ceil(unit*e.half)/unit)
	}
	return text
}
