package panel

import (
	"math"
	"slices"

	"drolab/runner"
	"drolab/tui/plot"
	"drolab/tui/watch/track"
)

// heat is a map and its width in cells, labels included.
type heat struct {
	*plot.HeatMap
	cells int
}

// filmed returns the measures that views show as films, with those of the validation split: a film
// cannot be made up for later, when the user turns to that split.
func filmed(panels []Panel, m *runner.Meta) (names []string) {
	for _, p := range panels {
		for i := range p.Views {
			for v := &p.Views[i]; v != nil; v = v.val {
				if _, ok := v.As.(film); ok {
					names = append(names, v.Of(m).Name, m.Fit(v.Beside))
				}
			}
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// maps returns two maps side by side: how the classes do, and how the adversary weighs them; nil
// before the first evaluation. Both have the same rows and the same columns of steps, so a class
// can be followed from one to the other. The right one has no labels.
func (w *Board) maps(p int, v *View, iw, ih int) []heat {
	t := w.Run()
	of := v.Of(t.Meta)
	left, right := t.Films[of.Name], t.Films[t.Meta.Fit(v.Beside)]
	if left == nil || left.Len() == 0 || right == nil || right.Len() == 0 {
		return nil
	}
	// judge marks bars, so it gets a bar for each row, in the order of the data set.
	order := w.worstFirst(of)
	if len(t.Places(of)) != len(order) { // the log is half read: films have more than is shown
		return nil
	}
	bars := &plot.Bars{Bars: make([]plot.Bar, len(order))}
	judge(t, t.Places(of), bars, of)
	worst := slices.IndexFunc(bars.Bars, func(b plot.Bar) bool { return b.Worst })
	a := &plot.HeatMap{
		Film:    left,
		Head:    "accuracy %",
		Order:   order,
		First:   min(w.Panels[p].First, max(0, len(order)-ih+1)),
		Mark:    worst,
		X:       w.steps(t),
		Cross:   w.crossStep(t),
		Values:  plot.Range{Lo: 0, Hi: 1},
		Percent: true,
		Shades:  w.Theme.Shades(),
		Charset: w.Theme.Charset(false),
	}
	for i := range order {
		a.Labels = append(a.Labels, PlaceName(t.Meta, of.Axis, i))
	}
	b := *a
	b.Film, b.Labels, b.Head, b.Values, b.Log, b.Percent = right, nil, "adversary's ratio",
		ratios(right.Range()), true, false
	labels := a.LabelCells(iw)
	each := (iw - labels - 1) / 2 // cells without labels; the odd one goes to the right map
	return []heat{{a, labels + each}, {&b, iw - labels - each - 1}}
}

// ratios returns the range of likelihood ratios that the colours of a map cover. In the logarithm
// it is symmetric about 1, which is no reweighting. It takes one of six sizes, so that shades keep
// their meaning while a run goes on.
func ratios(r plot.Range) plot.Range {
	top := 2.0
	for _, next := range []float64{5, 10, 20, 50, 100} {
		if r.Hi > top {
			top = next
		}
	}
	return plot.Range{Lo: 1 / top, Hi: top}
}

// steps returns the part of x that is shown, in the steps of a run. A film belongs to one run and
// is stored by step, so its axis is turned back into steps instead of mapping every column.
func (w *Board) steps(t *track.Track) plot.Range {
	r := w.Span()
	return plot.Range{Lo: w.stepAt(t, r.Lo), Hi: w.stepAt(t, r.Hi)}
}

// stepAt returns the step of a run at x: the inverse of mapX.
func (w *Board) stepAt(t *track.Track, x float64) float64 {
	switch w.Axis {
	case byEpochs:
		return x * float64(max(1, t.Meta.StepsPerEpoch))
	case byTime:
		step := t.Elapsed.Inverse(x, t.Elapsed.At)
		switch {
		case !math.IsNaN(step):
			return step
		case x <= 0 || t.Seconds <= 0:
			return 0
		}
		return float64(t.Step) * x / t.Seconds // beyond the run's last step
	}
	return x
}

// crossStep returns the crosshair in the steps of a run: a map marks the column at which the plots
// beside it are read.
func (w *Board) crossStep(t *track.Track) plot.Cross {
	c := w.Cross
	if c.On {
		c.X = w.stepAt(t, c.X)
	}
	return c
}
