package report

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"drolab/runner"
	"drolab/runner/compare"
	"drolab/runner/record"
	"drolab/runner/study"
)

// Report is the content of a page, as data.
type Report struct {
	Level float64 `json:"level"` // confidence level of intervals
	// Wanted is the number of the study's runs, of which Done have ended. Missing counts the others
	// by arm; if there are any, nothing is tested before Study.WaitUntil.
	Wanted   int       `json:"wanted"`
	Done     int       `json:"done"`
	Missing  []string  `json:"missing"`
	Interim  bool      `json:"interim,omitempty"`
	Seeds    []uint64  `json:"seeds"` // the seeds that are tested
	Families []*Family `json:"families"`
	// Reproduction compares means with published ones, as a family; its verdicts mean nothing.
	Reproduction []*Claim  `json:"reproduction"`
	Means        []MeanRow `json:"means"`

	// What follows describes the runs of a study that is not registered.

	Problems []*Problem `json:"problems"`
	// Further has the first family's claims for arms that are none of the study's. The tests of
	// each arm are corrected among themselves, and their results change no claim.
	Further []*Claim `json:"further"`
	// Readings has the readings of the published experiment, the nearest to its table first.
	Readings   []Reading   `json:"readings"`
	Departures []Departure `json:"departures"`
	Variations []Variation `json:"variations"`
	Lacking    []Lacking   `json:"lacking"` // variations for which there is no run
	Made       []Made      `json:"made"`
	Notes      []string    `json:"notes"`

	study *study.Study
	at    []*Problem // one for each condition
}

// Family is a study's family of claims, tested. A test that is made twice counts once.
type Family struct {
	Name       string   `json:"name"`
	Level      float64  `json:"level"` // confidence level of its tests
	Correction string   `json:"correction"`
	Tests      int      `json:"tests"`
	Claims     []*Claim `json:"claims"`

	title string
}

// Problem is a condition with its arms: one uncertainty set, radius, data set, network and budget.
type Problem struct {
	Label string         `json:"label"` // of the condition
	Table *compare.Table `json:"table"` // a row for each arm, at the last iterate
	Costs []Cost         `json:"costs"`
	// Classes has, for each class or group, the differences to the baseline.
	Classes []ClassRow `json:"classes"`

	of     *study.Condition
	study  *study.Study
	own    []*arm        // the study's arms
	arms   []*arm        // the rows of the table
	probes []*record.Run // see setProbesApart
	stars  int           // the number of arms that are tested for stars; 0 means all
}

// arm is a row of a problem's table with its runs, by seed.
type arm struct {
	label string // in tables; a row's has the mark of what its method uses
	name  string // the study's, else ""
	runs  []*ran
}

// ran is a run with the content of its log.
type ran struct {
	*record.Run
	evals   []*runner.EvalEvent
	ticks   []tick
	seconds float64 // of training, evaluations included
}

func (r *ran) seed() uint64 { return r.Meta.Spec.Seed }

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
}

// New makes the report of a study on the finished runs among runs. It tests nothing as long as the
// study waits for runs. Without a study the runs are described alone. New fails if a log cannot be
// read.
func New(s *study.Study, runs []*record.Run, o Options) (*Report, error) {
	if s == nil {
		var err error
		if s, err = describe(runs); err != nil {
			return nil, err
		}
		o.Interim = true // it waits for no run
	}
	r := &Report{Level: level, Families: []*Family{}, Reproduction: []*Claim{}, Means: []MeanRow{},
		Problems: []*Problem{}, Further: []*Claim{}, Readings: []Reading{},
		Departures: []Departure{}, Variations: []Variation{}, Lacking: []Lacking{}, Made: []Made{},
		Notes: []string{}, Seeds: s.Seeds, study: s}
	g := s.Gather(once(runs))
	r.Wanted, r.Done, r.Missing = g.Wanted, g.Done, g.Lacks()
	r.noteGathered(g)
	if len(r.Missing) > 0 && !o.Interim {
		if s.WaitUntil.IsZero() || o.Now.Before(s.WaitUntil) {
			return r, nil
		}
		r.Seeds = g.Common()
	}
	r.Interim = o.Interim && len(r.Missing) > 0 && r.registered()
	if len(r.Seeds) < 2 && r.registered() {
		r.note("fewer than two seeds have all of their runs: nothing can be tested")
		return r, nil
	}
	if err := r.fill(g); err != nil {
		return nil, err
	}
	var others []*experiment
	if !r.registered() {
		var err error
		if others, err = r.tabulate(g, o); err != nil {
			return nil, err
		}
	}
	r.judge()
	if r.registered() {
		r.means()
		return r, nil
	}
	r.Departures = r.departures()
	r.vary(others)
	r.near()
	return r, nil
}

// registered reports whether the study is confirmatory. The page then has its tests, and nothing
// that could be taken for one.
func (r *Report) registered() bool { return !r.study.Registered.IsZero() }

func (r *Report) note(format string, args ...any) {
	r.Notes = append(r.Notes, fmt.Sprintf(format, args...))
}

func (r *Report) noteRuns(why string, ids []string) {
	const most = 6
	if n := len(ids) - most; n > 0 {
		ids = append(slices.Clone(ids[:most]), fmt.Sprintf("and %d more", n))
	}
	if len(ids) > 0 {
		r.note("%s: %s", why, strings.Join(ids, ", "))
	}
}

// noteGathered names the runs that are left out, and those that are not as they should be.
func (r *Report) noteGathered(g *study.Gathered) {
	going := func(one *record.Run) bool { return one.Status() != runner.Done }
	undone := slices.Clone(g.Failed)
	for _, one := range g.Rest {
		if going(one) {
			undone = append(undone, one)
		}
	}
	for _, m := range g.Missing {
		if m.Begun != nil {
			undone = append(undone, m.Begun)
		}
	}
	r.noteRuns("left out because they are not done", ids(undone))
	r.noteRuns("left out because their seeds are not the study's", ids(g.OtherSeeds))
	for _, one := range g.Broken {
		r.note("%s: its numbers are not finite, so that its seed is left out of that arm's tests",
			one.Meta.ID)
	}
	if !r.registered() {
		return
	}
	rest := slices.DeleteFunc(slices.Clone(g.Rest), going)
	r.noteRuns("left out because they are of no arm", ids(rest))
	r.noteRuns("left out because their data are not those of the others", ids(g.OtherData))
	r.noteRuns("exploratory, because they were begun before the registration, and so is every "+
		"test of them", ids(g.Early))
	if kernels := g.Kernels(); len(kernels) > 1 {
		r.note("the runs are of several kernels (%s): those of one are to be repeated",
			strings.Join(kernels, ", "))
	}
}

// ids names runs, with the status of those that are not done.
func ids(runs []*record.Run) (list []string) {
	for _, r := range runs {
		name := r.Meta.ID
		if r.Status() != runner.Done {
			name += fmt.Sprintf(" (%s)", r.Status())
		}
		list = append(list, name)
	}
	return list
}

// once returns each run once.
func once(runs []*record.Run) (list []*record.Run) {
	seen := map[string]bool{}
	for _, r := range runs {
		if !seen[r.Meta.ID] {
			list = append(list, r)
		}
		seen[r.Meta.ID] = true
	}
	return list
}

// fill makes the conditions with the study's arms and their runs.
func (r *Report) fill(g *study.Gathered) error {
	read := map[*study.Slot][]*ran{}
	for _, slot := range g.Slots {
		for _, one := range slot.Runs {
			if !slices.Contains(r.Seeds, one.Meta.Spec.Seed) {
				continue
			}
			all, err := readLog(one)
			if err != nil {
				return fmt.Errorf("run %s: %w", one.Meta.ID, err)
			}
			read[slot] = append(read[slot], all)
		}
	}
	for c := range r.study.Conditions {
		of := &r.study.Conditions[c]
		p := &Problem{Label: of.Label, of: of, study: r.study}
		for a := range r.study.Arms {
			of := &r.study.Arms[a]
			p.own = append(p.own, &arm{label: of.Label, name: of.Name, runs: read[g.By[c][a]]})
		}
		r.at = append(r.at, p)
	}
	return nil
}

// made counts the runs by the machine and program that made them, the largest count first.
func made(all []*record.Run) (list []Made) {
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
