package panel

import "drolab/tui/plot"

// portrait is the form of the paths of (λ, η) of all runs. It is no chart over steps, so it has no
// crosshair and no zoom.
type portrait struct{}

// draw returns nothing while the run under the cursor has no path, even if others have one: the box
// and the best point are that run's.
func (portrait) draw(b *Board, p int, _ *View, iw, ih int) ([]string, string) {
	if b.Runs.Run().Path.Len() == 0 {
		return nil, ""
	}
	return b.paint(b.phase(), iw, ih), ""
}

func (portrait) note(b *Board, _ *View) string { return b.Runs.Run().Short + " · λ across, η up" }

// phase returns the phase portrait of all runs, in the box of the run under the cursor.
func (b *Board) phase() *plot.Phase {
	t := b.Runs.Run()
	box := t.Meta.Box
	ph := &plot.Phase{X: b.portrait.lambda, Y: b.portrait.eta, Charset: b.charset(),
		XName: b.Theme.Greek("λ"), YName: b.Theme.Greek("η"),
		BoxX: plot.Range{Lo: box.Lambda[0], Hi: box.Lambda[1]},
		BoxY: plot.Range{Lo: box.Eta[0], Hi: box.Eta[1]}}
	for i, o := range b.Runs.Tracks {
		if !o.Hidden && o.Path.Len() > 0 {
			ph.Trails = append(ph.Trails, plot.Trail{Path: &o.Path, Number: o.Number,
				Back: i != b.front()})
		}
	}
	if l, h, ok := t.Best(); ok {
		ph.Best = []plot.Spot{{X: l, Y: h, Number: t.Number}}
	}
	return ph
}
