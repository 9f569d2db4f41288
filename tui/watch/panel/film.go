package panel

import (
	"slices"

	"drolab/runner"
	"drolab/tui/kit"
	"drolab/tui/plot"
)

// film is the form of two maps of the run under the cursor: how the classes do, and how the
// adversary weighs them. It is the only view by class that shows the past: bars show only the last
// evaluation.
type film struct{}

func (film) draw(w *Board, p int, v *View, iw, ih int) ([]string, string) {
	maps := w.maps(p, v, iw, ih)
	if maps == nil {
		return nil, ""
	}
	var blocks []kit.Block
	x := 0 // a blank column stands between the maps
	for _, m := range maps {
		blocks = append(blocks, kit.Block{Rect: kit.Area(x, 0, m.cells, ih),
			Lines: w.paint(m, m.cells, ih)})
		x += m.cells + 1
	}
	return kit.Compose(iw, ih, blocks), ""
}

func (film) note(w *Board, _ *View) string { return w.Run().Label + " · by " + w.Axis.String() }

// sizedMap is a map and its width in cells, labels included.
type sizedMap struct {
	*plot.HeatMap
	cells int
}

// filmMeasures returns the measures that views show as films, with those of the validation split: a
// film cannot be made up for later, when the user turns to that split.
func filmMeasures(panels []Panel, m *runner.Meta) (names []string) {
	for v := range views(panels) {
		for ; v != nil && v.Films(); v = v.val {
			names = append(names, v.BarsMeasure(m).Name, v.Named(v.Beside, m))
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// maps returns two maps side by side: how the classes do, and how the adversary weighs them; nil
// before the first evaluation. Both have the same rows and the same columns of steps, so a class
// can be followed from one to the other. The right one has no labels.
func (w *Board) maps(p int, v *View, iw, ih int) []sizedMap {
	t := w.Run()
	of := v.BarsMeasure(t.Meta)
	left, right := t.Films[of.Name], t.Films[v.Named(v.Beside, t.Meta)]
	if left == nil || left.Len() == 0 || right == nil || right.Len() == 0 {
		return nil
	}
	order := w.worstFirst(of)
	if len(t.Places(of)) != len(order) { // the log is half read: films have more than is shown
		return nil
	}
	worst, _ := judge(t, t.Places(of), of)
	cross := w.Cross // a map marks the column at which the plots beside it are read
	if cross.On {
		cross.X = w.stepAt(t, cross.X)
	}
	a := &plot.HeatMap{
		Film:    left,
		Head:    "accuracy %",
		Order:   order,
		First:   min(w.Panels[p].First, max(0, len(order)-ih+1)),
		Mark:    worst,
		X:       plot.Range{Lo: w.stepAt(t, w.Span().Lo), Hi: w.stepAt(t, w.Span().Hi)},
		Cross:   cross,
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
		ratioRange(right.Range()), true, false
	labels := a.LabelCells(iw)
	each := (iw - labels - 1) / 2 // cells without labels; the odd one goes to the right map
	return []sizedMap{{a, labels + each}, {&b, iw - labels - each - 1}}
}

// ratioRange returns the range of likelihood ratios that the colours of a map cover. In the
// logarithm it is symmetric about 1, which is no reweighting. It takes one of six sizes, so that
// shades keep their meaning while a run goes on.
func ratioRange(r plot.Range) plot.Range {
	top := 2.0
	for _, next := range []float64{5, 10, 20, 50, 100} {
		if r.Hi > top {
			top = next
		}
	}
	return plot.Range{Lo: 1 / top, Hi: top}
}
