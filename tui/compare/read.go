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

// compareRuns makes the table of the runs or, if there are none, of the experiment of the newest
// finished run. at is the step of the figures: the last, the selected or, for "", the one that
// suits.
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

// readEvals reads on in the logs, from the log with index from, for about a fifth of a second. One
// message for each log would cost one frame for each log.
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
	changed time.Time // when the folder had last changed, before it was read
	round   int       // the number of the question; an older answer is stale
}

// Changes implements the interface's reading.
func (comparedMsg) Changes() bool { return true }

// News implements the interface's reading.
func (comparedMsg) News() bool { return false }

// compared is a table, with the runs that it compares.
type compared struct {
	about string // the preset of the newest experiment; "" for selected runs
	runs  []*record.Run
	table *compare.Table
	diffs []compare.KeyDiff // settings in which the rows differ, with a value for each row
	logs  []lab.Log         // the evaluations of each run
	took  time.Duration     // the time that the comparison took
}

// curvesMsg brings evaluations, and the resumes of runs.
type curvesMsg struct {
	parts []curvePart
	next  int  // the index of the log to read next
	end   bool // all logs are read
	round int
	err   error
}

// Changes implements the interface's reading. Only the last message redraws the screen, because
// hundreds of half-read runs cost more to draw than they tell.
func (m curvesMsg) Changes() bool { return m.end }

// News implements the interface's reading: curves are no news of a run.
func (curvesMsg) News() bool { return false }

// curvePart holds events of one run; run is an index into the runs of comparedMsg.
type curvePart struct {
	run    int
	events []runner.Event
}
