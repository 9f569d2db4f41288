package panel

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"drolab/tui/plot"
)

// Last returns the x that a run has come to, where the crosshair begins.
func (b *Board) Last(t *Track) float64 {
	if b.Axis == byTime && !t.Timed() {
		return b.Span().Hi
	}
	return b.xAt(t, float64(t.Step))
}

// CrossValue is a run's value at the crosshair.
type CrossValue struct {
	Run   int
	Value float64
}

// Readings returns the values at the crosshair of the lines of a quantity. The chart of each has no
// room and is never drawn: it is only read.
func (b *Board) Readings(q string) (list []CrossValue) {
	for _, row := range b.lineRows() {
		c := &plot.Chart{Cross: b.Cross}
		b.addLine(c, row, func(t *Track) *plot.Series { return t.Curves[q].Series() }, true)
		if read := c.Read(); len(read) == 1 {
			list = append(list, CrossValue{row[0], read[0].Value})
		}
	}
	return list
}

// CrossValues returns the readings of a panel's first plot, from the top, which is the order in
// which the up and down keys go through them.
func (b *Board) CrossValues(p int) []CrossValue {
	v := b.CurrentView(p)
	if !v.Plots() {
		return nil
	}
	list := b.Readings(v.Curves[0])
	slices.SortStableFunc(list, func(x, y CrossValue) int { return cmp.Compare(y.Value, x.Value) })
	return list
}

// ReadAt returns the place of the crosshair in words, with the picked run and its value there. It
// replaces the panel's note, and reads only the view's first curve, because the note has one line.
func (b *Board) ReadAt(v *View) string {
	s := fmt.Sprintf("%s %.4g", b.Axis, b.Cross.X)
	switch b.Axis {
	case bySteps:
		s = fmt.Sprintf("%s %.0f", b.Axis, b.Cross.X)
	case byTime:
		s = plot.FormatDuration(b.Cross.X)
	}
	t, x := b.PickedStep(v)
	value := t.Curves[v.Curves[0]].Series().At(x)
	if math.IsNaN(value) {
		return s
	}
	c := plot.Chart{Percent: Percents(b.quantities[v.Curves[0]])}
	mark := b.Theme.Mark(t.Number)
	name, _ := b.Runs.nameOf([]int{b.front()})
	return fmt.Sprintf("%s: %s %s %s", s, mark, name, c.Brief(value))
}

// PickedStep returns the run that is picked at the crosshair, and its step there. A series knows
// only steps: by epochs and by time the step at x has to be found first.
func (b *Board) PickedStep(v *View) (t *Track, step float64) {
	t, step = b.Runs.Tracks[b.front()], b.Cross.X
	if f := b.mapX(t); f != nil {
		step = t.Curves[v.Curves[0]].Series().Inverse(step, f)
	}
	return t, step
}
