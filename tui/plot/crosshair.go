package plot

import "math"

// Cross is the crosshair: the x at which the value of every line is read.
type Cross struct {
	On bool
	X  float64
}

// Read returns the values of the chart's lines at its crosshair, or at their ends, in the order of
// the chart. It leaves out raw data and lines that have no value there.
func (c *Chart) Read() (list []End) {
	for i := range c.Lines {
		l := &c.Lines[i]
		if v, ok := c.value(l); ok && !l.Faint {
			forms := c.endName(l)
			list = append(list, End{Mark: c.mark(l.Number), Variant: c.variant(l.Number),
				Name: forms[0], Value: v, Style: l.style(), forms: forms})
		}
	}
	return list
}

// valueOf returns the value of a series at the crosshair, or its last one without a crosshair.
func (c *Chart) valueOf(s *Series, mapX func(float64) float64) (v float64, ok bool) {
	if s == nil || len(s.buckets) == 0 {
		return 0, false
	}
	if c.Cross.On {
		v = s.At(s.Inverse(c.Cross.X, mapX))
		return v, !math.IsNaN(v)
	}
	for i := len(s.buckets) - 1; i >= 0; i-- {
		if b := &s.buckets[i]; b.N > 0 {
			return b.Last, true
		}
	}
	return math.NaN(), true
}

// Inverse returns the x of the series that mapX maps to x, or NaN if there is none. mapX never
// decreases.
func (s *Series) Inverse(x float64, mapX func(float64) float64) float64 {
	if mapX == nil {
		return x
	}
	r := s.XRange()
	if !(mapX(r.Lo) <= x && x <= mapX(r.Hi)) {
		return math.NaN()
	}
	const halvings = 60 // more than a float64 has bits
	for range halvings {
		if mid := lerp(r.Lo, r.Hi, 0.5); mapX(mid) < x {
			r.Lo = mid
		} else {
			r.Hi = mid
		}
	}
	return r.Hi
}

// value returns the mean of a line's seeds at the crosshair, or at their ends.
func (c *Chart) value(l *Line) (v float64, ok bool) {
	n := 0
	for _, s := range l.Seeds {
		if u, known := c.valueOf(s, l.MapX); known && (finite(u) || !l.band()) {
			n++
			v += (u - v) / float64(n)
		}
	}
	return v, n > 0
}

// ColumnX returns the x of a cell in a chart drawn in w by h cells, and the height of the cell on
// the vertical axis, 0 to 1. ok is false if the cell lies outside the plot area.
func (c *Chart) ColumnX(x, y, w, h int) (at, height float64, ok bool) {
	p, ok := c.place(w, h)
	if !ok || x < p.x0 || x >= p.x0+p.w || y < 0 || y >= p.h {
		return 0, 0, false
	}
	part := (float64(x-p.x0) + 0.5) / float64(p.w)
	return lerp(p.view.Lo, p.view.Hi, part), 1 - (float64(y)+0.5)/float64(p.h), true
}

// Height returns the position of a value on the vertical axis, 0 to 1.
func (c *Chart) Height(v float64) float64 { return c.YScale.mapping(c.Y).position(v) }

// Cells returns the width of the plot area of a chart drawn in w by h cells.
func (c *Chart) Cells(w, h int) int {
	p, _ := c.place(w, h)
	return max(1, p.w)
}
