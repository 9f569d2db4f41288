package watch

import (
	"fmt"
	"slices"

	"drolab/dro"
	"drolab/runner"
	"drolab/runner/lists"
	"drolab/runner/record"
	"drolab/tui/cell"
	"drolab/tui/kit"
	"drolab/tui/lab"
	"drolab/tui/watch/panel"

	tea "charm.land/bubbletea/v2"
)

// open asks for other runs, by name or the newest. The runs that are watched stay on the screen
// until the answer is there, and for good if it brings none.
func (w *Page) open(of lab.Watch) tea.Cmd {
	w.opening = true
	w.requests++
	return open(w.Lab, of, w.requests)
}

// showRuns replaces the watched runs. Its order matters: panels are furnished from the runs before
// curves are prepared for the panels, and colours are given to rows that Order has sorted.
func (w *Page) showRuns(m openMsg) tea.Cmd {
	if m.request != w.requests { // the user has asked for others since
		return nil
	}
	w.opening, w.problem = false, ""
	var cmd tea.Cmd
	if len(m.problems) > 0 {
		w.problem = cell.OneLine(m.problems[0].Error())
		cmd = kit.Complain(m.problems[0])
	}
	// Runs that were given on the command line are all there is to see. Without them the program
	// ends and says why.
	switch kept := w.Config.FixedRuns != nil; {
	case len(m.runs) == 0 && kept && len(m.problems) > 0:
		return kit.Send(lab.Failed{Err: m.problems[0]})
	case len(m.runs) == 0:
		return cmd
	}
	if n := len(m.runs); m.found > n {
		cmd = kit.Notify(fmt.Sprintf("%d runs found. %d are watched: the first seeds of as many "+
			"settings as there are colours", m.found, n))
	}
	if m.colors != nil {
		w.Colors = m.colors
	}
	before := w.IDs()
	if w.raceRuns = nil; len(before) > 1 && slices.Contains(before, m.wanted.Parent) {
		w.raceRuns = before
	}
	w.Tracks, w.Cursor, w.Pointed, w.Baseline, w.reading = nil, 0, false, -1, false
	w.unread, w.all = 0, false
	w.round++ // the command that reads the old runs may still be under way
	if w.clock = nil; m.wanted.Replay != nil {
		w.clock = newClock(*m.wanted.Replay)
		// The footer has no room for these keys.
		cmd = tea.Batch(cmd, kit.Notify("Space plays, { } speed, , . scrub, "+
			"u y J next evaluation, checkpoint, warning, R ends it"))
	}
	w.Tracks = append(w.Tracks, lists.Map(m.runs, panel.NewTrack)...)
	w.furnish()
	for _, t := range w.Tracks { // by now their number is known, which bounds their curves
		w.Prepare(t)
	}
	w.FurnishOwn()
	panel.OrderTracks(w.Tracks) // labels and colours need all runs, in order
	w.regroup()
	// -1 where the plain method is not among them: then nothing is compared.
	plain := func(t *panel.Track) bool { return t.Meta.Spec.Algorithm() == dro.Baseline() }
	w.Baseline = slices.IndexFunc(w.Tracks, plain)
	w.pointAtBranch(m.wanted.Parent)
	w.Reset()
	return tea.Batch(cmd, w.read(w.looked))
}

// open finds the runs with the given names or, without names, the newest runs that belong together,
// or all runs where they are kept. The state of a run is read from the end of its log, before the
// rest of the log.
//
// It takes what it needs from the lab before the command starts, because the interface may replace
// Colors meanwhile. A read-only folder gets no index beside its logs.
func open(l *lab.Lab, wanted lab.Watch, request int) tea.Cmd {
	kept, colors, s, logs := l.Config.FixedRuns, l.Colors, l.Source, lab.InSmall(l.Source,
		!l.Config.ReadOnly)
	return func() tea.Msg {
		m := openMsg{wanted: wanted, request: request}
		var runs []*record.Run
		runs, m.problems = panel.FindRuns(s, kept, wanted.IDs)
		m.found = len(runs)
		// The folder is listed for its colours if a configuration is new, which costs a look at
		// every run.
		if unknown := func(r *record.Run) bool {
			_, ok := colors[r.Configuration()]
			return !ok
		}; kept == nil && slices.ContainsFunc(runs, unknown) {
			all, _ := s.List() // a configuration has one colour on all pages
			m.colors = lab.ColorsOf(all)
		}
		for _, r := range panel.Watchable(runs) {
			// A replay needs no index of its own: eventlog.Replay makes one as it reads.
			if wanted.Replay != nil {
				m.runs = append(m.runs, panel.OpenReplay(s, r))
				continue
			}
			m.runs = append(m.runs, openRun(logs, r))
		}
		return m
	}
}

// openRun opens a run whose log is not read yet.
func openRun(logs record.Source, r *record.Run) panel.RunLog {
	return panel.RunLog{Run: r, Log: record.Lineage(logs, r), AtOpening: r.Standing()}
}

// regroup groups the runs that belong together, and gives each group its name and its colour.
func (w *Page) regroup() {
	w.Groups = panel.SeedGroups(w.Tracks)
	panel.LabelTracks(w.Tracks, w.Groups)
	runs := lists.Map(w.Groups, func(g []int) *runner.Meta { return w.Tracks[g[0]].Meta })
	numbers := w.Colors.ForRuns(runs)
	if w.Config.FixedRuns != nil { // no folder says which colours others have
		w.Colors = lab.Colors{}
		for n, m := range runs {
			w.Colors[m.Configuration()] = numbers[n]
		}
	}
	for n, number := range numbers {
		for _, i := range w.Groups[n] {
			w.Tracks[i].Number = number
		}
	}
}
