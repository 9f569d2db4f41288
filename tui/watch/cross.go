package watch

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"drolab/tui/cell"
	"drolab/tui/kit"
	"drolab/tui/plot"
)

// The crosshair reads all plots at one x; zooming and panning moves the x of all of
// them, too.

// span is the part of x that is shown.
func (w *Page) span() plot.Range {
	if w.zoomX != (plot.Range{}) {
		return w.zoomX
	}
	return w.x
}

// inside is the room within a panel that is shown.
func (w *Page) inside(p int) (r kit.Rect, ok bool) {
	panels, i := w.layout().panels, p-w.first()
	if i < 0 || i >= len(panels) {
		return r, false
	}
	r = panels[i]
	iw, ih := w.room(r)
	return kit.Area(r.X+(r.W-iw)/2, r.Y+1, iw, ih), true
}

// cells is how many cells the focused plot has across; 0 where no plot is focused.
func (w *Page) cells() int {
	v := w.shows(w.focus)
	r, ok := w.inside(w.focus)
	if !ok || !v.plots() || len(w.tracks) == 0 {
		return 0
	}
	p := w.plots(w.focus, v, r.W, r.H)[0]
	return p.Cells(p.at.W, p.at.H)
}

// side moves the crosshair of a plot by a column; elsewhere it goes to the next panel.
func (w *Page) side(by int) {
	n := w.cells()
	if n == 0 {
		w.nextPanel(by)
		return
	}
	r := w.span()
	column := (r.Hi - r.Lo) / float64(n)
	if !w.cross.On { // begin where the run is
		last := w.last(w.run())
		w.cross, w.picked = plot.Cross{On: true, X: max(r.Lo, min(r.Hi, last))}, w.at
		return
	}
	x := max(w.x.Lo, min(w.x.Hi, w.cross.X+float64(by)*column))
	w.cross.X = x
	if !r.Contains(x) && w.zoomX != (plot.Range{}) {
		w.pan(x - max(r.Lo, min(r.Hi, x)))
	}
}

// last is the x that a run has come to.
func (w *Page) last(t *track) float64 {
	if f := w.mapX(t); f != nil {
		return f(float64(t.Step))
	}
	return float64(t.Step)
}

// pan moves what is in view, as far as there is something.
func (w *Page) pan(by float64) {
	r := w.span()
	by = max(w.x.Lo-r.Lo, min(w.x.Hi-r.Hi, by))
	if by != 0 {
		w.zoomX = plot.Range{Lo: r.Lo + by, Hi: r.Hi + by}
	}
}

// panBy moves by a part of what is in view.
func (w *Page) panBy(by int) {
	r := w.span()
	w.pan(float64(by) * (r.Hi - r.Lo) / 4)
}

// zoomBy shows half as much of x around the crosshair or, without one, around the
// middle; or twice as much.
func (w *Page) zoomBy(by int) {
	r := w.span()
	at := (r.Lo + r.Hi) / 2
	if w.cross.On && r.Contains(w.cross.X) {
		at = w.cross.X
	}
	w.zoomAt(at, by)
}

func (w *Page) zoomAt(at float64, by int) {
	const most = 1 << 14
	r, all := w.span(), w.x.Hi-w.x.Lo
	length := max(all/most, (r.Hi-r.Lo)*math.Pow(2, float64(-by)))
	if length >= all {
		w.unzoom()
		return
	}
	lo := at - (at-r.Lo)/(r.Hi-r.Lo)*length
	lo = max(w.x.Lo, min(w.x.Hi-length, lo))
	w.zoomX = plot.Range{Lo: lo, Hi: lo + length}
}

// unzoom shows all of x.
func (w *Page) unzoom() {
	w.zoomX = plot.Range{}
}

func (w *Page) noPlot(*track) string {
	return kit.Unless(w.cells() > 0, "this panel has no axis of steps: Tab turns to one that has")
}

func (w *Page) noUnzoom(*track) string {
	return kit.Unless(w.zoomX != (plot.Range{}), "all of the axis is shown")
}

// upOrDown moves the cursor by a row; at the crosshair it picks the line above or below.
func (w *Page) upOrDown(by int) {
	if !w.cross.On || w.cells() == 0 {
		w.move(by)
		return
	}
	list := w.crossed(w.focus)
	i := slices.IndexFunc(list, func(c crossed) bool { return c.run == w.picked })
	if i = max(0, min(len(list)-1, i+by)); i < len(list) {
		w.picked = list[i].run
	}
}

// crossed is a run's value at the crosshair.
type crossed struct {
	run   int
	value float64
}

// crossed are those of a panel's first plot, from the top.
func (w *Page) crossed(p int) (list []crossed) {
	v := w.shows(p)
	if !v.plots() {
		return nil
	}
	for _, row := range w.lined() {
		c := &plot.Chart{Cross: w.cross}
		if w.tracks[row[0]].hidden {
			continue
		}
		w.line(c, row, func(t *track) *plot.Series { return t.curves[v.curves[0]].shown() }, true)
		if read := c.Read(); len(read) == 1 {
			list = append(list, crossed{row[0], read[0].Value})
		}
	}
	slices.SortStableFunc(list, func(a, b crossed) int { return cmp.Compare(b.value, a.value) })
	return list
}

// readAt is what the crosshair reads: where it is, and the run that is picked there.
func (w *Page) readAt(v *view) string {
	s := fmt.Sprintf("%s %.4g", w.axis, w.cross.X)
	switch w.axis {
	case bySteps:
		s = fmt.Sprintf("%s %.0f", w.axis, w.cross.X)
	case byTime:
		s = plot.FormatDuration(w.cross.X)
	}
	t := w.tracks[w.front()]
	x := w.cross.X
	if f := w.mapX(t); f != nil {
		x = t.curves[v.curves[0]].shown().Inverse(x, f)
	}
	value := t.curves[v.curves[0]].shown().At(x)
	if math.IsNaN(value) {
		return s
	}
	c := plot.Chart{Percent: percents(w.quantities[v.curves[0]].Measure)}
	return fmt.Sprintf("%s: %c %s %s", s, cell.Mark(int(t.number), w.Theme.ASCII), t.short, c.Brief(value))
}

// enter makes the run at the crosshair the one under the cursor; else it zooms.
func (w *Page) enter() {
	if w.cross.On && w.picked != w.at && w.picked < len(w.tracks) {
		w.pick(w.picked)
		return
	}
	w.zoom()
}

// under is the plot at a place of the page: its panel, the x there, and how high it lies
// in the plot, 0 to 1.
func (w *Page) under(x, y int) (p int, at, height float64, chart *placed) {
	if len(w.tracks) == 0 {
		return 0, 0, 0, nil
	}
	for i := range w.layout().panels {
		p = w.first() + i
		r, ok := w.inside(p)
		v := w.shows(p)
		if !ok || !r.Contains(x, y) || !v.plots() {
			continue
		}
		for _, c := range w.plots(p, v, r.W, r.H) {
			at, height, ok = c.ColumnX(x-r.X-c.at.X, y-r.Y-c.at.Y, c.at.W, c.at.H)
			if ok {
				return p, at, height, &c
			}
		}
	}
	return 0, 0, 0, nil
}

// point puts the crosshair at a place of the page, on the line that is nearest to it; off
// the plots it takes it away. It tells whether the screen looks different.
func (w *Page) point(x, y int) bool {
	before, picked := w.cross, w.picked
	_, at, height, c := w.under(x, y)
	if c == nil {
		w.cross.On = false
		return before.On
	}
	w.cross = plot.Cross{On: true, X: at}
	w.picked = w.at
	best := math.Inf(1)
	for _, row := range w.lined() {
		one := &plot.Chart{Cross: w.cross}
		if w.tracks[row[0]].hidden {
			continue
		}
		w.line(one, row, func(t *track) *plot.Series { return t.curves[c.q].shown() }, true)
		if read := one.Read(); len(read) == 1 {
			if far := math.Abs(c.Height(read[0].Value) - height); far < best {
				best, w.picked = far, row[0]
			}
		}
	}
	return w.cross != before || w.picked != picked
}

// Point is where the mouse is, with its button up; it tells whether the screen looks
// different.
func (w *Page) Point(m kit.Hover) bool {
	if !w.point(m.X, m.Y) {
		return false
	}
	w.touch()
	return true
}

// drag pans by as much as the mouse moved since it was pressed on a plot.
func (w *Page) drag(m kit.Drag) {
	if w.held.cells == 0 {
		return
	}
	r := w.held.span
	w.zoomX = r
	w.pan(float64(w.held.x-m.X) * (r.Hi - r.Lo) / float64(w.held.cells))
}

// held is a plot that the mouse has hold of.
type held struct {
	x, cells int
	span     plot.Range
}
