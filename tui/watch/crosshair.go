package watch

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"drolab/tui/cell"
	"drolab/tui/plot"
)

// span is the part of x that is shown.
func (w *Board) span() plot.Range {
	if w.zoomX != (plot.Range{}) {
		return w.zoomX
	}
	return w.x
}

// last is the x that a run has come to.
func (w *Board) last(t *track) float64 {
	if f := w.mapX(t); f != nil {
		return f(float64(t.Step))
	}
	return float64(t.Step)
}

// pan moves what is in view, as far as there is something.
func (w *Board) pan(by float64) {
	r := w.span()
	by = max(w.x.Lo-r.Lo, min(w.x.Hi-r.Hi, by))
	if by != 0 {
		w.zoomX = plot.Range{Lo: r.Lo + by, Hi: r.Hi + by}
	}
}

// panBy moves by a part of what is in view.
func (w *Board) panBy(by int) {
	r := w.span()
	w.pan(float64(by) * (r.Hi - r.Lo) / 4)
}

// zoomBy shows half as much of x around the crosshair or, without one, around the
// middle; or twice as much.
func (w *Board) zoomBy(by int) {
	r := w.span()
	at := (r.Lo + r.Hi) / 2
	if w.cross.On && r.Contains(w.cross.X) {
		at = w.cross.X
	}
	w.zoomAt(at, by)
}

func (w *Board) zoomAt(at float64, by int) {
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
func (w *Board) unzoom() {
	w.zoomX = plot.Range{}
}

// crossed is a run's value at the crosshair.
type crossed struct {
	run   int
	value float64
}

// crossed are those of a panel's first plot, from the top.
func (w *Board) crossed(p int) (list []crossed) {
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
func (w *Board) readAt(v *view) string {
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
	c := plot.Chart{Percent: percents(w.quantities[v.curves[0]])}
	return fmt.Sprintf("%s: %c %s %s", s, cell.Mark(int(t.number), w.Theme.ASCII), t.short, c.Brief(value))
}
