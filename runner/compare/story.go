package compare

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"drolab/dro"
	"drolab/runner"
	"drolab/runner/data/source"
	"drolab/runner/lists"
	"drolab/runner/measure"
	"drolab/runner/record"
	"drolab/runner/spec"
)

// StoryRun is what a story needs of a run.
type StoryRun struct {
	Meta   *runner.Meta
	Status runner.Status
	Evals  []*runner.EvalEvent // without those that a resume took back, in the order of their steps
	Lossy  bool                // lines of its log are lost, perhaps evaluations among them
	// Name is the name of the run and Key its configuration. NewStory finds those of all runs if
	// one has no name. A caller that makes the same story often keeps them, since finding them
	// reads all settings.
	Name, Key string
}

// Story is a sentence in parts, so that a narrow screen can leave out the last of them.
type Story struct {
	Epoch float64  // the last epoch that the compared runs have in common; 0 without one
	Scope string   // what it covers: "Epoch 32, in this seed"; "" where nothing can be said yet
	Said  []string // the clauses, the most important first; "and ..." continues the one before
	Out   []string // clauses on the runs that are left out, which always stay
}

// DefaultBaseline returns the index of the baseline if nobody has chosen one, or -1. It is the
// first run of the plain method, in the configuration of which the most runs did not fail.
func DefaultBaseline(runs []StoryRun) int {
	best, most := -1, -1
	for i, r := range runs {
		if r.Meta.Spec.Algorithm() != dro.Baseline() {
			continue
		}
		n := 0
		for _, o := range runs {
			if o.Status != runner.Failed && o.Meta.Configuration() == r.Meta.Configuration() {
				n++
			}
		}
		if n > most {
			best, most = i, n
		}
	}
	return best
}

// NewStory says what the runs have come to. The baseline is an index into runs, -1 for none.
func NewStory(runs []StoryRun, baseline int) Story {
	if len(runs) == 0 {
		return Story{Said: []string{"Waiting for runs"}}
	}
	cast := newComparison(withNames(runs), baseline)
	if cast.waits != "" {
		return Story{Epoch: cast.epoch(), Said: []string{cast.waits}, Out: cast.out}
	}
	return cast.facts().story(cast.out)
}

// StoryOf tells the story of recorded runs, from their logs, against the plain method.
func StoryOf(runs []*record.Run) (Story, error) {
	var list []StoryRun
	for _, r := range runs {
		evals, err := r.Evaluations()
		if err != nil {
			return Story{}, err
		}
		list = append(list, StoryRun{Meta: &r.Meta, Status: r.Status(), Evals: evals,
			Lossy: r.Gap() != nil})
	}
	return NewStory(list, DefaultBaseline(list)), nil
}

// String returns the whole sentence.
func (s Story) String() string { return s.Longest(func(string) bool { return true }) }

// Longest returns the longest form of the sentence that fits, or else the shortest. The last
// clauses are dropped first; the clauses on runs that are left out stay.
func (s Story) Longest(fits func(string) bool) string {
	for n := len(s.Said); ; n-- {
		if text := s.sentence(n); n <= 1 || fits(text) {
			return text
		}
	}
}

// sentence returns the sentence with the first n clauses.
func (s Story) sentence(n int) string {
	var b strings.Builder
	if s.Scope != "" {
		b.WriteString(s.Scope + ": ")
	}
	for i, clause := range slices.Concat(s.Said[:min(n, len(s.Said))], s.Out) {
		switch {
		case i == 0:
		case strings.HasPrefix(clause, "and "):
			b.WriteString(" ")
		default:
			b.WriteString("; ")
		}
		b.WriteString(clause)
	}
	return b.String() + "."
}

// withNames returns the runs with their configurations and with their names from compare.Names,
// which every table uses.
func withNames(runs []StoryRun) []StoryRun {
	if !slices.ContainsFunc(runs, func(r StoryRun) bool { return r.Name == "" }) {
		return runs
	}
	runs = slices.Clone(runs)
	for i, name := range storyNames(runs) {
		runs[i].Name, runs[i].Key = name, runs[i].Meta.Configuration()
	}
	return runs
}

// storyNames returns the names of the runs, by index.
func storyNames(runs []StoryRun) []string {
	return Names(lists.Map(runs, func(r StoryRun) *runner.Meta { return r.Meta }))
}

// joinNames joins names as in a sentence. Of more than three it names two and counts the rest.
func joinNames(names []string) string {
	const most = 3
	if n := len(names); n > most {
		names = append(slices.Clone(names[:most-1]), fmt.Sprintf("%d more", n-most+1))
	}
	if len(names) < 2 {
		return strings.Join(names, "")
	}
	last := len(names) - 1
	return strings.Join(names[:last], ", ") + " and " + names[last]
}

// minTestedSeeds is the least number of seeds with which a difference is tested. With fewer the
// sentence speaks of these seeds alone.
const minTestedSeeds = 4

// minDifference is the least difference that the sentence speaks of, in points of accuracy.
const minDifference = 1.0

// facts holds the measurements of a cast. Accuracies are in percent, differences in points.
type facts struct {
	*comparison
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
	blind  bool   // every arm puts all test samples into one class, in every seed
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
func (c *comparison) facts() *facts {
	const holds = 3
	f := &facts{comparison: c}
	among := c.arms
	if c.base != nil {
		among = rivalsOf(c.arms[1:])
	}
	var next *arm
	since := 0
	for n := range c.n {
		c.n = n + 1
		f.rankArms(among)
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
	f.overfit, f.blind = c.overfits(), c.blind()
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
	f.gain = f.differenceToBase(f.lead, worstAccuracy)
	f.mean = f.differenceToBase(f.lead, meanAccuracy)
	f.turned = math.Abs(f.gain.value) > f.gain.half &&
		(f.worstNow(f.lead)-f.worstNow(f.base))*math.Copysign(1, f.gain.value) <= -minDifference
	f.drop = f.differenceToBase(f.lead, robustRisk)
	f.drop.value = -f.drop.value
	for _, a := range among {
		if f.differenceToBase(a, worstAccuracy).value >= minDifference {
			f.lifted++
		}
		if a != f.lead && f.differenceToBase(a, worstAccuracy).high() <= -minDifference {
			f.sunk = append(f.sunk, a)
		}
	}
	return f
}

// rankArms finds the best and the last of the arms.
func (f *facts) rankArms(among []*arm) {
	f.worst, f.risk, f.best, f.last = f.allHave(worstAccuracy), f.allHave(robustRisk), nil, nil
	of, sign := worstAccuracy, 1.0
	if !f.worst {
		of, sign = robustRisk, -1
	}
	for _, a := range among {
		switch v := sign * f.armMean(a, of); {
		case f.best == nil:
			f.best, f.last = a, a
		case v > sign*f.armMean(f.best, of):
			f.best = a
		case v < sign*f.armMean(f.last, of):
			f.last = a
		}
	}
}

// tooEarly says why nothing can be said of the arms yet. Nothing follows the last evaluation of
// runs that are done, so it is not too early then: a class that was never learnt is a result.
func (f *facts) tooEarly() string {
	lost := slices.IndexFunc(f.arms, func(a *arm) bool { return f.worstNow(a) == 0 })
	switch {
	case len(f.arms) == 1 || f.done && f.n == len(f.arms[0].runs[f.seeds[0]].Evals):
		return ""
	case 5*f.epoch() < float64(f.planned):
		return "before a fifth of the run"
	case lost >= 0:
		return fmt.Sprintf("while a %s of %s is at 0 %%", f.partKind(), f.arms[lost].name)
	}
	return ""
}

// partKind says what suffers: a class, or a group where the runs have groups.
func (c *comparison) partKind() string { return c.arms[0].runs[c.seeds[0]].Meta.Part() }

// worstNow returns the worst accuracy of an arm at the last evaluation alone.
func (c *comparison) worstNow(a *arm) float64 {
	alone := *c
	alone.window = 1
	return alone.armMean(a, worstAccuracy)
}

// rivalsOf returns the arms that are compared with the baseline: the arms of other methods, or all
// arms if there are none. The plain method in other settings says nothing about the methods.
func rivalsOf(arms []*arm) []*arm {
	other := slices.DeleteFunc(slices.Clone(arms), (*arm).isPlain)
	if len(other) == 0 {
		return arms
	}
	return other
}

// isPlain tells whether an arm is of the plain method.
func (a *arm) isPlain() bool {
	for _, r := range a.runs {
		return r.Meta.Spec.Algorithm() == dro.Baseline()
	}
	return false
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

// latest returns the evaluations of an arm and seed that are spoken of by their mean. Accuracies of
// single evaluations swing, by as much as 60 points in early epochs.
func (c *comparison) latest(a *arm, seed uint64) []*runner.EvalEvent {
	return a.runs[seed].Evals[max(0, c.n-c.window):c.n]
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

// allHave tells whether all arms have a quantity in every seed.
func (c *comparison) allHave(of quantity) bool {
	return !slices.ContainsFunc(c.arms, func(a *arm) bool {
		return !spec.AllFinite(c.armMean(a, of))
	})
}

// differenceToBase returns an arm's difference to the baseline. The arm was chosen among several,
// so the interval has Bonferroni's correction for that many tests.
func (f *facts) differenceToBase(a *arm, of quantity) estimate {
	differences := lists.Map(f.seeds, func(s uint64) float64 {
		return f.seedMean(a, s, of) - f.seedMean(f.base, s, of)
	})
	mean, half := TInterval(differences, 1-.05/float64(f.others))
	if len(f.seeds) < minTestedSeeds {
		half = 0
	}
	return estimate{mean, half}
}

// commonPart returns the worst class or group of an arm, or "" if it differs between seeds or
// between evaluations.
func (c *comparison) commonPart(a *arm) (name string) {
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
	values := e.ByGroup.Named(m.MeasureFor("class_accuracy"))
	known := measure.WithEnough(values, counts, m.Spec.MinGroup)
	if i, names := measure.Worst(known, false), m.Names(m.Main()); i >= 0 && i < len(names) {
		name = names[i]
	}
	return name
}

// unscaled reports whether the features of the data are used as they are in a file.
func (c *comparison) unscaled() bool {
	for _, a := range c.arms {
		for _, r := range a.runs {
			return source.Unscaled(r.Meta.Spec.Dataset)
		}
	}
	return false
}

// blind reports whether the last evaluation of every run puts all test samples into one class.
func (c *comparison) blind() bool {
	return !slices.ContainsFunc(c.arms, func(a *arm) bool {
		return slices.ContainsFunc(c.seeds, func(seed uint64) bool {
			classes := map[float64]int{} // the numbers of classes with an accuracy
			for _, n := range a.runs[seed].Evals[c.n-1].ByGroup.Named("class_accuracy") {
				if n.Applies() {
					classes[n.Float()]++
				}
			}
			return len(classes) != 2 || classes[1] != 1 || classes[0] == 0
		})
	})
}

// overfits names the arms that have begun to overfit in every seed.
func (c *comparison) overfits() (names []string) {
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
		if loss := e.Named("test_loss"); !loss.Applies() {
			return false
		} else if least == nil || loss.Float() < least.Named("test_loss").Float() {
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
		if !(e.Named("test_loss").Float() >= above*least.Named("test_loss").Float()) {
			return false
		}
	}
	return since[evaluations-1].Named("train_loss").Float() < least.Named("train_loss").Float()
}

// figures formats two accuracies without decimals, or with one if they differ by less than 2
// points, as in tables. A half of a point is rounded up: 14.5 is not the even 14.
func figures(a, b float64) (string, string) {
	if math.Abs(a-b) < 2 {
		return fmt.Sprintf("%.1f", a), fmt.Sprintf("%.1f", b)
	}
	return fmt.Sprint(math.Round(a)), fmt.Sprint(math.Round(b))
}

// atMost formats an upper bound of a cost in points, rounded up to a tenth and never 0.
func atMost(points float64) string {
	return tenth(max(.1, math.Ceil(10*points-1e-9)/10))
}

// atLeast formats a lower bound of a gain in points, rounded down to a tenth.
func atLeast(points float64) string { return tenth(math.Floor(10*points+1e-9) / 10) }

func tenth(points float64) string { return fmt.Sprintf("%.1f", points) }

// condition tells whether facts are so.
type condition func(*facts) bool

// allHold returns the condition that all of a list hold. Those behind one that does not are not
// asked.
func allHold(list ...condition) condition {
	return func(f *facts) bool {
		return !slices.ContainsFunc(list, func(holds condition) bool { return !holds(f) })
	}
}

// rule is a clause that can be said. Of the rules of one slot the first that holds is said.
type rule struct {
	slot  string
	when  condition
	words string // with {name}, as words has them
}

// rules returns all clauses that can be said, slot by slot in the order of the sentence.
func rules() []rule {
	early := func(f *facts) bool { return f.early != "" }
	compared := func(f *facts) bool { return f.base != nil && len(f.arms) > 1 }
	unbased := func(f *facts) bool { return f.base == nil && len(f.arms) > 1 }
	alone := func(f *facts) bool { return len(f.arms) == 1 }
	worst := func(f *facts) bool { return f.worst }
	risk := func(f *facts) bool { return !f.worst && f.risk }
	described := allHold(compared, worst,
		func(f *facts) bool { return len(f.seeds) < minTestedSeeds })
	tested := allHold(compared, worst,
		func(f *facts) bool { return len(f.seeds) >= minTestedSeeds })
	turned := func(f *facts) bool { return f.turned }
	gains := func(f *facts) bool {
		return !f.turned && f.gain.value >= minDifference &&
			f.gain.low() > 0
	}
	loses := func(f *facts) bool {
		return !f.turned && f.gain.value <= -minDifference &&
			f.gain.high() < 0
	}
	behind := func(f *facts) bool { return f.lead != f.best }
	same := func(f *facts) bool {
		return f.commonPart(f.lead) != "" && f.commonPart(f.lead) == f.commonPart(f.base)
	}
	named := func(f *facts) bool { return f.commonPart(f.lead) != "" && f.commonPart(f.base) != "" }
	one := func(f *facts) bool { return f.others == 1 || behind(f) }
	near := func(f *facts) bool {
		return f.armMean(f.lead, worstAccuracy)-f.armMean(f.last, worstAccuracy) < minDifference
	}
	lift := func(f *facts) bool { return f.others > 1 && f.lifted == f.others }
	blind := func(f *facts) bool { return f.blind }
	unscaled := func(f *facts) bool { return f.unscaled() }
	return []rule{
		{"lead", early, "too early to say {early}"},
		{"lead", allHold(blind, unscaled),
			"there is nothing to compare, because every run puts all test samples into one " +
				"class: try another lr, or add scale=standard to the dataset"},
		{"lead", blind, "there is nothing to compare, because every run puts all test samples " +
			"into one class: try another lr"},
		{"lead", allHold(compared, worst, turned),
			"{lead} averages {to} % in the worst {kind} against {base}'s {from} %, but {now} " +
				"against {then} % now"},
		{"lead", allHold(described, gains, same),
			"{lead} lifts {part} from {base}'s {from} to {to} %"},
		{"lead", allHold(described, gains, named),
			"{lead} lifts the worst {kind} from {base}'s {from} ({basePart}) to {to} % ({part})"},
		{"lead", allHold(described, gains),
			"{lead} lifts the worst {kind} from {base}'s {from} to {to} %"},
		{"lead", allHold(described, loses, one),
			"{lead} lowers the worst {kind} from {base}'s {from} to {to} %"},
		{"lead", allHold(described, loses),
			"{all} others lower the worst {kind} from {base}'s {from} %; {lead} comes " +
				"closest with {to} %"},
		{"lead", allHold(described, one),
			"{lead}, at {to} %, stays within a point of {base}'s worst {kind} of {from} %"},
		{"lead", described,
			"none lifts {base}'s worst {kind} of {from} % by a point; {lead} reaches {to} %"},
		{"lead", allHold(tested, gains, same),
			"{lead} lifts {part} from {base}'s {from} to {to} % ({gain} ± {half} points)"},
		{"lead", allHold(tested, gains),
			"{lead} lifts the worst {kind} from {base}'s {from} to {to} % " +
				"({gain} ± {half} points)"},
		{"lead", allHold(tested, loses, one),
			"{lead} lowers the worst {kind} from {base}'s {from} to {to} % " +
				"({gain} ± {half} points)"},
		{"lead", tested,
			"{lead} and {base} cannot be told apart: worst {kind} {to} against {from} % " +
				"({gain} ± {half} points)"},
		{"lead", allHold(unbased, worst, near),
			"without a baseline, the worst {kinds} of {all} are within a point, at {to} %"},
		{"lead", allHold(unbased, worst),
			"without a baseline, the worst {kinds} range from {base}'s {from} to {lead}'s {to} %"},
		{"lead", allHold(compared, risk, func(f *facts) bool { return f.drop.low() >= .0005 }),
			"{lead} lowers the robust risk of {base} from {riskFrom} to {riskTo}"},
		{"lead", allHold(compared, risk, behind),
			"{lead} is at a robust risk of {riskTo}, {base} at {riskFrom}"},
		{"lead", allHold(compared, risk),
			"none lowers {base}'s robust risk of {riskFrom}; {lead} reaches {riskTo}"},
		{"lead", allHold(unbased, risk),
			"without a baseline, robust risks range from {lead}'s {riskTo} to {base}'s {riskFrom}"},
		{"lead", allHold(alone, worst),
			"the worst {kind} of {lead} is at {to} %, its mean accuracy at {mean} %; there is " +
				"no other run to compare with"},
		{"lead", allHold(alone, risk),
			"the robust risk of {lead} is {riskTo}; there is no other run to compare with"},

		{"cost", allHold(described, func(f *facts) bool { return f.mean.value >= .1 && !f.turned }),
			"and raises mean accuracy by {mean+} points"},
		{"cost", allHold(described, func(f *facts) bool {
			return f.mean.value <= -.1 &&
				!f.turned
		}),
			"and costs {mean-} points of mean accuracy"},
		{"cost", allHold(tested, gains, func(f *facts) bool { return f.mean.low() >= .1 }),
			"and raises mean accuracy by at least {raise} points"},
		{"cost", allHold(tested, gains), "and costs at most {cost} points of mean accuracy"},

		{"others", behind, "{best} is ahead for now"},
		{"others", allHold(described, gains, lift), "{all} lift the worst {kind}"},
		{"others", allHold(compared, worst, gains, func(f *facts) bool { return len(f.sunk) > 0 }),
			"{sunk} lower{sunks} the worst {kind}"},
		{"overfit", func(f *facts) bool { return len(f.overfit) > 0 },
			"{overfit} {have} begun to overfit"},
	}
}

// story makes the story from the rules that hold.
func (f *facts) story(out []string) Story {
	s, said := Story{Epoch: f.epoch(), Scope: f.scope(), Out: out}, map[string]bool{}
	words := strings.NewReplacer(f.words()...)
	for _, r := range rules() {
		if said[r.slot] || !r.when(f) {
			continue
		}
		said[r.slot] = true
		if s.Said = append(s.Said, words.Replace(r.words)); f.early != "" || f.blind {
			break
		}
	}
	if !said["lead"] {
		s.Said = slices.Insert(s.Said, 0, "the runs have no worst class to compare")
	}
	return s
}

// scope names the epochs whose mean is told, and the seeds. It says so if there is a single seed,
// and counts the seeds if some are missing.
func (f *facts) scope() string {
	text := fmt.Sprintf("Epoch %.4g, ", f.epoch())
	if list := f.latest(f.arms[0], f.seeds[0]); len(list) > 1 && f.early == "" {
		text = fmt.Sprintf("Epochs %.4g–%.4g, ", list[0].Epoch, f.epoch())
	}
	switch n := len(f.seeds); {
	case n < f.asked:
		return text + fmt.Sprintf("in %d of %d seeds", n, f.asked)
	case n == 1:
		return text + "in this seed"
	case n < minTestedSeeds:
		return text + fmt.Sprintf("averaged over %d seeds", n)
	default:
		return text + fmt.Sprintf("over %d seeds", n)
	}
}

// words returns the placeholders of the rules, each followed by its text. Without a baseline, the
// last arm takes its place. A text may be NaN if no rule that is said uses it.
func (f *facts) words() []string {
	base := cmp.Or(f.base, f.last, f.lead)
	from, to := figures(f.armMean(base, worstAccuracy), f.armMean(f.lead, worstAccuracy))
	then, now := figures(f.worstNow(base), f.worstNow(f.lead))
	all := fmt.Sprintf("all %d", f.others)
	if f.others == 2 {
		all = "both"
	}
	kind := f.partKind()
	kinds := kind + "s"
	if kind == "class" {
		kinds = "classes"
	}
	have, sunks := "have", ""
	if len(f.overfit) == 1 {
		have = "has"
	}
	if len(f.sunk) == 1 {
		sunks = "s"
	}
	sunk := lists.Map(f.sunk, func(a *arm) string { return a.name })
	return []string{"{lead}", f.lead.name, "{base}", base.name,
		"{all}", all, "{kind}", kind, "{kinds}", kinds,
		"{part}", f.commonPart(f.lead), "{basePart}", f.commonPart(base),
		"{from}", from, "{to}", to,
		"{gain}", fmt.Sprintf("%+.1f", f.gain.value),
		"{half}", tenth(math.Ceil(10*f.gain.half) / 10),
		"{cost}", atMost(-f.mean.low()), "{raise}", atLeast(f.mean.low()),
		"{mean+}", tenth(f.mean.value), "{mean-}", tenth(-f.mean.value), "{early}", f.early,
		"{best}", f.best.name, "{now}", now, "{then}", then,
		"{mean}", tenth(f.armMean(f.lead, meanAccuracy)),
		"{riskFrom}", fmt.Sprintf("%.3f", f.armMean(base, robustRisk)),
		"{riskTo}", fmt.Sprintf("%.3f", f.armMean(f.lead, robustRisk)),
		"{sunk}", joinNames(sunk), "{sunks}", sunks,
		"{overfit}", joinNames(f.overfit), "{have}", have}
}
