package watch

import (
	"fmt"
	"slices"

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
	w.logs.opening = true
	w.logs.requests++
	return open(w.Board.Lab, of, w.logs.requests)
}

// showRuns takes in the answer to open: it watches the runs, or says why there are none.
func (w *Page) showRuns(m openMsg) tea.Cmd {
	if m.request != w.logs.requests { // the user has asked for others since
		return nil
	}
	w.logs.opening, w.logs.problem = false, ""
	var cmd tea.Cmd
	if len(m.problems) > 0 {
		w.logs.problem = cell.OneLine(m.problems[0].Error())
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
	w.logs.newest = len(m.wanted.IDs) == 0 && m.wanted.Replay == nil
	before := w.Runs.IDs()
	w.logs.raceRuns = nil
	if len(before) > 1 && slices.Contains(before, m.wanted.Parent) {
		w.logs.raceRuns = before
	}
	w.replaceRuns(m.runs, m.wanted)
	if m.wanted.Replay != nil {
		// The footer has no room for these keys.
		cmd = tea.Batch(cmd, kit.Notify("Space plays, { } speed, , . scrub, "+
			"u y J next evaluation, checkpoint, warning, R ends it"))
	}
	return tea.Batch(cmd, w.read(w.logs.looked))
}

// replaceRuns watches other runs, none of whose logs is read yet. Its order matters: panels are
// furnished from the runs before curves are prepared for the panels, and colours are given to rows
// that OrderTracks has sorted.
func (w *Page) replaceRuns(runs []panel.RunLog, wanted lab.Watch) {
	*w.Runs = panel.Runs{Baseline: -1, EachSeed: w.Runs.EachSeed,
		Tracks: lists.Map(runs, panel.NewTrack)}
	w.logs.reading, w.logs.unread, w.logs.all = false, "", false
	w.logs.round++ // the command that reads the old runs may still be under way
	w.logs.clock = nil
	w.storyState = storyState{}
	if wanted.Replay != nil {
		w.logs.clock = newClock(*wanted.Replay)
	}
	w.furnish()
	for _, t := range w.Runs.Tracks { // by now their number is known, which bounds their curves
		w.Board.Prepare(t)
	}
	w.Board.FurnishOwn()
	panel.OrderTracks(w.Runs.Tracks) // labels and colours need all runs, in order
	w.regroup()
	w.Runs.Baseline = plainRun(w.Runs.Tracks)
	w.pointAtFork(wanted.Parent)
	w.Board.Reset()
}

// open finds the runs with the given names or, without names, the newest runs that belong together,
// or all runs where they are kept. The state of a run is read from the end of its log, before the
// rest of the log.
//
// It takes what it needs from the lab before the command starts, because the interface may replace
// Colors meanwhile. A read-only folder gets no index beside its logs.
func open(l *lab.Lab, wanted lab.Watch, request int) tea.Cmd {
	kept, colors, silent := l.Config.FixedRuns, l.Colors, l.Silent
	s, logs := l.Source, lab.InSmall(l.Source, !l.Config.ReadOnly)
	return func() tea.Msg {
		m := openMsg{wanted: wanted, request: request}
		var runs []*record.Run
		runs, m.problems = panel.FindRuns(s, kept, wanted.IDs, silent)
		m.found = len(runs)
		// The runs are listed for their variants if a configuration is new, which costs a look at
		// every run.
		if unknown := func(r *record.Run) bool {
			_, ok := colors[r.Configuration()]
			return !ok
		}; slices.ContainsFunc(runs, unknown) {
			all, _ := s.List() // a configuration has one number on all pages
			m.colors = lab.ColorsOf(all)
		}
		for _, r := range panel.Watchable(runs) {
			lab.Want(s, r)
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
	w.Runs.Groups = panel.SeedGroups(w.Runs.Tracks)
	panel.LabelTracks(w.Runs.Tracks, w.Runs.Groups)
	runs := lists.Map(w.Runs.Groups, func(g []int) *runner.Meta { return w.Runs.Tracks[g[0]].Meta })
	numbers := w.Colors.ForRuns(runs)
	for n, number := range numbers {
		for _, i := range w.Runs.Groups[n] {
			w.Runs.Tracks[i].Number = number
		}
	}
}
