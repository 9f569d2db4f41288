package watch

import (
	"slices"

	"drolab/tui/plot"
)

// shows is what a panel shows now.
func (w *Page) shows(p int) *view {
	v := w.chosen(p)
	if w.val && v.val != nil {
		return v.val
	}
	return v
}

// chosen is the view of a panel, whatever the split.
func (w *Page) chosen(p int) *view { return &w.panels[p].views[w.panels[p].view] }

// fit moves the axes on to what the runs have now.
func (w *Page) fit() {
	last, planned := 0.0, 0.0
	for _, t := range w.tracks {
		switch w.axis {
		case bySteps:
			last, planned = max(last, float64(t.Step)), max(planned, float64(t.meta.Steps))
		case byEpochs:
			last, planned = max(last, t.epochs(float64(t.Step))), max(planned, float64(t.meta.Spec.Epochs))
		case byTime:
			last = max(last, t.Seconds)
		}
	}
	w.x = plot.GrowX(planned, last)
	for q := range w.quantities {
		y := w.scales[q]
		c := w.chart(q)
		// The raw curve may leave the chart where the smoothed one does not: one
		// wild batch must not flatten the rest.
		if lines := slices.DeleteFunc(slices.Clone(c.Lines),
			func(l plot.Line) bool { return l.Faint }); len(lines) > 0 {
			c.Lines = lines
		}
		y.fit = c.FitY()
	}
	if t := w.run(); t != nil {
		x, y := t.path.Ranges()
		w.phaseX, w.phaseY = w.phaseX.Fit(x, plot.Scale{}), w.phaseY.Fit(y, plot.Scale{})
	}
}

// epochs turns steps into epochs.
func (t *track) epochs(step float64) float64 {
	return step / float64(max(1, t.meta.StepsPerEpoch))
}

// mapX maps a run's steps to the horizontal axis.
func (w *Page) mapX(t *track) func(float64) float64 {
	switch w.axis {
	case byEpochs:
		return t.epochs
	case byTime:
		return t.elapsed.At
	}
	return nil
}

// chart is one quantity of all runs that are not hidden.
func (w *Page) chart(q string) *plot.Chart {
	y := w.scales[q]
	c := &plot.Chart{X: w.x, Y: y.fit, YScale: plot.Scale{Kind: y.kind}, Duration: w.axis == byTime,
		Charset: w.Theme.Charset(w.dots)}
	for i, t := range w.tracks {
		if t.hidden {
			continue
		}
		curve := t.curves[q]
		line := plot.Line{Series: curve.raw, Number: uint8(i), MapX: w.mapX(t), Glyph: w.Theme.Glyph(i)}
		if curve.smooth != nil {
			faint := line
			faint.Faint, faint.Glyph = true, 0
			c.Lines = append(c.Lines, faint)
			line.Series = curve.smooth
		}
		c.Lines = append(c.Lines, line)
	}
	w.references(c, q)
	w.selections(c, q)
	if t := w.run(); t != nil && !t.hidden {
		for _, m := range t.markers {
			if f := w.mapX(t); f != nil {
				m.X = f(m.X)
			}
			c.Markers = append(c.Markers, m)
		}
	}
	return c
}

// references are the bounds of z of the run under the cursor.
func (w *Page) references(c *plot.Chart, q string) {
	t := w.run()
	if t == nil || !t.hasDual() {
		return
	}
	switch q {
	case "lambda":
		c.Refs = []plot.RefLine{{Name: w.Theme.Greek("λ0"), Y: t.meta.Box.Lambda[0]},
			{Name: w.Theme.Greek("λ max"), Y: t.meta.Box.Lambda[1]}}
	case "eta":
		c.Refs = []plot.RefLine{{Name: w.Theme.Greek("η min"), Y: t.meta.Box.Eta[0]},
			{Name: w.Theme.Greek("η max"), Y: t.meta.Box.Eta[1]}}
	}
}

// selections are the steps that the runs have selected, on curves of evaluations.
func (w *Page) selections(c *plot.Chart, q string) {
	if m := w.quantities[q]; m.OfStep() {
		return
	}
	for i, t := range w.tracks {
		if t.hidden || t.Selected == nil || !t.Selected.Of(q).Applies() {
			continue
		}
		x := float64(t.Selected.Step)
		if f := w.mapX(t); f != nil {
			x = f(x)
		}
		c.Spots = append(c.Spots, plot.Spot{X: x, Y: t.Selected.Of(q).Float(), Number: uint8(i)})
	}
}

// hasDual tells whether the run has a λ and an η.
func (t *track) hasDual() bool {
	return t.Last == nil || t.Last.Of("eta").Applies()
}

// phase is the portrait of the run under the cursor.
func (w *Page) phase() *plot.Phase {
	t := w.run()
	box := t.meta.Box
	return &plot.Phase{X: w.phaseX, Y: w.phaseY, Path: &t.path, Number: uint8(w.at),
		Charset: w.Theme.Charset(w.dots),
		BoxX:    plot.Range{Lo: box.Lambda[0], Hi: box.Lambda[1]}, BoxY: plot.Range{Lo: box.Eta[0], Hi: box.Eta[1]}}
}
