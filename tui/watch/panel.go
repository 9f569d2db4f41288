package watch

import (
	"fmt"
	"math"
	"slices"

	"drolab/runner"
	"drolab/tui/kit"
	"drolab/tui/plot"
)

// panel is one of the Watch page's drawings.
type panel int

const (
	lossPanel panel = iota
	classPanel
	dualPanel
	weightPanel
	gapPanel
	accuracyPanel
	panels // how many
)

func (p panel) String() string {
	return [...]string{"Loss", "Accuracy by class", "Dual variables", "Adversary's weight by class", "Gap", "Test accuracy"}[p]
}

// view is one of the things a panel can show: curves over steps, bars by
// class, or the path of (λ, η).
type view struct {
	name   string // empty where the panel's name says it
	curves []quantity
	bars   barsOf
	phase  bool
}

// barsOf is what bars show.
type barsOf int

const (
	noBars barsOf = iota
	classAccuracy
	classLoss
	classWeight
)

// views lists what a panel can show, what is shown first at the front.
func (p panel) views() []view {
	curves := func(name string, qs ...quantity) view { return view{name: name, curves: qs} }
	switch p {
	case lossPanel:
		return []view{curves("train and test", stepLoss, testLoss), curves("train", stepLoss), curves("test", testLoss),
			curves("robust risk", robustRisk)}
	case classPanel:
		return []view{{bars: classAccuracy}, {name: "test loss", bars: classLoss}}
	case dualPanel:
		return []view{curves("λ and η", lambda, eta), curves("λ", lambda), curves("η", eta), {name: "phase portrait", phase: true}}
	case weightPanel:
		return []view{{bars: classWeight}}
	case gapPanel:
		return []view{curves("dual gap and γ", dualGap, gamma), curves("dual gap", dualGap), curves("Frank-Wolfe gap", wolfeGap), curves("γ", gamma)}
	}
	return []view{curves("worst class and mean", worstAccuracy, meanAccuracy), curves("worst class", worstAccuracy), curves("mean", meanAccuracy)}
}

// caption is what stands over a curve.
func (q quantity) caption() string {
	return [...]string{"train loss", "test loss", "mean accuracy", "worst class accuracy", "λ", "η", "dual gap",
		"Frank-Wolfe gap", "γ", "robust risk"}[q]
}

// panelState is what is kept of a panel.
type panelState struct {
	view  int
	first int // first bar shown
	memo  kit.Memo
	drawn [2]kit.Canvas // the charts
}

// scroll moves the bars.
func (p *panelState) scroll(by int, t *track) {
	if t != nil {
		p.first = max(0, min(p.first+by, len(t.meta.Groups)-1))
	}
}

// shows is what a panel shows now.
func (w *Page) shows(p panel) view { return p.views()[w.panels[p].view] }

// fit moves the axes on to what the runs have now.
func (w *Page) fit() {
	last, planned := 0.0, 0.0
	for _, t := range w.tracks {
		switch w.axis {
		case bySteps:
			last, planned = max(last, float64(t.step)), max(planned, float64(t.meta.Steps))
		case byEpochs:
			last, planned = max(last, t.epochs(float64(t.step))), max(planned, float64(t.meta.Spec.Epochs))
		case byTime:
			last = max(last, t.seconds)
		}
	}
	w.x = plot.GrowX(planned, last)
	for q := range quantities {
		c := w.chart(q)
		// The raw curve may leave the chart where the smoothed one does not: one
		// wild batch must not flatten the rest.
		if lines := slices.DeleteFunc(slices.Clone(c.Lines), func(l plot.Line) bool { return l.Faint }); len(lines) > 0 {
			c.Lines = lines
		}
		w.y[q] = c.FitY()
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
func (w *Page) chart(q quantity) *plot.Chart {
	c := &plot.Chart{X: w.x, Y: w.y[q], YScale: plot.Scale{Kind: w.scale[q]}, Duration: w.axis == byTime, Charset: w.Theme.Charset(w.dots)}
	for i, t := range w.tracks {
		if t.hidden {
			continue
		}
		line := plot.Line{Series: t.series[q], Number: uint8(i), MapX: w.mapX(t)}
		if !w.Theme.Color {
			line.Glyph = w.Theme.LineGlyphs[i]
		}
		if t.smooth[q] != nil {
			faint := line
			faint.Faint, faint.Glyph = true, 0
			c.Lines = append(c.Lines, faint)
			line.Series = t.smooth[q]
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
func (w *Page) references(c *plot.Chart, q quantity) {
	t := w.run()
	if t == nil || !t.hasDual() {
		return
	}
	switch q {
	case lambda:
		c.Refs = []plot.RefLine{{Name: w.Theme.Greek("λ0"), Y: t.meta.Box.Lambda[0]}, {Name: w.Theme.Greek("λ max"), Y: t.meta.Box.Lambda[1]}}
	case eta:
		c.Refs = []plot.RefLine{{Name: w.Theme.Greek("η min"), Y: t.meta.Box.Eta[0]}, {Name: w.Theme.Greek("η max"), Y: t.meta.Box.Eta[1]}}
	}
}

// hasDual tells whether the run has a λ and an η.
func (t *track) hasDual() bool { return t.last == nil || t.last.Eta.Applies() }

// bars are the figures by class of the run under the cursor, at its last
// evaluation.
func (w *Page) bars(p panel, of barsOf) *plot.Bars {
	t := w.run()
	b := &plot.Bars{First: w.panels[p].first, Number: uint8(w.at), Charset: w.Theme.Charset(false), Percent: of == classAccuracy,
		LowerIsBetter: of != classAccuracy}
	values := barValues(t, of)
	var base []runner.Number
	if w.baseline >= 0 && w.baseline != w.at && of != classWeight {
		base = barValues(w.tracks[w.baseline], of)
	}
	for i, v := range values {
		bar := plot.Bar{Label: className(t.meta, i), Value: v.Float(), Base: math.NaN(), Count: -1}
		if len(base) == len(values) {
			bar.Base = base[i].Float()
		}
		if i < len(t.meta.TrainCounts) {
			bar.Count = t.meta.TrainCounts[i]
		}
		if of != classAccuracy && !math.IsInf(v.Float(), 0) {
			b.Max = math.Max(b.Max, v.Float())
		}
		b.Bars = append(b.Bars, bar)
	}
	if i := plot.WorstBar(b.Bars, b.LowerIsBetter); i >= 0 {
		b.Bars[i].Worst = true
	}
	if of != classAccuracy {
		b.Max = plot.Range{}.Fit(plot.Range{Lo: 0, Hi: b.Max}, plot.Scale{}).Hi
	}
	return b
}

func barValues(t *track, of barsOf) []runner.Number {
	switch {
	case t.eval == nil:
		return nil
	case of == classLoss:
		return t.eval.ClassLoss
	case of == classWeight:
		return t.eval.ClassWeight
	}
	return t.eval.ClassAccuracy
}

func className(m *runner.Meta, i int) string {
	if i < len(m.Groups) {
		return kit.Clean(m.Groups[i])
	}
	return fmt.Sprintf("class %d", i)
}

// phase is the portrait of the run under the cursor.
func (w *Page) phase() *plot.Phase {
	t := w.run()
	box := t.meta.Box
	return &plot.Phase{X: w.phaseX, Y: w.phaseY, Path: &t.path, Number: uint8(w.at), Charset: w.Theme.Charset(w.dots),
		BoxX: plot.Range{Lo: box.Lambda[0], Hi: box.Lambda[1]}, BoxY: plot.Range{Lo: box.Eta[0], Hi: box.Eta[1]}}
}
