package watch

import (
	"cmp"
	"slices"

	"drolab/runner"
	"drolab/runner/compare"
	"drolab/runner/record"
	"drolab/tui/kit"
	"drolab/tui/lab"
	"drolab/tui/watch/track"

	tea "charm.land/bubbletea/v2"
)

// open finds the runs of the given names or, without names, the newest ones that belong
// together, or all where they are kept. How a run stands is told from the end of its log,
// before the rest of that is read.
//
// It takes what it needs of the lab before the command starts: Colors is replaced by the
// interface meanwhile. A folder that is only looked at gets no index beside its logs.
func open(l *lab.Lab, of lab.Watch, asked int) tea.Cmd {
	ids, replay := of.IDs, of.Replay
	kept, colors, s, logs := l.Config.Kept, l.Colors, l.Source, lab.InSmall(l.Source,
		!l.Config.ReadOnly)
	return func() tea.Msg {
		m := openMsg{replay: replay, asked: asked, ghost: of.Ghost}
		var runs []*record.Run
		runs, m.problems = wanted(s, kept, ids)
		m.found = len(runs)
		// The folder is listed for its colours where one is new, which costs a look at every run.
		if unknown := func(r *record.Run) bool {
			_, ok := colors[compare.Configuration(&r.Meta)]
			return !ok
		}; kept == nil && slices.ContainsFunc(runs, unknown) {
			all, _ := s.List() // a configuration has one colour on all pages
			m.colors = lab.ColorsOf(all)
		}
		for _, r := range fewer(runs) {
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

// wanted are the runs of the given names or, without names, all that are kept, in their
// order, or the newest that belong together. A name that is not found is a problem, and the
// others are watched nevertheless.
func wanted(s lab.Source, kept *lab.Kept, ids []string) (runs []*record.Run, problems []error) {
	switch {
	case len(ids) == 0 && kept != nil:
		runs, err := kept.Runs()
		if err != nil {
			return nil, []error{err}
		}
		return runs, nil
	case len(ids) == 0:
		all, problems := s.List()
		return newest(all), problems
	}
	for _, id := range ids {
		r, err := s.Find(id)
		if err != nil {
			problems = append(problems, err)
			continue
		}
		runs = append(runs, r)
	}
	return runs, problems
}

// fewer are as many of the runs as are watched at once, of as many configurations as there
// are colours. Those of most seeds stay, since one that has been run once is there to be held
// against them. The last seeds go, rather than a method, such as the one that the others are
// compared with.
func fewer(runs []*record.Run) (list []*record.Run) {
	seeds := map[string]int{}
	var configurations []string
	for _, r := range runs {
		of := compare.Configuration(&r.Meta)
		if seeds[of]++; seeds[of] == 1 {
			configurations = append(configurations, of)
		}
	}
	slices.SortStableFunc(configurations, func(a, b string) int { return seeds[b] - seeds[a] })
	// The sort is stable: of as many seeds the newer ones stay, as runs are listed.
	wanted := configurations[:min(len(configurations), kit.Colors)]
	list = slices.DeleteFunc(slices.Clone(runs), func(r *record.Run) bool {
		return !slices.Contains(wanted, compare.Configuration(&r.Meta))
	})
	slices.SortStableFunc(list, func(a, b *record.Run) int {
		return cmp.Compare(a.Meta.Spec.Seed, b.Meta.Spec.Seed)
	})
	return list[:min(len(list), lab.MaxWatched)]
}

// newest returns the live runs. Without any, it is the newest run and the ones
// that were created within a minute before it from the same preset: those that
// one command started. The argument is in the order of List, the newest first.
func newest(all []*record.Run) (runs []*record.Run) {
	ended := func(r *record.Run) bool { return r.Status().Ended() }
	runs = slices.DeleteFunc(slices.Clone(all), ended)
	if len(runs) == 0 {
		runs = slices.DeleteFunc(slices.Clone(all), func(r *record.Run) bool {
			first := &all[0].Meta
			return r.Meta.Preset != first.Preset || first.Created.Sub(r.Meta.Created).Minutes() > 1
		})
	}
	return runs
}

// regroup finds what belongs together, and gives each its colour. A name that two of them
// have is none: charts show the long labels of both instead.
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
