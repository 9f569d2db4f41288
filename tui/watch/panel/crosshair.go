package panel

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"drolab/tui/cell"
	"drolab/tui/plot"
)

// Span returns the part of x that is shown, in the unit of the axis.
func (w *Board) Span() plot.Range { return cmp.Or(w.ZoomX, w.X) }

// Last returns the x that a run has come to, where the crosshair begins.
func (w *Board) Last(t *Track) float64 {
	return w.xAt(t, float64(t.Step))
}

// Pan moves the part of x in view, within the axis. The width of the view stays: at an end the move
// is cut, not the view.
func (w *Board) Pan(by float64) {
	r := w.Span()
	by = max(w.X.Lo-r.Lo, min(w.X.Hi-r.Hi, by))
	if by != 0 {
		w.Show(plot.Range{Lo: r.Lo + by, Hi: r.Hi + by})
	}
}

// PanBy moves the view by quarters of its width, so that most of it can be followed by eye.
func (w *Board) PanBy(by int) {
	r := w.Span()
	w.Pan(float64(by) * (r.Hi - r.Lo) / 4)
}

// ZoomBy shows half as much of x for each by, or twice as much if by is negative, around the
// crosshair or, without one, around the middle.
func (w *Board) ZoomBy(by int) {
	r := w.Span()
	at := (r.Lo + r.Hi) / 2
	if w.Cross.On && r.Contains(w.Cross.X) {
		at = w.Cross.X
	}
	w.ZoomAt(at, by)
}

// ZoomAt shows half as much of x for each by, or twice as much if by is negative. The place at
// stays where it is on the screen, so that a wheel zooms around the pointer.
func (w *Board) ZoomAt(at float64, by int) {
	const most = 1 << 14 // times; far back, a longer run has kept no finer points
	r, all := w.Span(), w.X.Hi-w.X.Lo
	length := max(all/most, (r.Hi-r.Lo)*math.Pow(2, float64(-by)))
	if length >= all {
		w.Unzoom()
		return
	}
	// at keeps its part of the view; at the ends of the axis the view is moved inside.
	lo := at - (at-r.Lo)/(r.Hi-r.Lo)*length
	lo = max(w.X.Lo, min(w.X.Hi-length, lo))
	w.Show(plot.Range{Lo: lo, Hi: lo + length})
}

// Unzoom shows all of x.
func (w *Board) Unzoom() { w.Show(plot.Range{}) }

// Show shows a part of x; the zero range is all of it. All changes of the view end here, so that
// each calls Refit.
func (w *Board) Show(x plot.Range) {
	w.ZoomX = x
	w.Refit()
}

// Crossed is a run's value at the crosshair.
type Crossed struct {
	Run   int
	Value float64
}

// Readings returns the values at the crosshair of the lines of a quantity. The chart of each has no
// room and is never drawn: it is only read.
func (w *Board) Readings(q string) (list []Crossed) {
	for _, row := range w.Lined() {
		c := &plot.Chart{Cross: w.Cross}
		w.Line(c, row, func(t *Track) *plot.Series { return t.Curves[q].Shown() }, true)
		if read := c.Read(); len(read) == 1 {
			list = append(list, Crossed{row[0], read[0].Value})
		}
	}
	return list
}

// Crossed returns the readings of a panel's first plot, from the top, which is the order in which
// the up and down keys go through them.
func (w *Board) Crossed(p int) []Crossed {
	v := w.Shows(p)
	if !v.Plots() {
		return nil
	}
	list := w.Readings(v.Curves[0])
	slices.SortStableFunc(list, func(a, b Crossed) int { return cmp.Compare(b.Value, a.Value) })
	return list
}

// ReadAt returns the place of the crosshair in words, with the picked run and its value there. It
// replaces the panel's note, and reads only the view's first curve, because the note has one line.
func (w *Board) ReadAt(v *View) string {
	s := fmt.Sprintf("%s %.4g", w.Axis, w.Cross.X)
	switch w.Axis {
	case bySteps:
		s = fmt.Sprintf("%s %.0f", w.Axis, w.Cross.X)
	case byTime:
		s = plot.FormatDuration(w.Cross.X)
	}
	t, x := w.Crosses(v)
	value := t.Curves[v.Curves[0]].Shown().At(x)
	if math.IsNaN(value) {
		return s
	}
	c := plot.Chart{Percent: Percents(w.quantities[v.Curves[0]])}
	mark := cell.Mark(int(t.Number), w.Theme.ASCII)
	return fmt.Sprintf("%s: %c %s %s", s, mark, t.Short, c.Brief(value))
}

// Crosses returns the run that is picked at the crosshair, and its step there. A series knows only
// steps: by epochs and by time the step at x has to be found first.
func (w *Board) Crosses(v *View) (t *Track, step float64) {
	t, step = w.Tracks[w.front()], w.Cross.X
	if f := w.mapX(t); f != nil {
		step = t.Curves[v.Curves[0]].Shown().Inverse(step, f)
	}
	return t, step
}
