package compare

import (
	"fmt"
	"slices"
	"strings"

	"drolab/dro"
	"drolab/runner"
	"drolab/runner/lists"
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

// Story is a sentence in parts, so that a narrow screen can leave out the least important of them.
type Story struct {
	Clock Clock    // the evaluations that its figures are means of
	Scope string   // what it covers: "Epoch 32, one seed"; "" where nothing can be said yet
	Said  []string // the clauses, the most important first
	Out   []string // clauses on the runs that are left out

	moment int // place in Said of the clause that says since when, which is dropped first; 0: none
}

// DefaultBaseline returns the index of the baseline if nobody has chosen one, or -1. It is the
// first run of the plain method, in the configuration of which the most runs did not fail.
func DefaultBaseline(runs []StoryRun) int {
	plain := func(r StoryRun) bool { return r.Meta.Spec.Algorithm() == dro.Baseline() }
	configurations, goodRuns := make([]string, len(runs)), map[string]int{}
	for i, r := range runs {
		if !plain(r) {
			continue
		}
		configurations[i] = r.Meta.Configuration()
		if r.Status != runner.Failed {
			goodRuns[configurations[i]]++
		}
	}
	best, most := -1, -1
	for i, r := range runs {
		if n := goodRuns[configurations[i]]; plain(r) && n > most {
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
	c := newComparison(withNames(runs), baseline)
	clock := c.clock()
	for _, r := range runs {
		if len(clock.Of(r.Meta, r.Meta.OwnEvaluations(r.Evals))) == 0 {
			clock.Late = append(clock.Late, r.Meta.ID)
		}
	}
	if c.waits != "" {
		clock.Waits = true
		return Story{Clock: clock, Said: []string{c.waits}, Out: c.out}
	}
	f := c.facts()
	said, moment := f.say()
	return Story{Clock: clock, Scope: f.scope(), Said: said, Out: c.out, moment: moment}
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

// Longest returns the longest form of the sentence that fits, or else the shortest. The least
// important goes first: since when somebody leads, then the runs that are left out, the last of
// them first, and then the price of the lead.
func (s Story) Longest(fits func(string) bool) string {
	for text := s.sentence(); ; text = s.sentence() {
		last, out := len(s.Said)-1, len(s.Out)-1
		switch {
		case fits(text) || last <= 0 && out < 0:
			return text
		case s.moment > 0:
			s.Said = slices.Delete(slices.Clone(s.Said), s.moment, s.moment+1)
			s.moment = 0
		case out >= 0:
			s.Out = s.Out[:out]
		default:
			s.Said = s.Said[:last]
		}
	}
}

// sentence returns the sentence with all of its clauses.
func (s Story) sentence() string {
	text := strings.Join(s.Said, ", ")
	if s.Scope != "" {
		text = s.Scope + ": " + text
	}
	return strings.Join(append([]string{text}, s.Out...), "; ") + "."
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

// about returns what the words say of one or several names. The words begin with a verb in the
// singular.
func about(names []string, words string) string {
	verb, rest, _ := strings.Cut(words, " ")
	if plural := map[string]string{"is": "are",
		"has": "have"}[verb]; len(names) > 1 && plural != "" {
		words = plural + " " + rest
	}
	return joinNames(names) + " " + words
}

// leastCost is the least change of the mean accuracy that the sentence speaks of, in points.
const leastCost = .1

// topic is what a clause is about. The sentence has one clause of each, in this order.
type topic int

const (
	lead  topic = iota // who leads, and by how much
	since              // since when
	price              // at what price
)

// clause is what can be said of a topic.
type clause struct {
	topic   topic
	holds   bool
	words   string // a format
	figures []any
}

// say returns the clauses that are said: on each topic the first that holds. moment is the place of
// the one that says since when, 0 for none.
func (f *facts) say() (said []string, moment int) {
	spoken := map[topic]bool{}
	for _, c := range f.clauses() {
		if c.holds && !spoken[c.topic] {
			spoken[c.topic] = true
			if c.topic == since {
				moment = len(said)
			}
			said = append(said, fmt.Sprintf(c.words, c.figures...))
		}
	}
	return said, moment
}

// clauses returns all clauses that can be said. The figures of one that does not hold mean nothing.
func (f *facts) clauses() []clause {
	type figures = []any
	const oneClass = "there is nothing to compare, because every run puts all test samples into " +
		"one class: try another lr"
	first, second, in, unit := f.first.name, f.second.name, f.by.name, f.by.unit
	a, b := f.by.pair(f.armMean(f.first, f.by.of), f.armMean(f.second, f.by.of))
	lastA, lastB := f.by.pair(f.lastMean(f.first, f.by.of), f.lastMean(f.second, f.by.of))
	gain, cost := f.gain.size(f.by.digits), f.cost.size(1)
	mean := f.armMean(f.first, meanAccuracy)
	return []clause{
		{lead, f.early != "", "it is too early to compare %s", figures{f.early}},
		{lead, f.oneClass && f.unscaled(),
			oneClass + ", or add scale=standard to the dataset", nil},
		{lead, f.oneClass, oneClass, nil},
		{lead, !f.measured, "the runs have no worst %s to compare", figures{f.meta().Part()}},
		{lead, f.alone && f.evaluated > 1,
			"%s, the only configuration to compare, is at %s%s in %s", figures{first, a, unit, in}},
		{lead, f.alone, "%s, the only run to compare, is at %s%s in %s",
			figures{first, a, unit, in}},
		{lead, f.base == nil, "without a baseline, %s ranges from %s's %s to %s's %s%s",
			figures{in, second, b, first, a, unit}},
		{lead, f.contradicted,
			"%s averages %s%s in %s against %s's %s%s, but it has %s against %s%s at epoch %.4g",
			figures{first, a, unit, in, second, b, unit, lastA, lastB, unit, f.epoch()}},
		{lead, f.unbeaten && f.gain.half == 0,
			"no method beats %s in %s (%s%s); %s is closest, with %s%s",
			figures{first, in, a, unit, second, b, unit}},
		{lead, f.unbeaten,
			"no method beats %s in %s (%s%s); %s is closest, with %s%s (%s%s apart)",
			figures{first, in, a, unit, second, b, unit, gain, f.by.difference}},
		{lead, f.leads, "%s leads %s by %s%s in %s (%s against %s%s)",
			figures{first, second, gain, f.by.difference, in, a, b, unit}},
		{lead, f.gain.half == 0, "%s and %s are level in %s: %s against %s%s",
			figures{first, second, in, a, b, unit}},
		{lead, true, "%s and %s cannot be told apart in %s: %s against %s%s (%s%s apart)",
			figures{first, second, in, a, b, unit, gain, f.by.difference}},

		{since, f.leads, "since epoch %.4g", figures{f.since}},

		{price, f.alone && spec.AllFinite(mean), "with a mean accuracy of %.1f %%", figures{mean}},
		{price, f.leads && f.cost.value <= -leastCost,
			"and its mean accuracy is %s points higher",
			figures{cost}},
		{price, f.leads && f.cost.high() >= leastCost, "at a price of %s points of mean accuracy",
			figures{cost}},
	}
}
