package watch

import (
	"slices"

	"drolab/dro"
	"drolab/runner/lists"
	"drolab/runner/record"
	"drolab/tui/lab"
	"drolab/tui/watch/panel"

	tea "charm.land/bubbletea/v2"
)

// Held returns the watched runs.
func (w *Page) Held() []*record.Run {
	return lists.Map(w.Runs.Tracks, func(t *panel.Track) *record.Run { return t.Run })
}

// drop takes away the runs that are gone from the folder, and with them all that names them: rows,
// curves, the baseline, the sentence, and the runs of a race. The cursor stays on its run. Where no
// run is left, the newest ones are watched.
func (w *Page) drop(gone lab.Gone) tea.Cmd {
	w.logs.raceRuns = slices.DeleteFunc(w.logs.raceRuns, gone.HasID)
	kept := slices.DeleteFunc(slices.Clone(w.Runs.Tracks),
		func(t *panel.Track) bool { return gone.Has(t.Run) })
	switch {
	case len(kept) == len(w.Runs.Tracks):
		return nil
	case len(kept) == 0:
		w.replaceRuns(nil, lab.Watch{})
		return w.Init()
	}
	under, base := w.Runs.Run(), w.Runs.Base()
	for _, r := range gone.Runs {
		w.logs.clock.forget(r.Meta.ID, len(kept))
	}
	w.Runs.Tracks = kept
	w.regroup()
	w.Runs.Baseline = slices.Index(kept, base)
	if base != nil && w.Runs.Baseline < 0 {
		w.Runs.Baseline = plainRun(kept)
	}
	w.Runs.Cursor = min(w.Runs.Cursor, len(kept)-1)
	if at := slices.Index(kept, under); at >= 0 {
		w.Runs.Cursor = at
	}
	w.Board.Cross.On = false // it may have picked a run that is gone
	w.storyState = storyState{}
	w.furnish()
	w.Board.FurnishOwn()
	w.Board.Refit()
	return nil
}

// plainRun returns the first run of the plain method, with which the others are compared unless
// somebody chooses another; -1 for none.
func plainRun(tracks []*panel.Track) int {
	return slices.IndexFunc(tracks,
		func(t *panel.Track) bool { return t.Meta.Spec.Algorithm() == dro.Baseline() })
}
