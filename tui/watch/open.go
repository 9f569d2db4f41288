package watch

import (
	"slices"

	"drolab/runner/record"
	"drolab/tui/lab"

	tea "charm.land/bubbletea/v2"
)

// open finds the runs of the given names or, without names, the newest ones
// that belong together.
func open(s lab.Source, ids []string, asked int) tea.Cmd {
	return func() tea.Msg {
		m := openMsg{asked: asked}
		var runs []*record.Run
		if len(ids) == 0 {
			var all []*record.Run
			all, m.problems = s.List()
			runs = newest(all)
		}
		for _, id := range ids {
			r, err := s.Find(id)
			if err != nil {
				m.problems = append(m.problems, err)
				continue
			}
			runs = append(runs, r)
		}
		for _, r := range runs {
			m.runs = append(m.runs, opened{r, record.Lineage(s, r)})
		}
		return m
	}
}

// newest returns the live runs or, without any, the newest run and the ones
// that were created within a minute before it from the same preset: those that
// one command started.
func newest(all []*record.Run) (runs []*record.Run) {
	runs = slices.DeleteFunc(slices.Clone(all), func(r *record.Run) bool { return r.Status().Ended() })
	if len(runs) == 0 {
		runs = slices.DeleteFunc(slices.Clone(all), func(r *record.Run) bool {
			first := &all[0].Meta
			return r.Meta.Preset != first.Preset || first.Created.Sub(r.Meta.Created).Minutes() > 1
		})
	}
	return runs[:min(len(runs), lab.MaxWatched)]
}
