package watch

import (
	"strings"

	"drolab/runner"
	"drolab/runner/page"
	"drolab/tui/kit"
	"drolab/tui/lab"

	tea "charm.land/bubbletea/v2"
)

// Keys implements the interface's page. A row has everything about a key: footer, help and the
// reason why it cannot be used now come from the same row, so a new key is a new row.
//
// The effect of a key is shown at once, everywhere, but for a move of the cursor. So changed or
// follow comes after each Act, and no action has to call them.
func (w *Page) Keys() []kit.Key {
	// A replay's keys work in a replay alone, and come first there.
	rows, more := w.ownKeys(), w.replayKeys()
	if w.logs.clock != nil {
		rows, more = more, rows
	}
	rows = append(rows, more...)
	for i := range rows {
		rows[i].Act = w.thenChanged(rows[i].Act)
	}
	return rows
}

// thenChanged returns an Act that is followed by changed or, where the Act has moved the cursor and
// thus changed nothing else, by follow. At the crosshair the picked line counts, not the cursor.
func (w *Page) thenChanged(act func() tea.Cmd) func() tea.Cmd {
	return func() tea.Cmd {
		before := w.Runs.Cursor
		cmd := act()
		if w.Runs.Cursor == before || w.Board.Cross.On || w.Round == 0 {
			w.changed()
			return cmd
		}
		w.update()
		return tea.Batch(cmd, w.follow())
	}
}

// ownKeys returns the rows that always hold, in the order of the help. The footer takes rows with a
// Hint from the front, as many as it has room for. Alters marks keys that change a run, which a
// replay and a read-only view refuse. Local marks keys that write or read files of this machine,
// which a shared view may not do.
func (w *Page) ownKeys() []kit.Key {
	of := w.ofRun
	_, place := w.exportDir()
	return []kit.Key{
		// What a run that is not done needs comes first. These ask the process that trains it. The
		// answer comes through its log, or as a notice that it was refused.
		{Keys: kit.On("p"), Hint: "pause", HintIn: w.pauseHint,
			Help: "pause with a checkpoint, or continue; all seeds of a row",
			Why:  of(w.noPause), Act: w.pause, Alters: true},
		{Keys: kit.On("r"), Hint: "resume",
			Help: "resume an unfinished run from its newest checkpoint",
			Why:  of(w.noResume), Act: w.resume, Alters: true},
		{Keys: kit.On("x"), Hint: "stop", Help: "stop with a checkpoint (asks)",
			Why: of(w.noVerb("stop")), Act: w.stop, Alters: true},
		// The verbs that one shows to others come next.
		{Keys: kit.On("F"), Hint: "fork",
			Help: "fork: train on from a checkpoint (at the crosshair) with other settings",
			Why:  of(w.noFork), Act: w.fork, Alters: true, Group: kit.ToStart},
		{Keys: kit.On("R"), Hint: "replay",
			Help: "replay the runs as if training now; end a replay",
			Why:  of(nil), Act: w.flipReplay, Group: kit.ToStart},
		{Keys: kit.On("P"), Hint: "samples",
			Help: "the samples the adversary weighs most at the run's checkpoint",
			Why:  of(noSamples), Act: w.samples, Local: true},
		{Keys: kit.On("c"), Hint: "compare", Help: "compare the watched runs that are done",
			Why: of(nil), Act: w.compare},
		// This one works without a run, too: it is the way out of an empty page.
		{Keys: kit.On("n"), Help: "watch all runs that train, or else the newest start",
			Group: kit.ToStart,
			Act:   func() tea.Cmd { return w.open(lab.Watch{}) }},
		{Keys: kit.On("enter"), Help: "zoom the panel, and back; at the crosshair, choose its run",
			Act: kit.Just(w.enter)},
		{Keys: kit.On("space"), Help: "show or hide the run's curves; in a replay, play or pause",
			Why: of(nil), Act: w.hideOrPlay},
		kit.Move("the run above; at the crosshair, the line", of(w.noAbove),
			w.upOrDown, -1, "up", "k"),
		kit.Move("the run below; at the crosshair, the line", of(w.noBelow),
			w.upOrDown, 1, "down", "j"),
		kit.Move("crosshair left; otherwise the previous panel", of(nil), w.side, -1, "left", "h"),
		kit.Move("crosshair right; otherwise the next panel", of(nil), w.side, 1, "right"),
		kit.Back("go back; from a fork, to the race", w.states),
		// These go to an end by a move that is longer than any list.
		kit.Move("first", of(nil), w.move, -lab.MaxWatched, "home", "g"),
		kit.Move("last", of(nil), w.move, lab.MaxWatched, "end", "G"),
		kit.Move("a page up", of(w.noScroll), w.scroll, -1, "pgup"),
		kit.Move("a page down", of(w.noScroll), w.scroll, 1, "pgdown"),
		// These change what is shown, and in which view, and nothing that is kept.
		{Keys: kit.On("tab"), Hint: "panel", HintIn: w.whichPanels,
			Help: "next panel, including those out of view",
			Why:  of(nil), Act: kit.By(w.nextPanel, 1)},
		{Keys: kit.On("shift+tab"), Help: "previous panel",
			Why: of(nil), Act: kit.By(w.nextPanel, -1)},
		{Keys: kit.On("z"), Hint: "zoom", Help: "zoom the panel to the whole screen, and back",
			Why: of(nil), Act: kit.Just(w.zoom)},
		{Keys: kit.On("v"), Hint: "layout", Help: "1, 2, 4 or 6 panels",
			Why: of(nil), Act: kit.Just(w.nextLayout)},
		{Keys: kit.On("B"), Act: kit.Just(w.nextTiles), Why: of(nil),
			Help: "three large numbers: at the end, always and larger, or never"},
		{Keys: kit.On("f"), Hint: "flip",
			Help: "switch view: one curve, phase portrait, one run, radii",
			Why:  of(w.noFlip), Act: kit.Just(w.flip)},
		{Keys: kit.On("m"), Hint: "split", Help: "show the test or the validation split",
			Why: of(w.noSplit), Act: w.flipSplit},
		// These change how curves are drawn, in all panels alike except for the scale, which
		// belongs to a quantity.
		{Keys: kit.On("s"), Hint: "smooth", Help: "smoothing: over 5 points, EMA .9, EMA .99, none",
			Why: of(nil), Act: w.smoothBy(1)},
		{Keys: kit.On("S"), Help: "previous smoothing", Why: of(nil), Act: w.smoothBy(-1)},
		{Keys: kit.On("l"), Hint: "log", Help: "vertical scale: linear, log, symmetric log",
			Why: of(w.noScale), Act: kit.Just(func() { w.Board.NextScale(w.screen.focus) })},
		{Keys: kit.On("a"), Hint: "axis", Help: "horizontal axis: steps, epochs, time",
			Why: of(nil), Act: w.nextAxis},
		{Keys: kit.On("+", "="), Help: "zoom in on x, of all plots",
			Why: of(w.noPlot), Act: kit.By(w.Board.ZoomBy, 1)},
		{Keys: kit.On("-"), Help: "zoom out", Why: of(w.noUnzoom), Act: kit.By(w.Board.ZoomBy, -1)},
		{Keys: kit.On("0"), Help: "show all of x; then reset the page's view to its defaults",
			Why: w.noReset, Act: kit.Just(w.reset)},
		{Keys: kit.On("<"), Help: "pan to the left", Why: of(w.noUnzoom),
			Act: kit.By(w.Board.PanBy, -1)},
		{Keys: kit.On(">"), Help: "pan to the right", Why: of(w.noUnzoom),
			Act: kit.By(w.Board.PanBy, 1)},
		// These choose what runs are compared with, and what is said about them.
		{Keys: kit.On("o"), Hint: "seeds",
			Help: "fold runs that differ only in the seed, or show each",
			Why:  of(w.noSeeds), Act: kit.Just(w.toggleSeeds)},
		{Keys: kit.On("b"), Hint: "baseline", Help: "choose the baseline run",
			Why: of(nil), Act: w.nextBaseline},
		{Keys: kit.On("d"), Help: "curve style: auto (dots where the terminal has them), or lines",
			Why: of(nil), Act: w.nextStyle},
		{Keys: kit.On("w"), Hint: "log pane",
			Help: "log of warnings and events, then the program's output",
			Why:  of(nil), Act: kit.Just(w.flipLog)},
		{Keys: kit.On("W"), Help: "the run's warnings in full",
			Why: of(w.noWarnings), Act: w.warnings},
		{Keys: kit.On("/"), Help: "search the log pane", Act: w.search,
			Why: w.noPane},
		{Keys: kit.On("i"), Hint: "define", Help: "define what the panel and the table show",
			Why: of(nil), Act: func() tea.Cmd { return w.Show(w.info()) }},
		{Keys: kit.On("e"), Help: "export what the panel shows, as CSV " + place,
			Why: of(nil), Local: true,
			Act: func() tea.Cmd { return w.exportAs(page.Formats()[0]) }},
		{Keys: kit.On("E"), Help: "export it in another format",
			Why: of(nil), Act: w.chooseExport, Local: true},
		{Keys: kit.On("y"), Act: w.copy,
			Help: "copy what the panel shows, as CSV; at the crosshair, its figure",
			Why:  of(w.noCopy)},
		{Keys: kit.On("t"), Hint: "change",
			Help: "change a setting of a live run, such as lr (asks)",
			Why:  of(w.noTurn), Act: w.turn, Alters: true},
		{Keys: kit.On("u"), Help: "undo the last change of a setting",
			Why: of(w.noUndoSetting), Act: w.undoSetting, Alters: true},
		{Keys: kit.On("C"), Help: "save a checkpoint now",
			Why: of(w.noVerb("save", runner.Running, runner.Paused)),
			Act: func() tea.Cmd { return w.Ask("checkpoint", w.Runs.Run().ID) }, Alters: true},
	}
}

// nextAxis takes the next horizontal axis, and says which runs are not on it.
func (w *Page) nextAxis() tea.Cmd {
	untimed := w.Board.NextAxis()
	if len(untimed) == 0 {
		return nil
	}
	return kit.Notify("Not on the axis of time, since the log has no times: " +
		strings.Join(untimed, ", "))
}
