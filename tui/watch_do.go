package tui

import (
	"fmt"

	"drolab/runner"
	"drolab/tui/plot"

	tea "charm.land/bubbletea/v2"
)

// blocked implements page.
func (w *watch) blocked(a action) string {
	t := w.run()
	if t == nil {
		switch a {
		case actNewest, actBack, actEnter:
			return ""
		}
		return "no run is watched: start some on page 1 or choose some on page 3"
	}
	switch a {
	case actFlip:
		if len(w.focus.views()) < 2 {
			return "this panel has one view"
		}
	case actLog:
		if len(w.shows(w.focus).curves) == 0 {
			return "this panel has no vertical axis to scale"
		}
	case actAxis, actSmooth, actSmoothBack, actDots:
		return ""
	case actPause:
		return w.noVerb(t, t.Status == runner.Running || t.Status == runner.Paused, "pause")
	case actStop:
		return w.noVerb(t, !t.Status.Ended(), "stop")
	case actCheckpoint:
		return w.noVerb(t, t.Status == runner.Running || t.Status == runner.Paused, "save")
	case actTurn:
		if len(turnable(t.Spec)) == 0 {
			return t.label + " has settings that this program cannot read"
		}
		return w.noVerb(t, !t.Status.Ended(), "turn")
	case actResume:
		return t.noResume(w.controls(t.id))
	case actPageUp, actPageDown:
		if !w.logPane {
			return "the log pane is closed: w opens it"
		}
	case actFilter, actDelete:
		return "on page 3"
	}
	return ""
}

// noVerb says why a live run cannot be asked something.
func (w *watch) noVerb(t *track, can bool, verb string) string {
	switch {
	case t.Status.Ended():
		return fmt.Sprintf("%s is %s: nothing to %s", t.label, t.Status, verb)
	case !w.controls(t.id):
		return t.label + " runs in another process: only watched here"
	case !can:
		return fmt.Sprintf("%s is %s", t.label, t.Status)
	}
	return ""
}

// noResume says why a run cannot be resumed.
func (t *track) noResume(mine bool) string {
	switch {
	case t.Status == runner.Done:
		return t.label + " is done: nothing to resume"
	case t.Status == runner.Paused && mine, t.Status.Ended():
		return ""
	case t.Status == runner.Paused:
		return t.label + " runs in another process: only watched here"
	}
	return fmt.Sprintf("%s is %s: nothing to resume", t.label, t.Status)
}

// do implements page.
func (w *watch) do(a action) tea.Cmd {
	switch a {
	case actUp:
		w.move(-1)
	case actDown:
		w.move(1)
	case actTop:
		w.move(-len(w.tracks))
	case actBottom:
		w.move(len(w.tracks))
	case actNextPanel, actRight:
		w.focus = (w.focus + 1) % panels
	case actPrevPanel, actLeft:
		w.focus = (w.focus + panels - 1) % panels
	case actZoom, actEnter:
		w.zoomed = !w.zoomed
	case actBack:
		w.zoomed, w.logPane = false, w.logPane && w.zoomed
	case actLayout:
		w.nextLayout()
	case actFlip:
		p := &w.panels[w.focus]
		p.view = (p.view + 1) % len(w.focus.views())
	case actLogPane:
		w.logPane, w.logBack = !w.logPane, 0
	case actPageUp:
		w.logBack += 5
	case actPageDown:
		w.logBack = max(0, w.logBack-5)
	case actInfo:
		return send(overlayMsg{w.info()})
	case actExport:
		return w.export()
	case actNewest:
		w.opening = true
		return open(w.source, nil)
	case actTurn:
		t := w.run()
		return send(overlayMsg{(&knobs{shared: w.shared, run: t, keys: turnable(t.Spec)}).overlay()})
	case actPause, actResume, actStop, actCheckpoint:
		return w.verb(a, w.run())
	default:
		return w.look(a)
	}
	return nil
}

// look changes how the curves are drawn.
func (w *watch) look(a action) tea.Cmd {
	switch a {
	case actSelect:
		w.run().hidden = !w.run().hidden
	case actLog:
		for _, q := range w.shows(w.focus).curves {
			w.scale[q] = (w.scale[q] + 1) % (plot.Symlog + 1)
			w.y[q] = plot.Range{}
		}
	case actSmooth, actSmoothBack:
		all := smoothings()
		step := map[action]int{actSmooth: 1, actSmoothBack: len(all) - 1}[a]
		w.smooth = (w.smooth + step) % len(all)
		w.resmooth()
		return notify("smoothing: " + all[w.smooth].name)
	case actAxis:
		w.axis = (w.axis + 1) % axes
		w.x = plot.Range{}
	case actDots:
		w.dots = !w.dots
	case actBaseline:
		if w.baseline++; w.baseline == len(w.tracks) {
			w.baseline = -1
		}
		if w.baseline < 0 {
			w.fit()
			return notify("bars are compared with no run")
		}
		return notify("bars are compared with " + w.tracks[w.baseline].label)
	}
	w.fit()
	return nil
}

// verb asks something of a run.
func (w *watch) verb(a action, t *track) tea.Cmd {
	switch {
	case a == actPause && t.Status == runner.Paused, a == actResume:
		return w.ask("resume", t.id)
	case a == actPause:
		return w.ask("pause", t.id)
	case a == actCheckpoint:
		return w.ask("checkpoint", t.id)
	}
	return question("Stop "+t.label+"?", []string{
		fmt.Sprintf("It is at step %d of %d. It saves a checkpoint,", t.Step, t.meta.Steps),
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
