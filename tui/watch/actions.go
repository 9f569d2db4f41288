package watch

import (
	"fmt"
	"slices"

	"drolab/runner"
	"drolab/tui/kit"
	"drolab/tui/lab"
	"drolab/tui/watch/knob"
	"drolab/tui/watch/panel"

	tea "charm.land/bubbletea/v2"
)

// zoom leaves the number of panels as it was, for the way back.
func (w *Page) zoom() { w.zoomed = !w.zoomed }

// back undoes one thing: the crosshair, else the zoom, else the log pane. noBack has the same
// cases, and a new one belongs in both.
func (w *Page) back() {
	switch {
	case w.Cross.On:
		w.Cross.On = false
	case w.zoomed:
		w.zoomed = false
	default:
		w.logPane = noPane
	}
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

func (w *Page) define() tea.Cmd { return kit.Show(w.info()) }

// newest opens the newest runs, in place of runs that were asked for by name, or of a replay.
func (w *Page) newest() tea.Cmd { return w.open(lab.Watch{}) }

// hide hides the curves of the row under the cursor, or shows them again. Axes are fitted to what
// is left, which is what one hides an outlier for.
func (w *Page) hide() {
	hidden := !w.Run().Hidden
	for _, t := range w.Of(w.Rows()[w.RowAt()]) {
		t.Hidden = hidden
	}
	w.Refit()
}

// nextScale changes the scale of the focused panel's quantities, wherever else they are drawn.
func (w *Page) nextScale() { w.NextScale(w.focus) }

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
	return kit.Show(&kit.Overlay{Title: changeSetting + t.Label, Form: knob.New(w.Lab, t)})
}

// pause pauses the run under the cursor or, if it is paused, lets it go on. The status on the
// screen changes when the run has written it to its log, as for any other observer.
func (w *Page) pause() tea.Cmd {
	t := w.Run()
	if t.Status == runner.Paused {
		return w.Ask("resume", t.ID)
	}
	return w.Ask("pause", t.ID)
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

// checkpoint saves without a pause; a note in the log pane tells when it is there.
func (w *Page) checkpoint() tea.Cmd { return w.Save(w.Run().ID) }

// stop asks first. It is the one verb that a second key does not take back at once: a resume has
// to load the checkpoint and waits in the queue.
func (w *Page) stop() tea.Cmd {
	t := w.Run()
	return kit.Question("Stop "+t.Label+"?", []string{
		fmt.Sprintf("It is at step %d of %d. It saves a checkpoint", t.Step, t.Meta.Steps),
		"first, and r resumes it from there."},
		kit.Choice{Keys: []string{"y", "x"}, Name: "stop it", Then: w.Ask("stop", t.ID)})
}

// samples turns to the page of samples, which opens the run's checkpoint by itself: pages know
// each other by messages alone.
func (w *Page) samples() tea.Cmd { return kit.Send(lab.Samples{Run: w.Run().Run}) }

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
	// The counts are those that grid can lay out without a hole.
	next := map[int]int{1: 2, 2: 4, 4: 6, 6: 1}
	w.shown = next[w.count()]
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
		w.clock.Seek(w.clock.Near(w.Theme, m.X, l.head.W))
		return
	}
	w.held = held{} // a press elsewhere lets go
	if p, _, _, c := w.under(m.X, m.Y); c != nil {
		w.focus, w.held = p, held{m.X, c.Cells(c.At.W, c.At.H), w.Span()}
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

// takeApart shows seeds each on its own, or together again. The axes change with it, because a
// band reaches less far than its seeds.
func (w *Page) takeApart() {
	w.EachSeed = !w.EachSeed
	w.Refit()
}
