package watch

import (
	"fmt"

	"drolab/runner"
	"drolab/tui/kit"
	"drolab/tui/lab"
	"drolab/tui/watch/track"

	tea "charm.land/bubbletea/v2"
)

// Keys implements the interface's page. A row has everything about a key: footer, help and the
// reason why it cannot be used now come from the same row, so a new key is a new row.
//
// The effect of a key is shown at once, everywhere, and may change what is in view. So each Do is
// wrapped in touch and Fit, and no action has to call them.
func (w *Page) Keys() []kit.Key {
	// A replay's keys work in a replay alone, and come first there.
	rows, more := w.ownKeys(), w.replayKeys()
	if w.clock != nil {
		rows, more = more, rows
	}
	rows = append(rows, more...)
	for i := range rows {
		// The overlay that a Do opens is no part of the page, and is drawn by the model.
		do := rows[i].Do
		rows[i].Do = func() tea.Cmd {
			w.touch()
			defer w.Fit()
			return do()
		}
	}
	return rows
}

// ownKeys returns the rows that always hold, in the order of the help. The footer takes rows with a
// Hint from the front, as many as it has room for. Alters marks keys that change a run, which a
// replay and a read-only view refuse. Local marks keys that write or read files of this machine,
// which a guest may not do.
func (w *Page) ownKeys() []kit.Key {
	of := w.ofRun
	return []kit.Key{
		{Keys: kit.On("enter"), Help: "zoom the panel, and back; at the crosshair, choose its run",
			Do: kit.Just(w.enter)},
		{Keys: kit.On("space"), Help: "show or hide the run's curves; in a replay, play or pause",
			Why: of(nil), Do: w.space},
		{Keys: kit.On("up", "k"), Help: "the run above; at the crosshair, the line",
			Why: of(w.noAbove), Do: kit.By(w.upOrDown, -1), Moves: true},
		{Keys: kit.On("down", "j"), Help: "the run below; at the crosshair, the line",
			Why: of(w.noBelow), Do: kit.By(w.upOrDown, 1), Moves: true},
		{Keys: kit.On("left", "h"), Help: "crosshair left; otherwise the previous panel",
			Why: of(nil), Do: kit.By(w.side, -1), Moves: true},
		{Keys: kit.On("right"), Help: "crosshair right; otherwise the next panel",
			Why: of(nil), Do: kit.By(w.side, 1), Moves: true},
		{Keys: kit.On("esc"), Help: "go back", Why: w.noBack, Do: kit.Just(w.back)},
		// These go to an end by a move that is longer than any list.
		{Keys: kit.On("home", "g"), Help: "first",
			Why: of(nil), Do: kit.By(w.move, -lab.MaxWatched), Moves: true},
		{Keys: kit.On("end", "G"), Help: "last",
			Why: of(nil), Do: kit.By(w.move, lab.MaxWatched), Moves: true},
		{Keys: kit.On("pgup"), Help: "a page up",
			Why: of(w.noScroll), Do: kit.By(w.scroll, -1), Moves: true},
		{Keys: kit.On("pgdown"), Help: "a page down",
			Why: of(w.noScroll), Do: kit.By(w.scroll, 1), Moves: true},
		// These change what is shown, and in which view, and nothing that is kept.
		{Keys: kit.On("tab"), Hint: "panel", Stands: w.whichPanels,
			Help: "next panel, including those out of view",
			Why:  of(nil), Do: kit.By(w.nextPanel, 1)},
		{Keys: kit.On("shift+tab"), Help: "previous panel",
			Why: of(nil), Do: kit.By(w.nextPanel, -1)},
		{Keys: kit.On("z"), Hint: "zoom", Help: "zoom the panel to the whole screen, and back",
			Why: of(nil), Do: kit.Just(w.zoom)},
		{Keys: kit.On("v"), Hint: "layout", Help: "1, 2, 4 or 6 panels",
			Why: of(nil), Do: kit.Just(w.nextLayout)},
		{Keys: kit.On("f"), Hint: "flip",
			Help: "switch view: one curve, phase portrait, one run, radii",
			Why:  of(w.noFlip), Do: kit.Just(w.flip)},
		{Keys: kit.On("m"), Hint: "split", Help: "show the test or the validation split",
			Why: of(w.noSplit), Do: w.flipSplit},
		// These ask a run of this process to do something. The answer comes through its log, or as
		// a notice that it was refused.
		{Keys: kit.On("p"), Hint: "pause", Help: "pause with a checkpoint, or continue",
			Why: of(w.noPause), Do: w.pause, Alters: true},
		{Keys: kit.On("r"), Hint: "resume",
			Help: "resume an unfinished run from its newest checkpoint",
			Why:  of(w.noResume), Do: w.resume, Alters: true},
		{Keys: kit.On("x"), Hint: "stop", Help: "stop with a checkpoint (asks)",
			Why: of(w.noStop), Do: w.stop, Alters: true},
		// These change how curves are drawn, in all panels alike except for the scale, which
		// belongs to a quantity.
		{Keys: kit.On("s"), Hint: "smooth", Help: "smoothing: mean of 5, EMA .9, EMA .99, none",
			Why: of(nil), Do: w.smoothBy(1)},
		{Keys: kit.On("S"), Help: "previous smoothing", Why: of(nil), Do: w.smoothBy(-1)},
		{Keys: kit.On("l"), Hint: "log", Help: "vertical scale: linear, log, symmetric log",
			Why: of(w.noScale), Do: kit.Just(w.nextScale)},
		{Keys: kit.On("a"), Hint: "axis", Help: "horizontal axis: steps, epochs, time",
			Why: of(nil), Do: kit.Just(w.NextAxis)},
		{Keys: kit.On("+", "="), Help: "zoom in on x, of all plots",
			Why: of(w.noPlot), Do: kit.By(w.ZoomBy, 1)},
		{Keys: kit.On("-"), Help: "zoom out", Why: of(w.noUnzoom), Do: kit.By(w.ZoomBy, -1)},
		{Keys: kit.On("0"), Help: "show all of x; then reset the page's view to its defaults",
			Why: w.noReset, Do: kit.Just(w.reset)},
		{Keys: kit.On("<"), Help: "pan to the left", Why: of(w.noUnzoom), Do: kit.By(w.PanBy, -1)},
		{Keys: kit.On(">"), Help: "pan to the right", Why: of(w.noUnzoom), Do: kit.By(w.PanBy, 1)},
		// These choose what runs are compared with, and what is said about them.
		{Keys: kit.On("o"), Hint: "seeds",
			Help: "fold runs that differ only in the seed, or show each",
			Why:  of(w.noSeeds), Do: kit.Just(w.takeApart)},
		{Keys: kit.On("b"), Hint: "baseline", Help: "choose the baseline run",
			Why: of(nil), Do: w.nextBaseline},
		{Keys: kit.On("d"), Help: "curve style: auto (dots where the terminal has them), or lines",
			Why: of(nil), Do: w.nextStyle},
		{Keys: kit.On("w"), Hint: "log pane",
			Help: "log of warnings and events, then the program's output",
			Why:  of(nil), Do: kit.Just(w.flipLog)},
		{Keys: kit.On("W"), Help: "the run's warnings in full",
			Why: of(w.noWarnings), Do: w.warnings},
		{Keys: kit.On("i"), Hint: "define", Help: "define what the panel and the table show",
			Why: of(nil), Do: w.define},
		{Keys: kit.On("e"), Help: "export what the panel shows, as CSV " + w.exportPlace(),
			Why: of(nil), Do: w.export, Local: true},
		{Keys: kit.On("E"), Help: "export it in another format",
			Why: of(nil), Do: w.chooseExport, Local: true},
		{Keys: kit.On("P"), Help: "the samples the adversary weighs most at the run's checkpoint",
			Why: of(nil), Do: w.samples, Local: true},
		// This one works without a run, too: it is the way out of an empty page.
		{Keys: kit.On("n"), Help: "watch the newest runs", Do: w.newest},
		{Keys: kit.On("t"), Hint: "change",
			Help: "change a setting of a live run, such as lr (asks)",
			Why:  of(w.noTurn), Do: w.turn, Alters: true},
		{Keys: kit.On("u"), Help: "undo the last change of a setting",
			Why: of(w.noTakeBack), Do: w.takeBack, Alters: true},
		{Keys: kit.On("F"), Hint: "fork",
			Help: "fork from the checkpoint at the crosshair",
			Why:  of(nil), Do: w.fork, Alters: true},
		{Keys: kit.On("c"), Help: "save a checkpoint now",
			Why: of(w.noCheckpoint), Do: w.checkpoint, Alters: true},
		{Keys: kit.On("R"), Help: "replay the runs as if training now; end a replay",
			Why: of(nil), Do: w.flipReplay},
	}
}

// ofRun returns the Why of a key that needs the run under the cursor; a nil why adds no reason of
// its own. Actions behind it may rely on Run not being nil.
func (w *Page) ofRun(why func(*track.Track) string) func() string {
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

// The methods below are reasons: "" where a key can be used, else a sentence for the footer.

func (w *Page) noAbove(*track.Track) string {
	return kit.Unless(w.Cross.On || w.RowAt() > 0, firstRun)
}

func (w *Page) noBelow(*track.Track) string {
	return kit.Unless(w.Cross.On || w.RowAt() < len(w.Rows())-1, lastRun)
}

// noBack needs no run: a zoom or an open pane can be left on an empty page, too.
func (w *Page) noBack() string {
	return kit.Unless(w.Cross.On || w.zoomed || w.logPane != noPane, noWayBack)
}

func (w *Page) noFlip(*track.Track) string {
	return kit.Unless(len(w.Panels[w.focus].Views) > 1, oneView)
}

func (w *Page) noSplit(*track.Track) string {
	return kit.Unless(w.Validates, noValidation)
}

func (w *Page) noWarnings(t *track.Track) string {
	return kit.Unless(t.Warned > 0, t.Label+" has no warnings")
}

func (w *Page) noScale(*track.Track) string {
	return kit.Unless(len(w.Shows(w.focus).Curves) > 0, noVertical)
}

// noScroll names the pane, as that is the one of the two that a key can open.
func (w *Page) noScroll(*track.Track) string {
	return kit.Unless(w.logPane != noPane || w.hiddenBars(w.focus) > 0, logClosed)
}

func (w *Page) noPause(t *track.Track) string {
	return w.noVerb(t, t.Status == runner.Running || t.Status == runner.Paused, "pause")
}

func (w *Page) noCheckpoint(t *track.Track) string {
	return w.noVerb(t, t.Status == runner.Running || t.Status == runner.Paused, "save")
}

func (w *Page) noStop(t *track.Track) string { return w.noVerb(t, true, "stop") }

// noTurn goes by Turns, which is found out once: every frame's footer asks for each key's reason.
func (w *Page) noTurn(t *track.Track) string {
	if !t.Turns {
		return t.Label + unreadableSettings
	}
	return w.noVerb(t, true, "change")
}

// noVerb says why a live run cannot be asked something. An ended run comes first, as it is ended
// whoever ran it; only a run of this process has somebody to ask.
func (w *Page) noVerb(t *track.Track, can bool, verb string) string {
	switch {
	case t.Status.Ended():
		return fmt.Sprintf(nothingTo, t.Label, t.Status, verb)
	case !w.Controls(t.ID):
		return t.Label + elsewhere
	case !can:
		return fmt.Sprintf("%s is %s", t.Label, t.Status)
	}
	return ""
}

// noResume says why a run cannot be resumed. One that has ended without being done can be, by any
// process: it is started anew from its newest checkpoint.
func (w *Page) noResume(t *track.Track) string {
	switch {
	case t.Status == runner.Done:
		return t.Label + " is done: nothing to resume"
	case t.Status == runner.Paused && w.Controls(t.ID), t.Status.Ended():
		return ""
	case t.Status == runner.Paused:
		return t.Label + elsewhere
	}
	return fmt.Sprintf("%s is %s: nothing to resume", t.Label, t.Status)
}

// noSeeds refuses where taking apart and putting together look the same.
func (w *Page) noSeeds(*track.Track) string {
	return kit.Unless(len(w.Groups) < len(w.Tracks), noSeedsAlike)
}
