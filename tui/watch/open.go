package watch

import (
	"slices"

	"drolab/runner"
	"drolab/runner/compare"
	"drolab/runner/record"
	"drolab/tui/lab"
	"drolab/tui/watch/track"

	tea "charm.land/bubbletea/v2"
)

// open finds the runs with the given names or, without names, the newest runs that belong together,
// or all runs where they are kept. The state of a run is read from the end of its log, before the
// rest of the log.
//
// It takes what it needs from the lab before the command starts, because the interface may replace
// Colors meanwhile. A read-only folder gets no index beside its logs.
func open(l *lab.Lab, of lab.Watch, asked int) tea.Cmd {
	ids, replay := of.IDs, of.Replay
	kept, colors, s, logs := l.Config.Kept, l.Colors, l.Source, lab.InSmall(l.Source,
		!l.Config.ReadOnly)
	return func() tea.Msg {
		m := openMsg{replay: replay, asked: asked, ghost: of.Ghost}
		var runs []*record.Run
		runs, m.problems = track.Wanted(s, kept, ids)
		m.found = len(runs)
		// The folder is listed for its colours if a configuration is new, which costs a look at
		// every run.
		if unknown := func(r *record.Run) bool {
			_, ok := colors[compare.Configuration(&r.Meta)]
			return !ok
		}; kept == nil && slices.ContainsFunc(runs, unknown) {
			all, _ := s.List() // a configuration has one colour on all pages
			m.colors = lab.ColorsOf(all)
		}
		for _, r := range track.Fewer(runs) {
			// A replay needs no index of its own: record.Replay makes one as it reads.
			if replay != nil {
				m.runs = append(m.runs, track.OpenReplay(s, r))
				continue
			}
			m.runs = append(m.runs, track.Opened{Run: r, Log: record.Lineage(logs, r),
				At: r.Standing()})
		}
		return m
	}
}

// regroup groups the runs that belong together, and gives each group its colour. If two groups have
// the same name, charts show the long labels of both instead.
func (w *Page) regroup() {
	w.Groups = track.Seeds(w.Tracks)
	names, runs := map[string]int{}, []*runner.Meta{}
	for _, g := range w.Groups {
		names[w.Tracks[g[0]].Short]++
		runs = append(runs, w.Tracks[g[0]].Meta)
	}
	numbers := w.Colors.Of(runs)
	if w.Config.Kept != nil { // no folder says which colours others have
		w.Colors = lab.Colors{}
		for n, m := range runs {
			w.Colors[compare.Configuration(m)] = numbers[n]
		}
	}
	for n, number := range numbers {
		for _, i := range w.Groups[n] {
			t := w.Tracks[i]
			if t.Number = number; names[t.Short] > 1 {
				t.Short = t.Label
			}
		}
	}
	track.Shorten(w.Tracks)
}
