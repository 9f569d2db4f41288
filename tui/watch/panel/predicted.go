package panel

import (
	"slices"

	"drolab/runner"
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

// had tells whether the evaluations of ended runs have all that a view shows.
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

// leaveOut takes out views of measures that none of the runs has, such as those that drolab
// learnt after the runs were recorded. Only what others left, and the rates of groups, may go:
// the other views are of the table. A run that is not done may still have what it lacks.
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

// ofStep tells whether a view draws a measure of steps, which no evaluation has.
func (w *Board) ofStep(v *View) bool {
	return slices.ContainsFunc(v.Curves, func(name string) bool {
		m, _ := measure.FindMeasure(name)
		return m.OfStep()
	})
}

// isRate tells whether bars are rates of groups.
func isRate(bars string) bool {
	return slices.ContainsFunc(measure.Decisions(), func(m measure.Measure) bool {
		return m.Name == bars
	})
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
