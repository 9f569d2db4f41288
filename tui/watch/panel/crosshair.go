package panel

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"drolab/tui/cell"
	"drolab/tui/plot"
)

// Last returns the x that a run has come to, where the crosshair begins.
func (w *Board) Last(t *Track) float64 {
	return w.xAt(t, float64(t.Step))
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
