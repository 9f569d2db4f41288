package compare

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"drolab/dro"
	"drolab/runner"
	"drolab/runner/compare"
	"drolab/runner/measure"
	"drolab/runner/page"
	"drolab/runner/record"
	"drolab/runner/spec"
	"drolab/tui/kit"
	"drolab/tui/lab"
	"drolab/tui/plot"

	tea "charm.land/bubbletea/v2"
)

// compareRuns makes the table of the runs in of or, if all is not nil, of the experiment of the
// newest finished run in it. at is the step of the figures: the last, the selected or, for "", the
// one that suits.
func compareRuns(s lab.Source, of compared, all []*record.Run, at string, round int) tea.Cmd {
	return func() tea.Msg {
		m := comparedMsg{compared{about: of.about, runs: of.runs}, round}
		if all != nil {
			m.runs, m.about = experiment(all)
		}
		m.table = compare.Runs(m.runs, compare.Options{At: at})
		var specs []spec.Spec
		for _, first := range m.rowRuns() {
			specs = append(specs, first.Spec)
		}
		m.diffs = compare.Diff(specs)
		for _, r := range m.runs {
			m.logs = append(m.logs, lab.Evaluations(s, r))
		}
		return m
	}
}

// experiment returns the finished runs that differ from the newest finished run in method and seed
// only, and the preset of that run. A fork counts as the run that it comes from, because it is
// compared with the runs of that one's experiment.
func experiment(all []*record.Run) (runs []*record.Run, preset string) {
	byID := make(map[string]*record.Run, len(all))
	for _, r := range all {
		byID[r.Meta.ID] = r
	}
	done := slices.DeleteFunc(slices.Clone(all), func(r *record.Run) bool {
		return r.Status() != runner.Done
	})
	if len(done) == 0 {
		return nil, ""
	}
	first := &root(done[0], byID).Meta
	runs = slices.DeleteFunc(done, func(r *record.Run) bool {
		return !sameExperiment(&first.Spec, &root(r, byID).Meta.Spec)
	})
	return runs, first.Preset
}

// root returns the run that a fork comes from, through all parents that exist. A run that is no
// fork is its own root.
func root(r *record.Run, byID map[string]*record.Run) *record.Run {
	for range byID { // a folder may hold records that name each other
		id, _, _ := runner.ParseParent(r.Meta.Parent)
		parent, there := byID[id]
		if !there {
			break
		}
		r = parent
	}
	return r
}

// sameExperiment reports whether two specs differ in method and seed only.
func sameExperiment(a, b *spec.Spec) bool {
	return !slices.ContainsFunc(compare.Diff([]spec.Spec{*a, *b}), func(d compare.KeyDiff) bool {
		return d.Key != "algorithms" && d.Key != "seed"
	})
}

// readEvals reads the logs of a table from one of them on, for about a fifth of a second. One
// message for each log would cost one frame for each log.
func readEvals(of compared, from int) tea.Cmd {
	const enough = time.Second / 5
	return func() tea.Msg {
		m := curvesMsg{table: of.table, from: from}
		rest := of.logs[from:]
		for start := time.Now(); len(rest) > 0 && time.Since(start) < enough; rest = rest[1:] {
			h, err := record.ReadHistory(rest[0], nil)
			m.evals, m.err = append(m.evals, h.Evals), cmp.Or(err, m.err)
		}
		m.end = len(rest) == 0
		return m
	}
}

// curves returns the measures that can be drawn: the test loss first, then the measures that tables
// have, and the programs' own.
func (p *Page) curves() (list []lab.Measure) {
	for _, m := range lab.EvalMeasures() {
		switch {
		case m.Name == "test_loss":
			list = append([]lab.Measure{m}, list...)
		case m.Main:
			list = append(list, m)
		}
	}
	return append(list, record.UserMeasures(p.runs...)...)
}

// comparedMsg brings a table of runs.
type comparedMsg struct {
	compared
	round int // the number of the question; an older answer is stale
}

// compared is a table, with the runs that it compares.
type compared struct {
	about string // the preset of the newest experiment; "" for selected runs
	runs  []*record.Run
	table *compare.Table
	diffs []compare.KeyDiff // settings in which the rows differ, with a value for each row
	logs  []lab.Log         // the evaluations of each run
}

// curvesMsg brings the evaluations of some runs that stand.
type curvesMsg struct {
	table *compare.Table // of the runs
	from  int            // the first of the runs, by its place in compared
	evals [][]*runner.EvalEvent
	end   bool // all logs are read
	err   error
}

// Changes reports whether this is the last message: hundreds of half-read runs cost more to draw
// than they tell.
func (m curvesMsg) Changes() bool { return m.end }

// stand compares the figures of a column between the groups: which are the best, which the worst,
// and which baseline each is compared with. It makes no claim: only the star says that a difference
// is significant.
type stand struct {
	best, worst map[int]bool // groups
	base        []int        // by group, the baseline that answers the same question; -1 for none
}

// standings returns the stand of each column.
func (p *Page) standings() []stand {
	list, runs := make([]stand, len(p.table.Columns)), p.rowRuns()
	for c := range p.table.Columns {
		list[c] = p.standing(c, runs)
	}
	return list
}

func (p *Page) standing(column int, runs []*runner.Meta) stand {
	c := &p.table.Columns[column]
	s := stand{best: map[int]bool{}, worst: map[int]bool{}, base: make([]int, len(runs))}
	asks := dro.OfNetwork
	if m, ok := measure.FindMeasure(c.Name); ok {
		asks = m.Asks
	}
	alike := map[string][]int{} // groups that answer the same question
	for i, m := range runs {
		s.base[i] = -1
		if p.table.Rows[i].Cells[column].Mean.Applies() {
			q := compare.Question(asks, m)
			alike[q] = append(alike[q], i)
		}
	}
	for _, groups := range alike {
		plain := slices.IndexFunc(groups, func(i int) bool {
			return runs[i].Spec.Algorithm() == dro.Baseline()
		})
		for _, i := range groups {
			if plain >= 0 && i != groups[plain] {
				s.base[i] = groups[plain]
			}
		}
		if !c.Neutral {
			p.rank(column, groups, &s)
		}
	}
	return s
}

// rank finds the best and the worst of groups by their figures as written. Several groups may share
// the best or the worst figure; if all figures are equal, there is neither.
func (p *Page) rank(column int, groups []int, s *stand) {
	value := func(i int) float64 { return p.table.Rows[i].Cells[column].Mean.Float() }
	least, most := groups[0], groups[0]
	for _, i := range groups {
		if value(i) < value(least) {
			least = i
		}
		if value(i) > value(most) {
			most = i
		}
	}
	best, worst := p.mean(least, column), p.mean(most, column)
	if best == worst {
		return
	}
	if p.table.Columns[column].Higher {
		best, worst = worst, best
	}
	for _, i := range groups {
		text := p.mean(i, column)
		s.best[i], s.worst[i] = text == best, text == worst
	}
}

// difference returns the difference between a group's figure and the baseline's, with its sign.
// tone says whether the figure is better or worse. The text is "" if there is no baseline.
func (p *Page) difference(row, column int) (text string, tone page.Tone) {
	base := p.stands[column].base[row]
	if base < 0 {
		return "", ""
	}
	c := &p.table.Columns[column]
	d := p.table.Rows[row].Cells[column].Mean.Float() -
		p.table.Rows[base].Cells[column].Mean.Float()
	text = fmt.Sprintf("%.3f", d)
	switch written := strings.ContainsAny(text, "123456789"); {
	case c.Percent():
		text = fmt.Sprintf("%.1f", 100*d)
	case d != 0 && (!written || len(text) > len("-999.999")):
		text = plot.Format(d)
	}
	if d > 0 {
		text = "+" + text
	}
	if c.Neutral {
		return text, ""
	}
	return text, kit.Change(c.Higher)(text)
}

// marks returns the parts of the legend that explain weight and sign.
func (p *Page) marks() (parts []string) {
	var best bool
	base := -1
	for _, s := range p.stands {
		best = best || len(s.best) > 0
		for _, i := range s.base {
			base = max(base, i)
		}
	}
	if best {
		parts = append(parts, "bold: best of its row")
	}
	if base >= 0 && p.against() {
		parts = append(parts, "signed: against "+p.table.Rows[base].Title())
	}
	return parts
}
