package watch

import (
	"fmt"
	"slices"
	"strconv"

	"drolab/runner"
	"drolab/runner/page"
	"drolab/tui/kit"
	"drolab/tui/lab"
	"drolab/tui/plot"
	"drolab/tui/watch/panel"

	tea "charm.land/bubbletea/v2"
)

// Keys implements the interface's page. A row has everything about a key: footer, help and the
// reason why it cannot be used now come from the same row, so a new key is a new row.
//
// The effect of a key is shown at once, everywhere, and may change what is in view. So each Act is
// wrapped in touch and Fit, and no action has to call them.
func (w *Page) Keys() []kit.Key {
	// A replay's keys work in a replay alone, and come first there.
	rows, more := w.ownKeys(), w.replayKeys()
	if w.clock != nil {
		rows, more = more, rows
	}
	rows = append(rows, more...)
	for i := range rows {
		// The overlay that an Act opens is no part of the page, and is drawn by the model.
		do := rows[i].Act
		rows[i].Act = func() tea.Cmd {
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
	_, place := w.exportDir()
	return []kit.Key{
		// The verbs that one shows to others come first.
		{Keys: kit.On("F"), Hint: "what if", Help: "fork from the checkpoint at the crosshair",
			Why: of(nil), Act: w.fork, Alters: true, Group: kit.ToStart},
		{Keys: kit.On("R"), Hint: "replay",
			Help: "replay the runs as if training now; end a replay",
			Why:  of(nil), Act: w.flipReplay, Group: kit.ToStart},
		{Keys: kit.On("P"), Hint: "samples",
			Help: "the samples the adversary weighs most at the run's checkpoint",
			Why:  of(nil), Act: w.samples, Local: true},
		{Keys: kit.On("c"), Hint: "compare", Help: "compare the watched runs that are done",
			Why: of(nil), Act: w.compare},
		// This one works without a run, too: it is the way out of an empty page.
		{Keys: kit.On("n"), Help: "watch the newest runs", Group: kit.ToStart,
			Act: func() tea.Cmd { return w.open(lab.Watch{}) }},
		{Keys: kit.On("enter"), Help: "zoom the panel, and back; at the crosshair, choose its run",
			Act: kit.Just(w.enter)},
		{Keys: kit.On("space"), Help: "show or hide the run's curves; in a replay, play or pause",
			Why: of(nil), Act: w.space},
		kit.Move("the run above; at the crosshair, the line", of(w.noAbove),
			w.upOrDown, -1, "up", "k"),
		kit.Move("the run below; at the crosshair, the line", of(w.noBelow),
			w.upOrDown, 1, "down", "j"),
		kit.Move("crosshair left; otherwise the previous panel", of(nil), w.side, -1, "left", "h"),
		kit.Move("crosshair right; otherwise the next panel", of(nil), w.side, 1, "right"),
		{Keys: kit.On("esc"), Group: kit.ToLeave, Help: "go back; from a branch, to the race",
			Why: w.noBack, Act: w.goBack},
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
		{Keys: kit.On("f"), Hint: "flip",
			Help: "switch view: one curve, phase portrait, one run, radii",
			Why:  of(w.noFlip), Act: kit.Just(w.flip)},
		{Keys: kit.On("m"), Hint: "split", Help: "show the test or the validation split",
			Why: of(w.noSplit), Act: w.flipSplit},
		// These ask a run of this process to do something. The answer comes through its log, or as
		// a notice that it was refused.
		{Keys: kit.On("p"), Hint: "pause", Help: "pause with a checkpoint, or continue",
			Why: of(w.noVerb("pause", runner.Running, runner.Paused)), Act: w.pause, Alters: true},
		{Keys: kit.On("r"), Hint: "resume",
			Help: "resume an unfinished run from its newest checkpoint",
			Why:  of(w.noResume), Act: w.resume, Alters: true},
		{Keys: kit.On("x"), Hint: "stop", Help: "stop with a checkpoint (asks)",
			Why: of(w.noVerb("stop")), Act: w.stop, Alters: true},
		// These change how curves are drawn, in all panels alike except for the scale, which
		// belongs to a quantity.
		{Keys: kit.On("s"), Hint: "smooth", Help: "smoothing: mean of 5, EMA .9, EMA .99, none",
			Why: of(nil), Act: w.smoothBy(1)},
		{Keys: kit.On("S"), Help: "previous smoothing", Why: of(nil), Act: w.smoothBy(-1)},
		{Keys: kit.On("l"), Hint: "log", Help: "vertical scale: linear, log, symmetric log",
			Why: of(w.noScale), Act: kit.Just(func() { w.NextScale(w.focus) })},
		{Keys: kit.On("a"), Hint: "axis", Help: "horizontal axis: steps, epochs, time",
			Why: of(nil), Act: kit.Just(w.NextAxis)},
		{Keys: kit.On("+", "="), Help: "zoom in on x, of all plots",
			Why: of(w.noPlot), Act: kit.By(w.ZoomBy, 1)},
		{Keys: kit.On("-"), Help: "zoom out", Why: of(w.noUnzoom), Act: kit.By(w.ZoomBy, -1)},
		{Keys: kit.On("0"), Help: "show all of x; then reset the page's view to its defaults",
			Why: w.noReset, Act: kit.Just(w.reset)},
		{Keys: kit.On("<"), Help: "pan to the left", Why: of(w.noUnzoom), Act: kit.By(w.PanBy, -1)},
		{Keys: kit.On(">"), Help: "pan to the right", Why: of(w.noUnzoom), Act: kit.By(w.PanBy, 1)},
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
			Why: func() string { return kit.Unless(w.logPane != noPane, logClosed) }},
		{Keys: kit.On("i"), Hint: "define", Help: "define what the panel and the table show",
			Why: of(nil), Act: func() tea.Cmd { return kit.Show(w.info()) }},
		{Keys: kit.On("e"), Help: "export what the panel shows, as CSV " + place,
			Why: of(nil), Local: true,
			Act: func() tea.Cmd { return w.exportAs(page.Formats()[0]) }},
		{Keys: kit.On("E"), Help: "export it in another format",
			Why: of(nil), Act: w.chooseExport, Local: true},
		{Keys: kit.On("y"), Act: w.copy,
			Help: "copy what the panel shows, as CSV; at the crosshair, its figure",
			Why:  of(func(*panel.Track) string { return kit.Unless(w.clock == nil, otherY) })},
		{Keys: kit.On("t"), Hint: "change",
			Help: "change a setting of a live run, such as lr (asks)",
			Why:  of(w.noTurn), Act: w.turn, Alters: true},
		{Keys: kit.On("u"), Help: "undo the last change of a setting",
			Why: of(w.noUndoSetting), Act: w.undoSetting, Alters: true},
		{Keys: kit.On("C"), Help: "save a checkpoint now",
			Why: of(w.noVerb("save", runner.Running, runner.Paused)),
			Act: func() tea.Cmd { return w.Ask("checkpoint", w.Run().ID) }, Alters: true},
	}
}

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

// The methods below are reasons: "" where a key can be used, else a sentence for the footer.

func (w *Page) noAbove(*panel.Track) string {
	return kit.Unless(w.Cross.On || w.RowAt() > 0, firstRun)
}

func (w *Page) noBelow(*panel.Track) string {
	return kit.Unless(w.Cross.On || w.RowAt() < len(w.Rows())-1, lastRun)
}

// noBack needs no run: a zoom or an open pane can be left on an empty page, too.
func (w *Page) noBack() string {
	return kit.Unless(w.Cross.On || w.zoomed || w.logPane != noPane || w.race != nil, kit.NoWayBack)
}

func (w *Page) noFlip(*panel.Track) string {
	return kit.Unless(len(w.Panels[w.focus].Views) > 1, oneView)
}

func (w *Page) noSplit(*panel.Track) string { return kit.Unless(w.Validates, noValidation) }

func (w *Page) noWarnings(t *panel.Track) string {
	return kit.Unless(t.Warned > 0, t.Label+" has no warnings")
}

func (w *Page) noScale(*panel.Track) string {
	return kit.Unless(len(w.Shows(w.focus).Curves) > 0, noVertical)
}

// noScroll names the pane, as that is the one of the two that a key can open.
func (w *Page) noScroll(*panel.Track) string {
	return kit.Unless(w.logPane != noPane || w.hiddenBars(w.focus) > 0, logClosed)
}

// noTurn goes by Turns, which is found out once: every frame's footer asks for each key's reason.
func (w *Page) noTurn(t *panel.Track) string {
	if !t.Turns {
		return t.Label + unreadableSettings
	}
	return w.noVerb("change")(t)
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

// zoom leaves the number of panels as it was, for the way back.
func (w *Page) zoom() { w.zoomed = !w.zoomed }

// goBack undoes one thing: the crosshair, else the zoom, else the log pane, else the choice of a
// branch and its parent among the runs of a race. noBack has the same cases, and a new one belongs
// in both.
func (w *Page) goBack() tea.Cmd {
	switch {
	case w.Cross.On:
		w.Cross.On = false
	case w.zoomed:
		w.zoomed = false
	case w.logPane != noPane:
		w.logPane = noPane
	default: // with the branch, which races on
		ids := slices.Concat(w.race, w.IDs())
		slices.Sort(ids)
		return w.open(lab.Watch{IDs: slices.Compact(ids)})
	}
	return nil
}

// whichPanels says which panels are in view, of how many, for a footer of so many cells. Without
// it nobody would guess that Tab leads to panels out of view.
func (w *Page) whichPanels(cells int) string {
	n, first, all := w.count(), w.first()+1, len(w.Panels)
	switch which := fmt.Sprintf("%d–%d", first, first+n-1); {
	case n == 1:
		return fmt.Sprintf("panel %d of %d", first, all)
	case cells < 100:
		return fmt.Sprintf("panels %s/%d", which, all)
	default:
		return fmt.Sprintf("panels %s of %d", which, all)
	}
}

func (w *Page) nextPanel(by int) { w.focus = (w.focus + len(w.Panels) + by) % len(w.Panels) }

// flip goes on to the next view that shows something else: of two curves there may be
// room for the first alone.
func (w *Page) flip() {
	p := &w.Panels[w.focus]
	r, _ := w.inside(w.focus)
	before := w.Shows(w.focus)
	for range p.Views { // once around at most: all may show the same
		p.View = (p.View + 1) % len(p.Views)
		now := w.Shows(w.focus)
		if !now.Plots() || !slices.Equal(now.Drawn(r.W, r.H), before.Drawn(r.W, r.H)) {
			return
		}
	}
}

// flipSplit shows the other split in table and panels. Both are kept all along, so nothing has to
// be read; the notice says which one it is, as most curves look alike on both.
func (w *Page) flipSplit() tea.Cmd {
	w.Val = !w.Val
	w.setColumns()
	return kit.Notify(splitShown + panel.SplitName(w.Val) + " split")
}

// flipLog opens the log pane at its end, where the latest is, goes on to what the run's program
// printed, where it trains one, or closes it.
func (w *Page) flipLog() {
	w.logPane, w.logBack = (w.logPane+1)%(printedPane+1), 0
	if w.logPane == printedPane && !trains(w.Run()) {
		w.logPane = noPane
	}
}

// scroll moves what is too long by part of a page: the log, where it is open,
// else the bars of the panel.
func (w *Page) scroll(by int) {
	const page = 5
	if w.logPane != noPane {
		w.logBack = max(0, w.logBack-by*page)
		return
	}
	if r, ok := w.inside(w.focus); ok {
		w.scrollBars(w.focus, by*max(1, r.H-2)) // without the heads and the count of what is left
	}
}

// hide hides the curves of the row under the cursor, or shows them again. Axes are fitted to what
// is left, which is what one hides an outlier for.
func (w *Page) hide() {
	hidden := !w.Run().Hidden
	for _, t := range w.Of(w.RowOf(w.At)) {
		t.Hidden = hidden
	}
	w.Refit()
}

func (w *Page) smoothBy(by int) func() tea.Cmd {
	return func() tea.Cmd { return kit.Notify(smoothingIs + w.SmoothBy(by)) }
}

func (w *Page) nextStyle() tea.Cmd { return kit.Notify(styleIs + w.NextStyle()) }

// nextBaseline goes through the runs, and then to none. At first it is the plain method, if that
// is among the runs.
func (w *Page) nextBaseline() tea.Cmd {
	if w.Baseline++; w.Baseline == len(w.Tracks) {
		w.Baseline = -1
	}
	w.setColumns() // changes are against it
	if w.Baseline < 0 {
		return kit.Notify(noBaseline)
	}
	return kit.Notify(baselineIs + w.Tracks[w.Baseline].Label)
}

// turn asks for a setting and its value. The form has the run as it is now; if it ends meanwhile,
// the verb is refused where it arrives.
func (w *Page) turn() tea.Cmd {
	t := w.Run()
	return kit.Show(&kit.Overlay{Title: changeSetting + t.Label, Form: newForm(w.Lab, t)})
}

// pause pauses the run under the cursor or, if it is paused, lets it go on. The status on the
// screen changes when the run has written it to its log, as for any other observer.
func (w *Page) pause() tea.Cmd {
	verb := "pause"
	if w.Run().Status == runner.Paused {
		verb = "resume"
	}
	return w.Ask(verb, w.Run().ID)
}

// resume works on a run that has ended, too. This process then takes the run over, and its program
// is started anew.
func (w *Page) resume() tea.Cmd {
	t := w.Run()
	ask := w.Ask("resume", t.ID)
	if t.Status.Ended() {
		return w.Trusting(&t.Meta.Spec, ask)
	}
	return ask
}

// stop asks first. It is the one verb that a second key does not take back at once: a resume has
// to load the checkpoint and waits in the queue.
func (w *Page) stop() tea.Cmd {
	t := w.Run()
	lines := []string{
		fmt.Sprintf("It is at step %d of %d. It saves a checkpoint", t.Step, t.Meta.Steps),
		"first, and r resumes it from there."}
	if t.Meta.Spec.IsScript() {
		lines = []string{
			fmt.Sprintf("It is at step %d of %d. Its script is asked to", t.Step, t.Meta.Steps),
			"save a checkpoint and to end, and only the",
			"script can resume it."}
	}
	return kit.Question("Stop "+t.Label+"?", lines,
		kit.Choice{Keys: []string{"y", "x"}, Name: "stop it", Then: w.Ask("stop", t.ID)})
}

// samples turns to the page of samples, which opens the run's checkpoint by itself: pages know
// each other by messages alone.
func (w *Page) samples() tea.Cmd { return kit.Send(lab.Samples{Run: w.Run().Run}) }

// compare turns to the table of the runs; it says which of them are not done.
func (w *Page) compare() tea.Cmd {
	return w.Comparing(kit.Map(w.Tracks, func(t *panel.Track) string { return t.Run.Dir }))
}

// move puts the cursor on another row, at its first run: the seeds of a row count as one.
func (w *Page) move(by int) {
	rows := w.Rows()
	if len(rows) == 0 {
		return
	}
	w.Pick(rows[max(0, min(w.RowAt()+by, len(rows)-1))][0])
}

// nextLayout shows more panels, and after six one again. It goes on from the present number, so
// that the first press changes something even where the screen has decided the number.
func (w *Page) nextLayout() {
	w.zoomed = false
	w.shown = slices.Index(counts(), w.count())%(len(counts())-1) + 1
}

// click focuses a panel or moves to a run; on the focused one it zooms, and in a plot it
// puts the crosshair there. Places are within the page, as in layout.
func (w *Page) click(m kit.Click) {
	l := w.layout()
	if l.runs.Contains(m.X, m.Y) {
		if i := w.firstRow(l.runs.H) + m.Y - l.runs.Y - 1; m.Y > l.runs.Y && i < len(w.Rows()) {
			w.Pick(w.Rows()[i][0])
		}
		return
	}
	if w.barRows() > 0 && m.Y == l.head.Y {
		w.clock.Seek(w.clock.PlaceAt(w.Theme, m.X, l.head.W))
		return
	}
	w.grip = grip{} // a press elsewhere lets go
	if p, _, _, c := w.under(m.X, m.Y); c != nil {
		w.focus, w.grip = p, grip{m.X, c.Cells(c.At.W, c.At.H), w.Span()}
		w.point(m.X, m.Y)
		return
	}
	for i, r := range l.panels {
		if p := w.first() + i; r.Contains(m.X, m.Y) {
			w.zoomed = w.zoomed != (p == w.focus && len(w.Tracks) > 0)
			w.focus = p
		}
	}
}

// wheel scrolls the part that is under it, and zooms a plot. The focus stays where it was: a wheel
// turns by accident more often than a button is pressed.
func (w *Page) wheel(m kit.Wheel) {
	l, by := w.layout(), m.By()
	switch {
	case l.runs.Contains(m.X, m.Y):
		w.move(by)
	case l.log.Contains(m.X, m.Y):
		w.logBack = max(0, w.logBack-by)
	default:
		if _, at, _, c := w.under(m.X, m.Y); c != nil {
			w.ZoomAt(at, -by)
			return
		}
		for i, r := range l.panels {
			if r.Contains(m.X, m.Y) {
				w.scrollBars(w.first()+i, by)
			}
		}
	}
}

// toggleSeeds shows seeds each on its own, or together again. The axes change with it, because a
// band reaches less far than its seeds.
func (w *Page) toggleSeeds() {
	w.EachSeed = !w.EachSeed
	w.Refit()
}

// Choices returns the user's choices about the page, with those about the board.
func (w *Page) Choices() lab.Choices {
	layouts := kit.Map(counts(), strconv.Itoa)
	titles := kit.Map(w.Panels, func(p panel.Panel) string { return p.Title })
	return slices.Concat(w.Board.Choices(), lab.Choices{
		lab.OneOf("layout", layouts, &w.shown, func() { w.zoomed = false }),
		lab.OneOf("panel", titles, &w.focus, func() {}),
		{Name: "seeds", Get: func() []string {
			if w.EachSeed {
				return []string{"each"}
			}
			return nil
		}, Set: func(v []string) { w.EachSeed = slices.Equal(v, []string{"each"}) }},
		lab.OneOf("pane", []string{"none", "log", "output"}, &w.logPane, func() {
			w.logBack = 0
			w.touch()
			w.Refit()
			w.Fit()
		}),
	})
}

// noReset says why there is nothing to reset.
func (w *Page) noReset() string {
	if w.ZoomX != (plot.Range{}) {
		return ""
	}
	return w.Choices().Key().Why()
}

// reset shows all of x or, where that is shown, sets the choices to their defaults.
func (w *Page) reset() {
	if w.ZoomX != (plot.Range{}) {
		w.Unzoom()
	} else {
		w.Choices().Set(nil)
	}
}
