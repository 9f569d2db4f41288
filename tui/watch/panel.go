package watch

import (
	"fmt"
	"math"
	"slices"

	"drolab/dro"
	"drolab/runner"
	"drolab/tui/cell"
	"drolab/tui/kit"
	"drolab/tui/lab"
	"drolab/tui/plot"
)

// shows is what a panel shows now.
func (w *Page) shows(p int) *view { return &w.panels[p].views[w.panels[p].view] }

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
		line := plot.Line{Series: curve.raw, Number: uint8(i), MapX: w.mapX(t)}
		if !w.Theme.Color {
			line.Glyph = w.Theme.Marks[i]
		}
		if curve.smooth != nil {
			faint := line
			faint.Faint, faint.Glyph = true, 0
			c.Lines = append(c.Lines, faint)
			line.Series = curve.smooth
		}
		c.Lines = append(c.Lines, line)
	}
	w.references(c, q)
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

// hasDual tells whether the run has a λ and an η.
func (t *track) hasDual() bool {
	return t.Last == nil || t.Last.Of("eta").Applies()
}

// bars are the figures by class or group of the run under the cursor, at its last
// evaluation, for so many rows.
func (w *Page) bars(p int, of lab.Measure, rows int) *plot.Bars {
	t := w.run()
	values, counts := t.places(of), t.meta.Counts(of.Axis)
	b := &plot.Bars{First: min(w.panels[p].first, max(0, len(values)-rows)), Number: uint8(w.at),
		Charset: w.Theme.Charset(false), Percent: of.Scale == dro.Percent,
		LowerIsBetter: of.Better != dro.Higher}
	var base []runner.Number
	if r := w.compared(of); r != nil {
		base = r.places(of)
	}
	for i, v := range values {
		bar := plot.Bar{Label: placeName(t.meta, of.Axis, i), Value: v.Float(), Base: math.NaN(), Count: -1}
		if len(base) == len(values) {
			bar.Base = base[i].Float()
		}
		if i < len(counts.Train) {
			bar.Count = counts.Train[i]
		}
		if of.Scale != dro.Percent && !math.IsInf(v.Float(), 0) {
			b.Max = math.Max(b.Max, v.Float())
		}
		b.Bars = append(b.Bars, bar)
	}
	known := runner.Enough(values, counts.Test, t.meta.Spec.MinGroup)
	if i := runner.Worst(known, b.LowerIsBetter); i >= 0 {
		b.Bars[i].Worst = true
	}
	if of.Scale != dro.Percent {
		b.Max = plot.Range{}.Fit(plot.Range{Lo: 0, Hi: b.Max}, plot.Scale{}).Hi
	}
	return b
}

// hiddenBars is how many of a panel's bars have no room, so that they can be
// scrolled.
func (w *Page) hiddenBars(p int) int {
	i, v, t := p-w.first(), w.shows(p), w.run()
	panels := w.layout().panels
	if v.bars == "" || t == nil || i < 0 || i >= len(panels) {
		return 0
	}
	_, rows := kit.Inside(kit.Boxed(w.Body.H), panels[i].W, panels[i].H)
	return max(0, len(t.places(v.of(t.meta)))-rows)
}

// scrollBars moves the bars of a panel.
func (w *Page) scrollBars(p, by int) {
	w.panels[p].first = max(0, min(w.panels[p].first+by, w.hiddenBars(p)))
}

// compared is the run that bars of the one under the cursor are compared with;
// nil without one, and for a measure that is neither better nor worse.
func (w *Page) compared(of lab.Measure) *track {
	if w.baseline < 0 || w.baseline == w.at || of.Better == dro.Neither {
		return nil
	}
	return w.tracks[w.baseline]
}

// places is a list measure of the last evaluation.
func (t *track) places(of lab.Measure) []runner.Number {
	if t.Eval == nil {
		return nil
	}
	return t.Eval.ByGroup.Of(of.Name)
}

// placeName is what a place on a measure's axis is called.
func placeName(m *runner.Meta, a runner.Axis, i int) string {
	if names := m.Places(a); i < len(names) {
		return cell.Clean(names[i])
	}
	if a == runner.PerGroup {
		return fmt.Sprintf("group %d", i)
	}
	return fmt.Sprintf("class %d", i)
}

// phase is the portrait of the run under the cursor.
func (w *Page) phase() *plot.Phase {
	t := w.run()
	box := t.meta.Box
	return &plot.Phase{X: w.phaseX, Y: w.phaseY, Path: &t.path, Number: uint8(w.at),
		Charset: w.Theme.Charset(w.dots),
		BoxX:    plot.Range{Lo: box.Lambda[0], Hi: box.Lambda[1]}, BoxY: plot.Range{Lo: box.Eta[0], Hi: box.Eta[1]}}
}
