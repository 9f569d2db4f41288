package watch

import (
	"fmt"
	"slices"

	"drolab/runner"
	"drolab/tui/kit"
	"drolab/tui/plot"
	"drolab/tui/watch/panel"
)

// A reason says why a key cannot be used now: "" where it can, else a sentence for the footer.

// ofRun returns the Why of a key that needs the run under the cursor; a nil why adds no reason of
// its own. Actions behind it may rely on Run not being nil.
func (w *Page) ofRun(why func(*panel.Track) string) func() string {
	return func() string {
		switch t := w.Run(); {
		case t == nil:
			return noRuns
		case why != nil:
			return why(t)
		}
		return ""
	}
}

func (w *Page) noAbove(*panel.Track) string {
	return kit.Unless(w.Cross.On || w.RowAt() > 0, firstRun)
}

func (w *Page) noBelow(*panel.Track) string {
	return kit.Unless(w.Cross.On || w.RowAt() < len(w.Rows())-1, lastRun)
}

// noBack needs no run: a zoom or an open pane can be left on an empty page, too.
func (w *Page) noBack() string {
	return kit.Unless(w.Cross.On || w.zoomed || w.logPane != noPane || w.raceRuns != nil,
		kit.NoWayBack)
}

func (w *Page) noFlip(*panel.Track) string {
	return kit.Unless(len(w.Panels[w.focus].Views) > 1, oneView)
}

func (w *Page) noSplit(*panel.Track) string { return kit.Unless(w.Validates, noValidation) }

func (w *Page) noWarnings(t *panel.Track) string {
	return kit.Unless(t.Warned > 0, t.Label+" has no warnings")
}

func (w *Page) noScale(*panel.Track) string {
	return kit.Unless(len(w.CurrentView(w.focus).Curves) > 0, noVertical)
}

// noScroll names the pane, as that is the one of the two that a key can open.
func (w *Page) noScroll(*panel.Track) string {
	return kit.Unless(w.logPane != noPane || w.hiddenBars(w.focus) > 0, logClosed)
}

// noVerb returns what says why a live run cannot be asked something, for which it must be in one of
// some states; none stands for all. An ended run comes first, as it is ended whoever ran it; only a
// run of this process has somebody to ask.
func (w *Page) noVerb(verb string, in ...runner.Status) func(*panel.Track) string {
	return func(t *panel.Track) string {
		switch {
		case t.Status.Ended():
			return fmt.Sprintf(nothingTo, t.Label, t.Status, verb)
		case !w.Controls(t.ID):
			return t.Label + elsewhere
		case len(in) > 0 && !slices.Contains(in, t.Status):
			return fmt.Sprintf("%s is %s", t.Label, t.Status)
		}
		return ""
	}
}

// noResume says why a run cannot be resumed. One that has ended without being done can be, by any
// process, unless a script drives its loop: it is started anew from its newest checkpoint.
func (w *Page) noResume(t *panel.Track) string {
	switch {
	case t.Status == runner.Paused:
		return kit.Unless(w.Controls(t.ID), t.Label+elsewhere)
	case t.Status.Ended() && t.Status != runner.Done && t.Meta.Spec.IsScript():
		return runner.ByScript(t.ID)
	case t.Status.Ended() && t.Status != runner.Done:
		return ""
	}
	return fmt.Sprintf(nothingTo, t.Label, t.Status, "resume")
}

// noSeeds refuses where taking apart and putting together look the same.
func (w *Page) noSeeds(*panel.Track) string {
	return kit.Unless(len(w.Groups) < len(w.Tracks), noSeedsAlike)
}

// noPlot is the Why of keys that need an axis of steps.
func (w *Page) noPlot(*panel.Track) string { return kit.Unless(w.plotCells() > 0, noSteps) }

func (w *Page) noUnzoom(*panel.Track) string {
	return kit.Unless(w.ZoomX != (plot.Range{}), wholeAxis)
}

// noReset says why there is nothing to reset.
func (w *Page) noReset() string {
	if w.ZoomX != (plot.Range{}) {
		return ""
	}
	return w.Choices().Key().Why()
}
