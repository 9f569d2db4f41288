package tui

import (
	"fmt"

	"drolab/runner"
	"drolab/tui/plot"

	tea "charm.land/bubbletea/v2"
)

func (w *watch) zoom() { w.zoomed = !w.zoomed }

// back undoes one thing: the zoom, else the log pane.
func (w *watch) back() { w.zoomed, w.logPane = false, w.logPane && w.zoomed }

func (w *watch) nextPanel(by int) { w.focus = (w.focus + panels + panel(by)) % panels }

func (w *watch) flip() {
	p := &w.panels[w.focus]
	p.view = (p.view + 1) % len(w.focus.views())
}

func (w *watch) flipLog() { w.logPane, w.logBack = !w.logPane, 0 }

func (w *watch) scrollLog(by int) { w.logBack = max(0, w.logBack+by) }

func (w *watch) define() tea.Cmd { return send(overlayMsg{w.info()}) }

func (w *watch) newest() tea.Cmd {
	w.opening = true
	return open(w.source, nil)
}

// hide hides the curves of the run under the cursor, or shows them again.
func (w *watch) hide() {
	w.run().hidden = !w.run().hidden
	w.fit()
}

func (w *watch) nextScale() {
	for _, q := range w.shows(w.focus).curves {
		w.scale[q] = (w.scale[q] + 1) % (plot.Symlog + 1)
		w.y[q] = plot.Range{}
	}
	w.fit()
}

func (w *watch) smoothBy(by int) func() tea.Cmd {
	return func() tea.Cmd {
		all := smoothings()
		w.smooth = (w.smooth + len(all) + by) % len(all)
		w.resmooth()
		return notify("smoothing: " + all[w.smooth].name)
	}
}

func (w *watch) nextAxis() {
	w.axis = (w.axis + 1) % axes
	w.x = plot.Range{}
	w.fit()
}

func (w *watch) flipDots() {
	w.dots = !w.dots
	w.fit()
}

func (w *watch) nextBaseline() tea.Cmd {
	if w.baseline++; w.baseline == len(w.tracks) {
		w.baseline = -1
	}
	w.fit()
	if w.baseline < 0 {
		return notify("bars are compared with no run")
	}
	return notify("bars are compared with " + w.tracks[w.baseline].label)
}

func (w *watch) turn() tea.Cmd {
	t := w.run()
	return send(overlayMsg{(&knobs{shared: w.shared, run: t, keys: turnable(t.spec)}).overlay()})
}

// pause pauses the run under the cursor or, if it is paused, lets it go on.
func (w *watch) pause() tea.Cmd {
	t := w.run()
	if t.status == runner.Paused {
		return w.ask("resume", t.id)
	}
	return w.ask("pause", t.id)
}

func (w *watch) resume() tea.Cmd { return w.ask("resume", w.run().id) }

func (w *watch) checkpoint() tea.Cmd { return w.ask("checkpoint", w.run().id) }

func (w *watch) stop() tea.Cmd {
	t := w.run()
	return question("Stop "+t.label+"?", []string{
		fmt.Sprintf("It is at step %d of %d. It saves a checkpoint,", t.step, t.meta.Steps),
		"and r resumes it from there."},
		choice{[]string{"y", "x"}, "stop it", w.ask("stop", t.id)})
}

func (w *watch) move(by int) {
	w.at = max(0, min(w.at+by, len(w.tracks)-1))
	w.fit()
}

// nextLayout shows more panels, after six one again.
func (w *watch) nextLayout() {
	w.zoomed = false
	switch w.count() {
	case 1:
		w.shown = 2
	case 2:
		w.shown = 4
	case 4:
		w.shown = 6
	default:
		w.shown = 1
	}
}

// click focuses a panel or moves to a run; on the focused one it zooms.
func (w *watch) click(m clickMsg) {
	l := w.layout()
	if l.runs.contains(m.x, m.y) {
		if i := w.firstRow(l.runs.h) + m.y - l.runs.y - 1; m.y > l.runs.y && i < len(w.tracks) {
			w.at = i
			w.fit()
		}
		return
	}
	for i, r := range l.panels {
		if p := w.first() + panel(i); r.contains(m.x, m.y) {
			w.zoomed = w.zoomed != (p == w.focus && len(w.tracks) > 0)
			w.focus = p
		}
	}
}

// wheel scrolls what is under it.
func (w *watch) wheel(m wheelMsg) {
	l, by := w.layout(), -1
	if m.down {
		by = 1
	}
	switch {
	case l.runs.contains(m.x, m.y):
		w.move(by)
	case l.log.contains(m.x, m.y):
		w.logBack = max(0, w.logBack-by)
	default:
		for i, r := range l.panels {
			if r.contains(m.x, m.y) {
				w.panels[w.first()+panel(i)].scroll(by, w.run())
			}
		}
	}
}
