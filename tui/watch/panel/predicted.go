package panel

import (
	"slices"

	"drolab/runner"
	"drolab/runner/measure"
	"drolab/tui/watch/track"
)

// A run whose predictions come from another program has an evaluation, but no steps. A panel shows
// what the evaluation has, or says that there is nothing.

// predicted reports whether all watched runs are of this kind.
func (w *Board) predicted() bool {
	trained := func(t *track.Track) bool { return t.Meta.Imported == nil }
	return len(w.Tracks) > 0 && !slices.ContainsFunc(w.Tracks, trained)
}

// had reports whether every measure that a view shows is in the summary of some run.
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
	return !v.Phase && !v.Gazes()
}

// leaveOut removes views of measures that no run has, such as those that drolab learnt after the
// runs were recorded. Only views of the last panel and of rates of groups are removed: the others
// belong to the table. Nothing is removed while a run is not done, because it may still get the
// measure.
func (w *Board) leaveOut() {
	going := func(t *track.Track) bool { return t.Run.Summary().Status != runner.Done }
	if len(w.Tracks) == 0 || slices.ContainsFunc(w.Tracks, going) {
		return
	}
	for i := range w.Panels {
		p, rest := &w.Panels[i], i == len(w.Panels)-1
		views := slices.DeleteFunc(slices.Clone(p.Views), func(v View) bool {
			return (rest && !w.ofStep(&v) || isRate(v.Bars)) && !w.had(&v)
		})
		if len(views) > 0 {
			p.Views = views
		}
	}
}

// ofStep reports whether a view draws a measure of steps, which no evaluation has.
func (w *Board) ofStep(v *View) bool {
	return slices.ContainsFunc(v.Curves, func(name string) bool {
		m, _ := measure.FindMeasure(name)
		return m.OfStep()
	})
}

// isRate reports whether bars are rates of groups.
func isRate(bars string) bool {
	return slices.ContainsFunc(measure.Decisions(), func(m measure.Measure) bool {
		return m.Name == bars
	})
}

// turnToHad turns panels of predicted runs that have nothing to show to a view that has something.
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
