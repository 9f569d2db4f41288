package compare

import (
	"slices"
	"time"

	"drolab/runner"
	"drolab/runner/compare"
	"drolab/runner/record"
	"drolab/runner/spec"
	"drolab/tui/lab"

	tea "charm.land/bubbletea/v2"
)

// compareRuns makes the table of the runs or, without any, of those that belong to the
// newest finished one: of the last or of the selected step, "" of what suits.
func compareRuns(l *lab.Lab, runs []*record.Run, at string, round int) tea.Cmd {
	s, dir := l.Source, l.Config.RunsDir
	return func() tea.Msg {
		began := time.Now()
		m := comparedMsg{round: round, compared: compared{runs: runs}, changed: lab.Changed(dir)}
		if len(runs) == 0 {
			all, _ := s.List()
			m.runs, m.about = experiment(all)
		}
		m.table = compare.Runs(m.runs, compare.Options{At: at})
		var specs []spec.Spec
		for _, row := range m.table.Rows {
			i := slices.IndexFunc(m.runs,
				func(r *record.Run) bool { return r.Meta.ID == row.Runs[0] })
			specs = append(specs, m.runs[i].Meta.Spec)
		}
		m.diffs = compare.Diff(specs)
		for _, r := range m.runs {
			m.logs = append(m.logs, lab.Evaluations(s, r))
		}
		m.took = time.Since(began)
		return m
	}
}

// experiment returns the finished runs that differ from the newest finished one in method and seed
// only, and that one's preset. A fork counts as what it comes from: its runs are what it is held
// against.
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

// root is the run that a fork comes from, through all of its parents that are there; of a run of
// its own it is that.
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

// sameExperiment tells whether two runs answer one question.
func sameExperiment(a, b *spec.Spec) bool {
	return !slices.ContainsFunc(compare.Diff([]spec.Spec{*a, *b}), func(d compare.KeyDiff) bool {
		return d.Key != "algorithms" && d.Key != "seed"
	})
}

// readEvals reads what is next in the logs from one of them on, for about so long: a message
// a log would be a frame a log.
func readEvals(logs []lab.Log, from, round int) tea.Cmd {
	const enough = time.Second / 5
	return func() tea.Msg {
		m := curvesMsg{round: round, next: from}
		for start := time.Now(); m.next < len(logs) && time.Since(start) < enough; {
			events, err := logs[m.next].Read()
			m.parts = append(m.parts, curvePart{m.next, events})
			if err != nil {
				m.err = err
			}
			if err != nil || len(events) == 0 {
				m.next++
			}
		}
		m.end = m.next == len(logs)
		return m
	}
}

// curves are the measures that can be drawn: the test loss, then those that
// tables have, and the programs' own.
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

// comparedMsg brings the table of the runs that were asked for.
type comparedMsg struct {
	compared
	changed time.Time // the folder, before it was read
	round   int       // of the question; an older one is stale
}

// Changes implements the interface's reading.
func (comparedMsg) Changes() bool { return true }

// News implements the interface's reading.
func (comparedMsg) News() bool { return false }

// compared is a table, and what it is of.
type compared struct {
	about string // the preset that is compared, where nothing was selected
	runs  []*record.Run
	table *compare.Table
	diffs []compare.KeyDiff // settings in which the rows differ, a value a row
	logs  []lab.Log         // of the runs
	took  time.Duration     // until it was there
}

// curvesMsg brings evaluations, and resumes.
type curvesMsg struct {
	parts []curvePart
	next  int  // the log that is read next
	end   bool // there is no more
	round int
	err   error
}

// Changes is at the end: hundreds of runs cost more to draw than they tell half-way.
func (m curvesMsg) Changes() bool { return m.end }

// News is no run's.
func (curvesMsg) News() bool { return false }

// curvePart is of one run: an index into the runs of comparedMsg.
type curvePart struct {
	run    int
	events []runner.Event
}
