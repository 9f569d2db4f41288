package report

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"drolab/dro"
	"drolab/runner"
	"drolab/runner/compare"
	"drolab/runner/record"
)

// Report is the content of a page, as data.
type Report struct {
	Level    float64    `json:"level"` // confidence level of intervals and tests
	Problems []*Problem `json:"problems"`
	Claims   []*Claim   `json:"claims"`
	// Tests is the number of different tests over which the claims are corrected together.
	Tests int `json:"tests"`
	// Further has the same claims for arms other than the claims' own. The tests of each arm are
	// corrected among themselves, and their results change no claim.
	Further []*Claim `json:"further"`
	// Later has claims that were first tested after the runs had been seen, a family of LaterTests
	// tests. Reproduction compares mean accuracies with Table 1's means, as a family too; its
	// verdicts mean nothing.
	Later        []*Claim `json:"later"`
	LaterTests   int      `json:"later_tests"`
	Reproduction []*Claim `json:"reproduction"`
	// Readings has the readings of the paper's experiment, the nearest to Table 1 first.
	Readings   []Reading   `json:"readings"`
	Departures []Departure `json:"departures"`
	Variations []Variation `json:"variations"`
	Wanted     []Wanted    `json:"wanted"` // variations for which there is no run
	Made       []Made      `json:"made"`
	Notes      []string    `json:"notes"`
}

// Problem is the basis of a comparison of methods: one uncertainty set, radius, data set, network
// and budget.
type Problem struct {
	Label string         `json:"label"` // set and radius
	Table *compare.Table `json:"table"` // a row for each arm, at the last iterate
	Costs []Cost         `json:"costs"`
	// Classes has, for each class or group, the differences to ERM.
	Classes []ClassRow `json:"classes"`

	arms      []*arm
	stars     int  // the number of arms that are tested for stars; 0 means all
	published bool // the paper's numbers are for these data and this network
}

// arm is a row of a problem's table with its runs, by seed.
type arm struct {
	label     string // the row's label, with the mark of what its method uses
	algorithm dro.Algorithm
	runs      []*ran
	// far is the number of method-specific settings in which the arm differs from the reading that
	// the claims are about. altered says that one of them is a setting of the method's own.
	far     int
	altered bool
}

// ran is a run with the content of its log and the presets by which it is read.
type ran struct {
	*record.Run
	read
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
	// Known lists the presets by which the runs are read.
	Known []runner.Preset
}

// New makes the report of the finished runs among runs. It fails if a log cannot be read or no run
// has finished.
func New(runs []*record.Run, o Options) (*Report, error) {
	r := &Report{Level: level, Problems: []*Problem{}, Claims: []*Claim{}, Further: []*Claim{},
		Later: []*Claim{}, Reproduction: []*Claim{}, Readings: []Reading{},
		Departures: []Departure{}, Variations: []Variation{}, Wanted: []Wanted{},
		Notes: []string{}}
	done, left := finished(runs)
	if len(left) > 0 {
		r.note("left out because they are not done: %s", strings.Join(left, ", "))
	}
	if len(done) == 0 {
		return nil, fmt.Errorf("none of the %d run(s) is done: a report is of finished ones",
			len(runs))
	}
	all, err := readAll(done, o.Known)
	if err != nil {
		return nil, err
	}
	main, others := experiments(all)
	for _, e := range main {
		p := newProblem(e, o)
		r.Problems = append(r.Problems, p)
		for _, n := range p.Table.Notes {
			if n.Kind != compare.Seen && n.Kind != compare.Problem {
				r.note("%s: %s", p.Label, n.Text)
			}
		}
	}
	r.claim()
	r.claimLater()
	r.Departures = departures(r.Problems)
	r.vary(main, others)
	r.near()
	r.Made = made(all)
	return r, nil
}

func (r *Report) note(format string, args ...any) {
	r.Notes = append(r.Notes, fmt.Sprintf(format, args...))
}

// finished returns the runs that are done, each once, and names the others.
func finished(runs []*record.Run) (done []*record.Run, left []string) {
	for _, r := range runs {
		switch {
		case slices.ContainsFunc(done, func(o *record.Run) bool { return o.Meta.ID == r.Meta.ID }):
		case r.Status() != runner.Done:
			left = append(left, fmt.Sprintf("%s (%s)", r.Meta.ID, r.Status()))
		default:
			done = append(done, r)
		}
	}
	return done, left
}

func newProblem(e *experiment, o Options) *Problem {
	runs := make([]*record.Run, len(e.runs))
	for i, r := range e.runs {
		runs[i] = r.Run
	}
	of := compare.Options{Level: level, At: compare.Last,
		Family: cmp.Or(o.Family, compare.AllMeasures)}
	p := &Problem{Table: compare.Runs(runs, of)}
	p.Label = p.Table.Rows[0].Problem
	p.published = published.fits(&e.runs[0].Meta)
	for i := range p.Table.Rows {
		row, a := &p.Table.Rows[i], &arm{}
		for _, id := range row.Runs {
			at := slices.IndexFunc(e.runs, func(r *ran) bool { return r.Meta.ID == id })
			a.runs = append(a.runs, e.runs[at])
		}
		m := &a.runs[0].Meta
		called := a.runs[0].name(m, row.Label)
		taken := func(r compare.Row) bool { return r.Label == called }
		if !slices.ContainsFunc(p.Table.Rows[:i], taken) {
			row.Label = called
		}
		a.label, a.algorithm = row.Title(), m.Spec.Algorithm()
		a.place()
		p.arms = append(p.arms, a)
	}
	p.star(runs, of)
	p.costs()
	p.classes()
	return p
}

// star limits the tests for stars to the arms of the claims, if there are several, so that runs of
// further arms change no star.
func (p *Problem) star(runs []*record.Run, of compare.Options) {
	own := p.own()
	if len(own) < 2 {
		return
	}
	p.stars = len(own)
	of.Tested = func(m *runner.Meta) bool {
		return slices.ContainsFunc(own, func(a *arm) bool {
			return slices.ContainsFunc(a.runs, func(r *ran) bool { return r.Meta.ID == m.ID })
		})
	}
	tested := compare.Runs(runs, of)
	p.Table.Columns = tested.Columns
	for i := range p.Table.Rows {
		p.Table.Rows[i].Cells = tested.Rows[i].Cells
	}
}

// made counts the runs by the machine and program that made them, the largest count first.
func made(all []*ran) (list []Made) {
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

// starred returns a sentence that names the arms that are tested for stars, or "" if all are.
func (p *Problem) starred() string {
	own := p.own()
	if p.stars == 0 || p.stars == len(p.arms) {
		return ""
	}
	names := make([]string, len(own))
	for i, a := range own {
		names[i] = a.label
	}
	return " Stars are between the arms of the claims alone: " + strings.Join(names, ", ") + "."
}
