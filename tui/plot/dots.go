package plot

import "cmp"

// dots are braille pixels of a panel, two by four a cell, with the style of
// the line that last touched the cell.
type dots struct {
	w, h  int // cells
	bits  []uint8
	style []Style
}

func newDots(w, h int) *dots { return &dots{w, h, make([]uint8, w*h), make([]Style, w*h)} }

// set lights the dot at column x from the left and row y from the bottom. It ignores dots outside
// the panel.
func (d *dots) set(x, y int, s Style) {
	cx, cy := x/2, d.h-1-y/4
	if x < 0 || y < 0 || cx >= d.w || cy < 0 {
		return
	}
	// Unicode numbers the dots 1 2 3 7 down the left and 4 5 6 8 down the right.
	bit := [2][4]uint8{{0x40, 0x04, 0x02, 0x01}, {0x80, 0x20, 0x10, 0x08}}[x%2][y%4]
	if i := cy*d.w + cx; d.style[i] != s { // a cell has one colour: it shows one line
		d.bits[i], d.style[i] = bit, s
	} else {
		d.bits[i] |= bit
	}
}

// vertical lights the dots between a and b.
func (d *dots) vertical(x, a, b int, s Style) {
	for y := min(a, b); y <= max(a, b); y++ {
		d.set(x, y, s)
	}
}

// line draws the trace t, of which each column and each pixel is a dot. Neighbouring columns meet
// half way between the last pixel of one and the first pixel of the next.
func (d *dots) line(t *trace, s Style) {
	for x := range t.spans {
		p := &t.spans[x]
		if !p.on {
			continue
		}
		d.vertical(x, p.lo, p.hi, s)
		d.set(x, p.first, s)
		if x == 0 || p.brk || !t.spans[x-1].on {
			continue
		}
		q := t.spans[x-1].last
		mid := (q + p.first) / 2
		d.vertical(x-1, q, mid, s)
		d.vertical(x, mid, p.first, s)
	}
}

// eachStep calls f for the pixels of a straight line (Bresenham).
func eachStep(x0, y0, x1, y1 int, f func(x, y int)) {
	dx, dy := abs(x1-x0), -abs(y1-y0)
	sx, sy := cmp.Compare(x1, x0), cmp.Compare(y1, y0)
	e := dx + dy
	for {
		f(x0, y0)
		if x0 == x1 && y0 == y1 {
			return
		}
		e2 := 2 * e
		if e2 >= dy {
			e += dy
			x0 += sx
		}
		if e2 <= dx {
			e += dx
			y0 += sy
		}
	}
}

func abs(v int) int { return max(v, -v) }

// paint copies the lit cells to f, from column x0 on.
func (d *dots) paint(f *Frame, x0 int) {
	for i, b := range d.bits {
		if b != 0 {
			f.set(x0+i%d.w, i/d.w, 0x2800+rune(b), d.style[i])
		}
	}
}
