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

func (film) draw(b *Board, p int, v *View, iw, ih int) ([]string, string) {
	maps := b.maps(p, v, iw, ih)
	if maps == nil {
		return nil, ""
	}
	var blocks []kit.Block
	x := 0 // a blank column stands between the maps
	for _, m := range maps {
		blocks = append(blocks, kit.Block{Rect: kit.Area(x, 0, m.cells, ih),
			Lines: b.paint(m, m.cells, ih)})
		x += m.cells + 1
	}
	return kit.Compose(iw, ih, blocks), ""
}

func (film) note(b *Board, _ *View) string {
	return b.Runs.Run().Label + " · by " + b.Axis.String()
}

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
func (b *Board) maps(p int, v *View, iw, ih int) []sizedMap {
	t := b.Runs.Run()
	of := v.BarsMeasure(t.Meta)
	left, right := t.Films[of.Name], t.Films[v.Named(v.Beside, t.Meta)]
	if left == nil || left.Len() == 0 || right == nil || right.Len() == 0 {
		return nil
	}
	order := b.worstFirst(of)
	values := t.Places(b.Runs.PanelClock(), of)
	if len(values) != len(order) { // the log is half read: films have more than is shown
		return nil
	}
	worst, _ := judge(t, values, of)
	cross := b.Cross // a map marks the column at which the plots beside it are read
	if cross.On {
		cross.X = b.stepAt(t, cross.X)
	}
	accuracy := &plot.HeatMap{
		Film:    left,
		Head:    "accuracy %",
		Order:   order,
		First:   min(b.Panels[p].First, max(0, len(order)-ih+1)),
		Mark:    worst,
		X:       plot.Range{Lo: b.stepAt(t, b.Span().Lo), Hi: b.stepAt(t, b.Span().Hi)},
		Ticks:   func(most int) []plot.AxisTick { return b.filmTicks(t, most) },
		Cross:   cross,
		Values:  plot.Range{Lo: 0, Hi: 1},
		Percent: true,
		Shades:  b.Theme.Shades(),
		Charset: b.Theme.Charset(false),
	}
	for i := range order {
		accuracy.Labels = append(accuracy.Labels, PlaceName(t.Meta, of.Axis, i))
	}
	ratios := *accuracy
	ratios.Film, ratios.Labels, ratios.Head = right, nil, "adversary's ratio"
	ratios.Values, ratios.Log, ratios.Percent = ratioRange(right.Range()), true, false
	labels := accuracy.LabelCells(iw) // of both maps' room, and not of a third of its own
	accuracy.Label = labels
	each := (iw - labels - 1) / 2 // cells without labels; the odd one goes to the right map
	return []sizedMap{{accuracy, labels + each}, {&ratios, iw - labels - each - 1}}
}

// filmTicks returns the ticks of the horizontal axis that all plots have, at the steps of a run.
func (b *Board) filmTicks(t *Track, most int) []plot.AxisTick {
	ticks := plot.TicksOf(b.Span(), b.Axis == byTime, most)
	for i := range ticks {
		ticks[i].X = b.stepAt(t, ticks[i].X)
	}
	return ticks
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
