package panel

import (
	"slices"

	"drolab/runner/measure"
	"drolab/tui/watch/track"
)

// A run that another program predicted has an evaluation, and no steps. A panel shows what it
// has of that, or says that there is nothing.

// predicted tells whether all that is watched are such runs.
func (w *Board) predicted() bool {
	trained := func(t *track.Track) bool { return t.Meta.Imported == nil }
	return len(w.Tracks) > 0 && !slices.ContainsFunc(w.Tracks, trained)
}

// had tells whether predicted runs have all that a view shows.
func (w *Board) had(v *View) bool {
	for _, name := range v.Curves {
		has := func(t *track.Track) bool { return t.Run.Summary().Of(name).Applies() }
		if !slices.ContainsFunc(w.Tracks, has) {
			return false
		}
	}
	for _, name := range []string{v.Bars, v.Beside} {
		has := func(t *track.Track) bool {
			fit := name
			if !v.Plain {
				fit = t.Meta.Fit(name)
			}
			return slices.ContainsFunc(t.Run.Summary().ByGroup.Of(fit), measure.Number.Applies)
		}
		if name != "" && !slices.ContainsFunc(w.Tracks, has) {
			return false
		}
	}
	return !v.Phase
}

// turnToHad has panels of predicted runs show what there is.
func (w *Board) turnToHad() {
	if !w.predicted() {
		return
	}
	for i := range w.Panels {
		p := &w.Panels[i]
		had := func(v View) bool { return w.had(&v) }
		if k := slices.IndexFunc(p.Views, had); k >= 0 && !w.had(&p.Views[p.View]) {
			p.View = k
		}
	}
}
