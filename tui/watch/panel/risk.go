package panel

import (
	"math"

	"drolab/tui/plot"
	"drolab/tui/watch/track"
)

// Risks are a list measure of all runs over the radii, the training radius of the run
// under the cursor marked; nil without radii.
//
// Its x is log10 ρ, of the radii of the run under the cursor: other runs may have been evaluated
// at others, and are drawn as far as they reach into that. The axes are fitted anew each time,
// without memory, as this chart changes with evaluations alone.
func (w *Board) Risks(v *View) *plot.Chart {
	of := v.Of(w.Run().Meta)
	radii := w.Run().Meta.Spec.RiskRadii
	if len(w.Run().Places(of)) == 0 || len(radii) == 0 {
		return nil
	}
	c := &plot.Chart{X: plot.EmptyRange(), XLog: true, Ends: true}
	for _, rho := range radii {
		c.X = c.X.Add(math.Log10(rho))
	}
	for _, row := range w.Rows() {
		if w.Tracks[row[0]].Hidden {
			continue
		}
		w.Line(c, row, func(t *track.Track) *plot.Series { return t.OverRadii(of.Name) }, false)
	}
	if rho := w.Run().Spec.Rho; rho > 0 { // the one that was turned to, where it was turned
		c.Markers = []plot.Marker{{X: math.Log10(rho), Letter: 'ρ'}}
		if w.Theme.ASCII {
			c.Markers[0].Letter = 'r'
		}
	}
	c.Y = plot.Range{}.Fit(c.DataY(), plot.Scale{})
	return c
}

// phase is the portrait of all runs, in the box of the one under the cursor, for panel p. Dots
// suit a path better than lines, which cannot turn within a cell, so zero rows ask for dots
// unless the user wants lines.
func (w *Board) phase(p, ih int) *plot.Phase {
	t := w.Run()
	box := t.Meta.Box
	ph := &plot.Phase{X: w.phaseX, Y: w.phaseY, Charset: w.charset(p, 0),
		BoxX: plot.Range{Lo: box.Lambda[0], Hi: box.Lambda[1]},
		BoxY: plot.Range{Lo: box.Eta[0], Hi: box.Eta[1]}}
	if w.style == inLines {
		ph.Charset = w.charset(p, ih)
	}
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
