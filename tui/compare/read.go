package compare

import (
	"slices"

	"drolab/runner"
	"drolab/runner/compare"
	"drolab/runner/record"
	"drolab/tui/cell"
	"drolab/tui/lab"

	tea "charm.land/bubbletea/v2"
)

// compareRuns reads the runs of the given names, or those that belong to the
// newest finished one, and makes the table of them: of the last or of the selected step,
// "" of what suits.
func compareRuns(s lab.Source, ids []string, at string, round int) tea.Cmd {
	return func() tea.Msg {
		m := comparedMsg{round: round}
		if len(ids) == 0 {
			all, _ := s.List()
			m.runs, m.preset = experiment(all)
			m.live = lab.AnyLive(all)
		}
		for _, id := range ids {
			r, err := s.Find(id)
			if err != nil {
				m.err = err
				return m
			}
			m.runs = append(m.runs, r)
		}
		m.table = compare.Runs(m.runs, compare.Options{At: at})
		var specs []runner.Spec
		for _, row := range m.table.Rows {
			i := slices.IndexFunc(m.runs, func(r *record.Run) bool { return r.Meta.ID == row.Runs[0] })
			specs = append(specs, m.runs[i].Meta.Spec)
		}
		m.diffs = compare.Diff(specs)
		for _, r := range m.runs {
			m.logs = append(m.logs, s.Open(r))
		}
		return m
	}
}

// experiment returns the finished runs that differ from the newest finished
// one in method and seed only, and that one's preset.
func experiment(all []*record.Run) (runs []*record.Run, preset string) {
	done := slices.DeleteFunc(slices.Clone(all), func(r *record.Run) bool {
		return r.Status() != runner.Done
	})
	if len(done) == 0 {
		return nil, ""
	}
	first := &done[0].Meta
	runs = slices.DeleteFunc(done, func(r *record.Run) bool {
		return !sameExperiment(&first.Spec, &r.Meta.Spec)
	})
	return runs, cell.Clean(first.Preset)
}

// sameExperiment tells whether two runs answer one question.
func sameExperiment(a, b *runner.Spec) bool {
	return !slices.ContainsFunc(compare.Diff([]runner.Spec{*a, *b}), func(d compare.KeyDiff) bool {
		return d.Key != "algorithms" && d.Key != "seed"
	})
}

// readEvals reads the next part of a run's log, about 16 MB at most, and keeps
// what curves are made of: evaluations, and the resumes that discard some.
func readEvals(log lab.Log, run, round int) tea.Cmd {
	const parts = 16 // of a megabyte each
	return func() tea.Msg {
		m := curvesMsg{run: run, round: round}
		for range parts {
			events, err := log.Read()
			if err != nil || len(events) == 0 {
				m.err, m.end = err, true
				return m
			}
			for _, e := range events {
				switch e.(type) {
				case *runner.EvalEvent, *runner.ResumeEvent:
					m.events = append(m.events, e)
				}
			}
		}
		return m
	}
}

// curves are the measures that can be drawn: the test loss, then those that
// tables have.
func curves() (list []lab.Measure) {
	for _, m := range lab.EvalMeasures() {
		switch {
		case m.Name == "test_loss":
			list = append([]lab.Measure{m}, list...)
		case m.Main:
			list = append(list, m)
		}
	}
	return list
}
