package compare

import (
	"cmp"
	"errors"
	"slices"
	"time"

	"drolab/runner"
	"drolab/runner/compare"
	"drolab/runner/eventlog"
	"drolab/runner/lists"
	"drolab/runner/record"
	"drolab/runner/spec"
	"drolab/tui/lab"

	tea "charm.land/bubbletea/v2"
)

// compareRuns makes the table of the runs in of or, if all is not nil, of the experiment of the
// newest finished run in it. at is the step of the figures: the last, the selected or, for "", the
// one that suits.
func compareRuns(s lab.Source, of comparison, all []*record.Run, at string, round int) tea.Cmd {
	return func() tea.Msg {
		m := comparedMsg{comparison{about: of.about, runs: of.runs}, round}
		if all != nil {
			m.runs, m.about = experiment(all)
		}
		lab.Fetch(s, m.runs)
		m.table = compare.Runs(m.runs, compare.Options{At: at, Average: averageIn(s)})
		settings := func(m *runner.Meta) spec.Spec { return m.Spec }
		m.measured = map[string]bool{}
		for _, r := range m.runs {
			for _, v := range r.Summary().Measures {
				m.measured[v.Name] = m.measured[v.Name] || v.Applies()
			}
		}
		m.diffs = compare.Diff(lists.Map(m.rowRuns(), settings))
		m.logs = lists.Map(m.runs, func(r *record.Run) eventlog.Log {
			return lab.Evaluations(s,
				r)
		})
		return m
	}
}

// averageIn returns the function that averages the last evaluations of a run of a source; of a log
// with a lost part there is no average.
func averageIn(s lab.Source) func(*record.Run) (*runner.Average, error) {
	return func(r *record.Run) (*runner.Average, error) {
		h, err := eventlog.ReadHistory(lab.Evaluations(s, r), nil)
		if err != nil || h.Gap != nil {
			return nil, err
		}
		return runner.AverageOf(&r.Meta, h.Evals), nil
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
func readEvals(of comparison, from int) tea.Cmd {
	const enough = time.Second / 5
	return func() tea.Msg {
		m := curvesMsg{table: of.table, from: from}
		rest := of.logs[from:]
		for start := time.Now(); len(rest) > 0 && time.Since(start) < enough; rest = rest[1:] {
			h, err := eventlog.ReadHistory(rest[0], nil)
			m.evals, m.err = append(m.evals, h.Evals), cmp.Or(err, m.err)
		}
		m.end = len(rest) == 0
		return m
	}
}

// comparison is a table, with the runs that it compares.
type comparison struct {
	about string // the preset of the newest experiment; "" for selected runs
	runs  []*record.Run
	table *compare.Table
	diffs []compare.KeyDiff // settings in which the rows differ, with a value for each row
	logs  []eventlog.Log    // the evaluations of each run
	// measured has the measures of which some run has a value.
	measured map[string]bool
}

// damageTexts returns what the logs of the compared runs have lost, a line for each such run.
func (p *Page) damageTexts() (lines []string) {
	for _, r := range p.runs {
		if d := r.Damage(); d != "" {
			lines = append(lines, r.Meta.ID+": "+d)
		}
	}
	return lines
}

// lookAtDamaged looks whether lost lines of the logs have come. Then all is read again.
func (p *Page) lookAtDamaged() tea.Cmd {
	if p.reading || p.looking || p.loading {
		return nil
	}
	var logs []eventlog.Log
	for i, r := range p.runs {
		if r.Gap() != nil && i < len(p.logs) {
			logs = append(logs, p.logs[i])
		}
	}
	if len(logs) == 0 {
		return nil
	}
	p.looking = true
	return func() tea.Msg {
		return damagedMsg(slices.ContainsFunc(logs, func(l eventlog.Log) bool {
			_, err := l.Read()
			return errors.Is(err, eventlog.ErrChanged)
		}))
	}
}

// Changes reports whether this is the last message: hundreds of half-read runs cost more to draw
// than they tell.
func (m curvesMsg) Changes() bool { return m.end }
