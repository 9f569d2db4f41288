package watch

import (
	"fmt"
	"slices"

	"drolab/runner"
	"drolab/tui/kit"
	"drolab/tui/lab"
	"drolab/tui/plot"
	"drolab/tui/watch/panel"
)

// A reason says why a key cannot be used now: "" where it can, else a sentence for the footer.

// ofRun returns the Why of a key that needs the run under the cursor; a nil why adds no reason of
// its own. Actions behind it may rely on Run not being nil.
func (w *Page) ofRun(why func(*panel.Track) string) func() string {
	return func() string {
		switch t := w.Runs.Run(); {
		case t == nil:
			return "No runs to watch. Start some on page 1, or select some on page 3"
		case why != nil:
			return why(t)
		}
		return ""
	}
}

func (w *Page) noAbove(*panel.Track) string {
	return kit.Unless(w.Board.Cross.On || w.Runs.RowAt() > 0, "This is the first run")
}

func (w *Page) noBelow(*panel.Track) string {
	return kit.Unless(w.Board.Cross.On || w.Runs.RowAt() < len(w.Runs.Rows())-1,
		"This is the last run")
}

func (w *Page) noFlip(*panel.Track) string {
	return kit.Unless(len(w.Board.Panels[w.screen.focus].Views) > 1, "This panel has only one view")
}

func (w *Page) noSplit(*panel.Track) string {
	return kit.Unless(w.Board.Validates, "No watched run has a validation split (see val_fraction)")
}

func (w *Page) noWarnings(t *panel.Track) string {
	return kit.Unless(t.Warned > 0, fmt.Sprintf("%s has no warnings", t.Label))
}

func (w *Page) noScale(*panel.Track) string {
	return kit.Unless(len(w.Board.CurrentView(w.screen.focus).Curves) > 0,
		"This panel has no vertical scale")
}

// noScroll names the pane, as that is the one of the two that a key can open.
func (w *Page) noScroll(*panel.Track) string {
	if w.hiddenBars(w.screen.focus) > 0 {
		return ""
	}
	return w.noPane()
}

// noPane says that no log pane is open.
func (w *Page) noPane() string {
	return kit.Unless(w.screen.logPane != noPane, "The log pane is closed. w opens it")
}

// noVerb returns what says why a live run cannot be asked something, for which it must be in one of
// some states; none stands for all. An ended run comes first, as it is ended whoever ran it; only a
// run of this process has somebody to ask.
func (w *Page) noVerb(verb string, in ...runner.Status) func(*panel.Track) string {
	return func(t *panel.Track) string {
		switch {
		case t.Status.Ended():
			return nothingTo(verb, t)
		case w.noControl(t) != "":
			return w.noControl(t)
		case len(in) > 0 && t.Status == runner.Queued:
			return fmt.Sprintf("%s is queued: %s works once it runs", t.Label, verb)
		case len(in) > 0 && !slices.Contains(in, t.Status):
			return fmt.Sprintf("%s is %s", t.Label, t.Status)
		}
		return ""
	}
}

// noPause says why no run of the row under the cursor can be paused, nor go on.
func (w *Page) noPause(t *panel.Track) string {
	if len(w.seedsThat(runner.Running))+len(w.seedsThat(runner.Paused)) > 0 {
		return ""
	}
	return w.noVerb("pause", runner.Running, runner.Paused)(t)
}

// noResume says why a run cannot be resumed. One that has ended without being done can be, by any
// process, unless a script drives its loop: it is started anew from its newest checkpoint.
func (w *Page) noResume(t *panel.Track) string {
	switch {
	case t.Status == runner.Paused:
		return w.noControl(t)
	case t.Status.Ended() && t.Status != runner.Done && t.Meta.Imported != nil:
		return lab.NoNetwork(t.Meta)
	case t.Status.Ended() && t.Status != runner.Done && t.Meta.Spec.IsScript():
		return runner.ByScript(t.ID)
	case t.Status.Ended() && t.Status != runner.Done:
		return w.Unreached(t.ID)
	}
	return nothingTo("resume", t)
}

// nothingTo says that the status of a run leaves nothing to do for a verb.
func nothingTo(verb string, t *panel.Track) string {
	return fmt.Sprintf("%s is %s: nothing to %s", t.Label, t.Status, verb)
}

// noControl says that a run takes its requests elsewhere.
func (w *Page) noControl(t *panel.Track) string {
	if why := w.Unreached(t.ID); why != "" {
		return why
	}
	if t.Meta.Imported != nil {
		return fmt.Sprintf("%s is %s: it can only be watched", t.Label, t.Meta.Origin())
	}
	return kit.Unless(w.Controls(t.ID),
		fmt.Sprintf("%s runs in another process and can only be watched here", t.Label))
}

// noSamples says why the samples of a run cannot be shown.
func noSamples(t *panel.Track) string { return lab.NoSamples(t.Run) }

// noCopy says that the key has another meaning in a replay.
func (w *Page) noCopy(*panel.Track) string {
	return kit.Unless(w.logs.clock == nil, "In a replay y goes to the next checkpoint")
}

// noSeeds refuses where taking apart and putting together look the same.
func (w *Page) noSeeds(*panel.Track) string {
	return kit.Unless(len(w.Runs.Groups) < len(w.Runs.Tracks),
		"No two runs differ only in the seed")
}

// noPlot is the Why of keys that need an axis of steps.
func (w *Page) noPlot(*panel.Track) string {
	return kit.Unless(w.plotCells() > 0, "This panel has no step axis. Tab goes to one that has")
}

func (w *Page) noUnzoom(*panel.Track) string {
	return kit.Unless(w.Board.ZoomX != (plot.Range{}), "The whole axis is in view")
}

// noReset says why there is nothing to reset.
func (w *Page) noReset() string {
	if w.Board.ZoomX != (plot.Range{}) {
		return ""
	}
	return w.Choices().Key().Why()
}
