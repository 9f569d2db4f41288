package watch

import (
	"fmt"
	"slices"

	"drolab/runner"
	"drolab/tui/kit"
	"drolab/tui/lab"
	"drolab/tui/plot"

	tea "charm.land/bubbletea/v2"
)

func (w *Page) zoom() { w.zoomed = !w.zoomed }

// back undoes one thing: the crosshair, else the zoom, else the log pane.
func (w *Page) back() {
	switch {
	case w.cross.On:
		w.cross.On = false
	case w.zoomed:
		w.zoomed = false
	default:
		w.logPane = false
	}
}

// whichPanels says which panels are in view, of how many.
func (w *Page) whichPanels(cells int) string {
	n, first, all := w.count(), w.first()+1, len(w.panels)
	switch which := fmt.Sprintf("%d–%d", first, first+n-1); {
	case n == 1:
		return fmt.Sprintf("panel %d of %d", first, all)
	case cells < 100:
		return fmt.Sprintf("panels %s/%d", which, all)
	default:
		return fmt.Sprintf("panels %s of %d", which, all)
	}
}

func (w *Page) nextPanel(by int) { w.focus = (w.focus + len(w.panels) + by) % len(w.panels) }

// flip goes on to the next view that shows something else: of two curves there may be
// room for the first alone.
func (w *Page) flip() {
	p := &w.panels[w.focus]
	r, _ := w.inside(w.focus)
	before := w.shows(w.focus)
	for range p.views {
		p.view = (p.view + 1) % len(p.views)
		now := w.shows(w.focus)
		if !now.plots() || !slices.Equal(now.drawn(r.W, r.H), before.drawn(r.W, r.H)) {
			return
		}
	}
}

func (w *Page) flipSplit() tea.Cmd {
	w.val = !w.val
	w.setColumns()
	return kit.Notify("evaluated on the " + splitName(w.val) + " split")
}

func (w *Page) flipLog() { w.logPane, w.logBack = !w.logPane, 0 }

// scroll moves what is too long by part of a page: the log, where it is open,
// else the bars of the panel.
func (w *Page) scroll(by int) {
	const page = 5
	if w.logPane {
		w.logBack = max(0, w.logBack-by*page)
		return
	}
	if r, ok := w.inside(w.focus); ok {
		w.scrollBars(w.focus, by*max(1, r.H-2)) // heads, and how many are left
	}
}

func (w *Page) define() tea.Cmd { return kit.Show(w.info()) }

func (w *Page) newest() tea.Cmd { return w.open(lab.Watch{}) }

// hide hides the curves of the row under the cursor, or shows them again.
func (w *Page) hide() {
	hidden := !w.run().hidden
	for _, t := range w.of(w.rows()[w.rowAt()]) {
		t.hidden = hidden
	}
}

func (w *Page) nextScale() {
	for _, q := range w.shows(w.focus).curves {
		w.scales[q].kind = (w.scales[q].kind + 1) % (plot.Symlog + 1)
		w.scales[q].fit = plot.Range{}
	}
}

func (w *Page) smoothBy(by int) func() tea.Cmd {
	return func() tea.Cmd {
		all := smoothings()
		w.smooth = (w.smooth + len(all) + by) % len(all)
		w.resmooth()
		return kit.Notify("smoothing: " + all[w.smooth].name)
	}
}

func (w *Page) nextAxis() {
	w.axis = (w.axis + 1) % axisCount
	w.x, w.zoomX, w.cross.On = plot.Range{}, plot.Range{}, false
}

func (w *Page) nextStyle() tea.Cmd {
	w.style = (w.style + 1) % styles
	return kit.Notify("curves in: " + w.style.String())
}

func (w *Page) nextBaseline() tea.Cmd {
	if w.baseline++; w.baseline == len(w.tracks) {
		w.baseline = -1
	}
	w.setColumns() // changes are against it
	if w.baseline < 0 {
		return kit.Notify("bars are compared with no run")
	}
	return kit.Notify("bars are compared with " + w.tracks[w.baseline].label)
}

func (w *Page) turn() tea.Cmd {
	t := w.run()
	return kit.Show((&knobs{Lab: w.Lab, run: t, keys: turnable(t.Spec), line: kit.NewInput("")}).overlay())
}

// pause pauses the run under the cursor or, if it is paused, lets it go on.
func (w *Page) pause() tea.Cmd {
	t := w.run()
	if t.Status == runner.Paused {
		return w.Ask("resume", t.id)
	}
	return w.Ask("pause", t.id)
}

func (w *Page) resume() tea.Cmd { return w.Ask("resume", w.run().id) }

func (w *Page) checkpoint() tea.Cmd { return w.Save(w.run().id) }

func (w *Page) stop() tea.Cmd {
	t := w.run()
	return kit.Question("Stop "+t.label+"?", []string{
		fmt.Sprintf("It is at step %d of %d. It saves a checkpoint,", t.Step, t.meta.Steps),
		"and r resumes it from there."},
		kit.Choice{Keys: []string{"y", "x"}, Name: "stop it", Then: w.Ask("stop", t.id)})
}

func (w *Page) samples() tea.Cmd { return kit.Send(lab.Samples{Run: w.run().run}) }

// move goes to another row.
func (w *Page) move(by int) {
	rows := w.rows()
	if len(rows) == 0 {
		return
	}
	w.pick(rows[max(0, min(w.rowAt()+by, len(rows)-1))][0])
}

// nextLayout shows more panels, after six one again.
func (w *Page) nextLayout() {
	w.zoomed = false
	next := map[int]int{1: 2, 2: 4, 4: 6, 6: 1}
	w.shown = next[w.count()]
}

// click focuses a panel or moves to a run; on the focused one it zooms, and in a plot it
// puts the crosshair there.
func (w *Page) click(m kit.Click) {
	l := w.layout()
	if l.runs.Contains(m.X, m.Y) {
		if i := w.firstRow(l.runs.H) + m.Y - l.runs.Y - 1; m.Y > l.runs.Y && i < len(w.rows()) {
			w.pick(w.rows()[i][0])
		}
		return
	}
	w.held = held{}
	if p, _, _, c := w.under(m.X, m.Y); c != nil {
		w.focus, w.held = p, held{m.X, c.Cells(c.at.W, c.at.H), w.span()}
		w.point(m.X, m.Y)
		return
	}
	for i, r := range l.panels {
		if p := w.first() + i; r.Contains(m.X, m.Y) {
			w.zoomed = w.zoomed != (p == w.focus && len(w.tracks) > 0)
			w.focus = p
		}
	}
}

// wheel scrolls what is under it; a plot it zooms.
func (w *Page) wheel(m kit.Wheel) {
	l, by := w.layout(), m.By()
	switch {
	case l.runs.Contains(m.X, m.Y):
		w.move(by)
	case l.log.Contains(m.X, m.Y):
		w.logBack = max(0, w.logBack-by)
	default:
		if _, at, _, c := w.under(m.X, m.Y); c != nil {
			w.zoomAt(at, -by)
			return
		}
		for i, r := range l.panels {
			if r.Contains(m.X, m.Y) {
				w.scrollBars(w.first()+i, by)
			}
		}
	}
}
