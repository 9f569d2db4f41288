package report

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"drolab/runner"
	"drolab/runner/compare"
	"drolab/runner/lists"
	"drolab/runner/page"
	"drolab/runner/record"
)

// Report is the content of a page, as data.
type Report struct {
	Level float64 `json:"level"` // confidence level of intervals
	// Wanted is the number of the study's runs, of which Done have ended. Missing counts the others
	// by arm; if there are any, nothing is tested before Study.WaitUntil.
	Wanted   int             `json:"wanted"`
	Done     int             `json:"done"`
	Missing  []string        `json:"missing"`
	Interim  bool            `json:"interim,omitempty"`
	Seeds    []uint64        `json:"seeds"` // the seeds that are tested
	Families []*TestedFamily `json:"families"`
	// Reproduction compares means with published ones, as a family; its verdicts mean nothing.
	Reproduction []*Finding `json:"reproduction"`
	Means        []MeanRow  `json:"means"`
	// Parts has the parts of the dual objective on the training split: it is the network's robust
	// risk plus the dual gap, which is the error of z alone. No claim names them.
	Parts []MeanRow `json:"parts"`

	// Claims compares the study's claims with those that were sealed with its runs; nil: the runs
	// come with the program, or there are none.
	Claims *ClaimsCheck `json:"claims,omitempty"`

	// What follows describes the runs of a study that is not registered.

	Problems []*Problem `json:"problems"`
	// Further has the first family's claims for arms that are none of the study's. The tests of
	// each arm are corrected among themselves, and their results change no claim.
	Further []*Finding `json:"further"`
	// Readings and Departures are those of the publication, if there is one. The reading that is
	// the nearest to its table comes first.
	Readings   []Reading   `json:"readings"`
	Departures []Departure `json:"departures"`
	Variations []Variation `json:"variations"`
	Lacking    []Lacking   `json:"lacking"` // variations for which there is no run
	Made       []Made      `json:"made"`
	Notes      []string    `json:"notes"`

	study       *Study
	conditions  []*Problem  // one for each condition
	publication Publication // nil: there is none
}

// TestedFamily is a study's family of claims, tested. A test that is made twice counts once.
type TestedFamily struct {
	Name       string     `json:"name"`
	Level      float64    `json:"level"` // confidence level of its tests
	Correction string     `json:"correction"`
	Tests      int        `json:"tests"`
	Claims     []*Finding `json:"claims"`

	title string
}

// Problem is a condition with its arms: one uncertainty set, radius, data set, network and budget.
type Problem struct {
	Label string `json:"label"` // of the condition
	// Table has a row for each arm. In a study it is of the last iterate.
	Table *compare.Table `json:"table"`
	Costs []Cost         `json:"costs"`
	// Classes has, for each class or group, the differences to the baseline.
	Classes []ClassRow `json:"classes"`

	condition   *Condition
	study       *Study
	publication Publication
	own         []*arm        // the study's arms
	arms        []*arm        // the rows of the table
	probes      []*record.Run // see setProbesApart
}

// arm is a row of a problem's table with its runs, by seed.
type arm struct {
	label string // in tables; a row's has the mark of what its method uses
	name  string // the study's, else ""
	runs  []*loggedRun
	// broken is the number of runs whose numbers are not finite. They are not among runs.
	broken int
}

// key names the arm among those of a report.
func (a *arm) key() string { return cmp.Or(a.name, a.label) }

// run returns the arm's run of a seed, or nil.
func (a *arm) run(seed uint64) *loggedRun {
	return first(a.runs, func(r *loggedRun) bool { return r.seed() == seed })
}

// Made is a machine with a program, and the number of runs that it made.
type Made struct {
	runner.Host
	Runs int `json:"runs"`
}

const level = 0.95

// Options configure a report.
type Options struct {
	// Family is the family of tests over which the stars of a table are corrected, as in
	// compare.Options; "" stands for compare.AllMeasures.
	Family string
	// Interim tests before all runs are there.
	Interim bool
	// Now decides whether the study still waits for runs.
	Now time.Time
	// Publication is the published experiment that the study repeats; nil: there is none.
	Publication Publication
}

// New makes the report of a study on the finished runs among runs. It tests nothing as long as the
// study waits for runs. Without a study the runs are described alone. New fails if a log cannot be
// read.
func New(s *Study, runs []*record.Run, o Options) (r *Report, err error) {
	if s == nil {
		if s, err = describe(runs); err != nil {
			return nil, err
		}
		o.Interim = true // it waits for no run
	}
	r = &Report{Level: level, Families: []*TestedFamily{}, Reproduction: []*Finding{},
		Means: []MeanRow{}, Parts: []MeanRow{}, Problems: []*Problem{}, Further: []*Finding{},
		Readings: []Reading{}, Departures: []Departure{}, Variations: []Variation{},
		Lacking: []Lacking{}, Made: []Made{}, Notes: []string{}, Seeds: s.Seeds, study: s,
		publication: o.Publication}
	g := s.Gather(withoutRepeats(runs))
	r.Wanted, r.Done, r.Missing = g.Wanted, g.Done, g.Lacks()
	r.noteGathered(g)
	if err := r.checkClaims(g); err != nil {
		return nil, err
	}
	if len(r.Missing) > 0 && !o.Interim {
		if s.WaitUntil.IsZero() || o.Now.Before(s.WaitUntil) {
			return r, nil
		}
		r.Seeds = g.Common()
	}
	r.Interim = o.Interim && len(r.Missing) > 0 && r.registered()
	switch {
	case o.Interim && len(r.Missing) > 0:
		r.Seeds = g.seedsOfRuns()
	case len(r.Seeds) < 2 && r.registered():
		r.note("fewer than two seeds have all of their runs: nothing can be tested")
	}
	if err := r.fillConditions(g); err != nil {
		return nil, err
	}
	if r.registered() {
		r.judge()
		r.markDiffering()
		r.Means = r.meansOf(r.meanRows)
		r.Parts = r.meansOf(func(p *Problem) []MeanRow {
			return lastRows(p, "train_objective", trainRisk, "dual_gap")
		})
		return r, nil
	}
	others, err := r.tabulate(g, o)
	if err != nil {
		return nil, err
	}
	r.judge()
	r.markDiffering()
	r.findVariations(others)
	r.compareWithPublication()
	return r, nil
}

// registered reports whether the study is confirmatory. The page then has its tests, and nothing
// that could be taken for one.
func (r *Report) registered() bool { return !r.study.Registered.IsZero() }

func (r *Report) note(format string, args ...any) {
	r.Notes = append(r.Notes, fmt.Sprintf(format, args...))
}

// noteRuns names runs, with the status of those that are not done.
func (r *Report) noteRuns(why string, runs []*record.Run) {
	const most = 6
	ids := lists.Map(runs, func(r *record.Run) string {
		if r.Status() != runner.Done {
			return fmt.Sprintf("%s (%s)", r.Meta.ID, r.Status())
		}
		return r.Meta.ID
	})
	if n := len(ids) - most; n > 0 {
		ids = append(ids[:most], fmt.Sprintf("and %d more", n))
	}
	if len(ids) > 0 {
		r.note("%s: %s", why, strings.Join(ids, ", "))
	}
}

// noteGathered names the runs that are left out, and those that are not as they should be.
func (r *Report) noteGathered(g *Gathered) {
	done := func(one *record.Run) bool { return one.Status() == runner.Done }
	rest := slices.DeleteFunc(slices.Clone(g.Rest), done)
	r.noteRuns("left out because they are not done", slices.Concat(g.Failed, rest, g.begunRuns()))
	r.noteRuns("left out because their seeds are not the study's", g.OtherSeeds)
	for _, one := range g.Broken {
		r.note("%s: its numbers are not finite, so that its seed is left out of that arm's tests",
			one.Meta.ID)
	}
	if !r.registered() {
		return
	}
	going := func(one *record.Run) bool { return !done(one) }
	rest = slices.DeleteFunc(slices.Clone(g.Rest), going)
	r.noteRuns("left out because they are of no arm", rest)
	r.noteRuns("left out because their data are not those of the others", g.OtherData)
	r.noteRuns("exploratory, because they were begun before the registration, and so is every "+
		"test of them", g.Early)
	if kernels := g.Kernels(); len(kernels) > 1 {
		r.note("the runs are of several kernels (%s): those of one are to be repeated",
			strings.Join(kernels, ", "))
	}
}

// withoutRepeats returns each run once.
func withoutRepeats(runs []*record.Run) (list []*record.Run) {
	seen := map[string]bool{}
	for _, r := range runs {
		if !seen[r.Meta.ID] {
			list = append(list, r)
		}
		seen[r.Meta.ID] = true
	}
	return list
}

// fillConditions makes the conditions with the study's arms and their runs.
func (r *Report) fillConditions(g *Gathered) error {
	read, broken := map[*Slot][]*loggedRun{}, map[*Slot]int{}
	for _, slot := range g.Slots {
		for _, one := range slot.Runs {
			if !slices.Contains(r.Seeds, one.Meta.Spec.Seed) {
				continue
			}
			if slices.Contains(g.Broken, one) {
				broken[slot]++
				continue
			}
			all, err := readLog(one)
			if err != nil {
				return err
			}
			read[slot] = append(read[slot], all)
		}
	}
	for c := range r.study.Conditions {
		of := &r.study.Conditions[c]
		p := &Problem{Label: of.Label, condition: of, study: r.study,
			publication: r.publication}
		for a, of := range r.study.Arms {
			slot := g.By[c][a]
			p.own = append(p.own, &arm{label: of.Label, name: of.Name, runs: read[slot],
				broken: broken[slot]})
		}
		r.conditions = append(r.conditions, p)
	}
	return nil
}

// countMakers counts the runs by the machine and program that made them, the largest count first.
func countMakers(all []*record.Run) (list []Made) {
	for _, r := range all {
		i := slices.IndexFunc(list, func(m Made) bool { return m.Host == r.Meta.Host })
		if i < 0 {
			i, list = len(list), append(list, Made{Host: r.Meta.Host})
		}
		list[i].Runs++
	}
	slices.SortStableFunc(list, func(a, b Made) int { return cmp.Compare(b.Runs, a.Runs) })
	return list
}

// first returns the first of the list that is so, or nil.
func first[T any](list []*T, is func(*T) bool) *T {
	if i := slices.IndexFunc(list, is); i >= 0 {
		return list[i]
	}
	return nil
}

// curve returns the mean and t interval of a measure over the runs that have curves. The only
// evaluation of imported predictions belongs to no step.
func (a *arm) curve(measure string) page.Curve {
	var evals [][]*runner.EvalEvent
	for _, r := range a.runs {
		if !r.Meta.Predicted() {
			evals = append(evals, r.evals)
		}
	}
	return page.Curve{Name: a.label, Points: compare.MeanCurve(evals, measure, level)}
}
