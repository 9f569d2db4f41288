package watch

import (
	"math"

	"drolab/tui/plot"
)

// risks are a list measure of all runs over the radii, the training radius of the run
// under the cursor marked; nil without radii.
func (w *Board) risks(v *view) *plot.Chart {
	of := v.of(w.run().meta)
	radii := w.run().meta.Spec.RiskRadii
	if len(w.run().places(of)) == 0 || len(radii) == 0 {
		return nil
	}
	c := &plot.Chart{X: plot.EmptyRange(), XLog: true, Ends: true}
	for _, rho := range radii {
		c.X = c.X.Add(math.Log10(rho))
	}
	for _, row := range w.rows() {
		if w.tracks[row[0]].hidden {
			continue
		}
		w.line(c, row, func(t *track) *plot.Series { return t.overRadii(of.Name) }, false)
	}
	if rho := w.run().Spec.Rho; rho > 0 {
		c.Markers = []plot.Marker{{X: math.Log10(rho), Letter: 'ρ', Name: "training radius"}}
		if w.Theme.ASCII {
			c.Markers[0].Letter = 'r'
		}
	}
	c.Y = plot.Range{}.Fit(c.DataY(), plot.Scale{})
	return c
}

// phase is the portrait of all runs, in the box of the one under the cursor, for panel p.
func (w *Board) phase(p, ih int) *plot.Phase {
	t := w.run()
	box := t.meta.Box
	ph := &plot.Phase{X: w.phaseX, Y: w.phaseY, Charset: w.charset(p, 0),
		BoxX: plot.Range{Lo: box.Lambda[0], Hi: box.Lambda[1]}, BoxY: plot.Range{Lo: box.Eta[0], Hi: box.Eta[1]}}
	if w.style == inLines {
		ph.Charset = w.charset(p, ih)
	}
	for i, o := range w.tracks {
		if !o.hidden && o.path.Len() > 0 {
			ph.Trails = append(ph.Trails, plot.Trail{Path: &o.path, Number: o.number, Back: i != w.front()})
		}
	}
	if l, h, ok := t.best(); ok {
		ph.Best = []plot.Spot{{X: l, Y: h, Number: t.number}}
	}
	return ph
}
