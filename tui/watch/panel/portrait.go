package panel

import "drolab/tui/plot"

// portrait is the form of the paths of (λ, η) of all runs. It is no chart over steps, so it has no
// crosshair and no zoom.
type portrait struct{}

// draw returns nothing while the run under the cursor has no path, even if others have one: the box
// and the best point are that run's.
func (portrait) draw(w *Board, p int, _ *View, iw, ih int) ([]string, string) {
	if w.Run().Path.Len() == 0 {
		return nil, ""
	}
	return w.paint(w.phase(), iw, ih), ""
}

func (portrait) note(w *Board, _ *View) string { return w.Run().Short + " · λ across, η up" }

// phase returns the phase portrait of all runs, in the box of the run under the cursor.
func (w *Board) phase() *plot.Phase {
	t := w.Run()
	box := t.Meta.Box
	ph := &plot.Phase{X: w.phaseX, Y: w.phaseY, Charset: w.charset(),
		XName: w.Theme.Greek("λ"), YName: w.Theme.Greek("η"),
		BoxX: plot.Range{Lo: box.Lambda[0], Hi: box.Lambda[1]},
		BoxY: plot.Range{Lo: box.Eta[0], Hi: box.Eta[1]}}
	for i, o := range w.Tracks {
		if !o.Hidden && o.Path.Len() > 0 {
			ph.Trails = append(ph.Trails, plot.Trail{Path: &o.Path, Number: o.Number,
				Back: i != w.front()})
		}
	}
	if l, h, ok := t.Best(); ok {
		ph.Best = []plot.Spot{{X: l, Y: h, Number: t.Number}}
	}
	return ph
}
