package panel

import (
	"cmp"
	"math"

	"drolab/tui/plot"
)

// Span returns the part of x that is shown, in the unit of the axis.
func (b *Board) Span() plot.Range { return cmp.Or(b.ZoomX, b.X) }

// Pan moves the part of x in view, within the axis. The width of the view stays: at an end the move
// is cut, not the view.
func (b *Board) Pan(by float64) {
	r := b.Span()
	by = max(b.X.Lo-r.Lo, min(b.X.Hi-r.Hi, by))
	if by != 0 {
		b.ShowX(plot.Range{Lo: r.Lo + by, Hi: r.Hi + by})
	}
}

// PanBy moves the view by quarters of its width, so that most of it can be followed by eye.
func (b *Board) PanBy(by int) {
	r := b.Span()
	b.Pan(float64(by) * (r.Hi - r.Lo) / 4)
}

// ZoomBy shows half as much of x for each by, or twice as much if by is negative, around the
// crosshair or, without one, around the middle.
func (b *Board) ZoomBy(by int) {
	r := b.Span()
	at := (r.Lo + r.Hi) / 2
	if b.Cross.On && r.Contains(b.Cross.X) {
		at = b.Cross.X
	}
	b.ZoomAt(at, by)
}

// ZoomAt shows half as much of x for each by, or twice as much if by is negative. The place at
// stays where it is on the screen, so that a wheel zooms around the pointer.
func (b *Board) ZoomAt(at float64, by int) {
	const most = 1 << 14 // times; far back, a longer run has kept no finer points
	r, all := b.Span(), b.X.Hi-b.X.Lo
	length := max(all/most, (r.Hi-r.Lo)*math.Pow(2, float64(-by)))
	if length >= all {
		b.Unzoom()
		return
	}
	// at keeps its part of the view; at the ends of the axis the view is moved inside.
	lo := at - (at-r.Lo)/(r.Hi-r.Lo)*length
	lo = max(b.X.Lo, min(b.X.Hi-length, lo))
	b.ShowX(plot.Range{Lo: lo, Hi: lo + length})
}

// Unzoom shows all of x.
func (b *Board) Unzoom() { b.ShowX(plot.Range{}) }

// ShowX shows a part of x; the zero range is all of it. All changes of the view end here, so that
// each calls Refit.
func (b *Board) ShowX(x plot.Range) {
	b.ZoomX = x
	b.Refit()
}
