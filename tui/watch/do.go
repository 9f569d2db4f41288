package watch

import (
	"fmt"

	"drolab/runner"
	"drolab/tui/kit"
	"drolab/tui/plot"

	tea "charm.land/bubbletea/v2"
)

func (w *Page) zoom() { w.zoomed = !w.zoomed }

// back undoes one thing: the zoom, else the log pane.
func (w *Page) back() { w.zoomed, w.logPane = false, w.logPane && w.zoomed }

func (w *Page) nextPanel(by int) { w.focus = (w.focus + len(w.panels) + by) % len(w.panels) }

func (w *Page) flip() {
	p := &w.panels[w.focus]
	p.view = (p.view + 1) % len(p.views)
}

func (w *Page) flipSplit() tea.Cmd {
	w.val = !w.val
	w.fit()
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
	w.scrollBars(w.focus, by*page)
}

func (w *Page) define() tea.Cmd { return kit.Show(w.info()) }

func (w *Page) newest() tea.Cmd { return w.open(nil) }

// hide hides the curves of the run under the cursor, or shows them again.
func (w *Page) hide() {
	w.run().hidden = !w.run().hidden
	w.fit()
}

func (w *Page) nextScale() {
	for _, q := range w.shows(w.focus).curves {
		w.scales[q].kind = (w.scales[q].kind + 1) % (plot.Symlog + 1)
		w.scales[q].fit = plot.Range{}
	}
	w.fit()
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
	w.axis = (w.axis + 1) % axes
	w.x = plot.Range{}
	w.fit()
}

func (w *Page) flipDots() {
	w.dots = !w.dots
	w.fit()
}

func (w *Page) nextBaseline() tea.Cmd {
	if w.baseline++; w.baseline == len(w.tracks) {
		w.baseline = -1
	}
	w.fit()
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

func (w *Page) move(by int) {
	w.at = max(0, min(w.at+by, len(w.tracks)-1))
	w.fit()
}

// nextLayout shows more panels, after six one again.
func (w *Page) nextLayout() {
	w.zoomed = false
	next := map[int]int{1: 2, 2: 4, 4: 6, 6: 1}
	w.shown = next[w.count()]
}

// click focuses a panel or moves to a run; on the focused one it zooms.
func (w *Page) click(m kit.Click) {
	l := w.layout()
	if l.runs.Contains(m.X, m.Y) {
		if i := w.firstRow(l.runs.H) + m.Y - l.runs.Y - 1; m.Y > l.runs.Y && i < len(w.tracks) {
			w.at = i
			w.fit()
		}
		return
	}
	for i, r := range l.panels {
		if p := w.first() + i; r.Contains(m.X, m.Y) {
			w.zoomed = w.zoomed != (p == w.focus && len(w.tracks) > 0)
			w.focus = p
		}
	}
}

// wheel scrolls what is under it.
func (w *Page) wheel(m kit.Wheel) {
	l, by := w.layout(), m.By()
	switch {
	case l.runs.Contains(m.X, m.Y):
		w.move(by)
	case l.log.Contains(m.X, m.Y):
		w.logBack = max(0, w.logBack-by)
	default:
		for i, r := range l.panels {
			if r.Contains(m.X, m.Y) {
				w.scrollBars(w.first()+i, by)
			}
		}
	}
}
