package synthetic

// All drawing is in integers, so that an image has the same bytes on every machine: Go may fuse x*y
// + z of floats on one architecture and not on another.

const (
	Side    = 32         // pixels
	Fix     = 16         // fraction bits of pixel coordinates
	lines   = 8          // scan lines a pixel row
	Opaque  = lines << 8 // full coverage
	Pitch   = Side + 2   // columns of a coverage buffer: clamped crossings fall into the last two
	FullRot = 960        // steps of a full turn; divisible by 3, 4, 5, 6, 10 and 64
)

// Point is a vertex: in units of 1/4096 of the radius in a glyph, in 16.16 pixels on the canvas.
type Point struct{ X, Y int32 }

// A contour is a closed polygon. Points with a winding number other than 0 are inside; a hole turns
// the other way.
type Contour []Point

// circle holds cos and sin of every step of a turn, in units of 2⁻¹⁴.
type circle [FullRot]Point

func NewCircle() *circle {
	const cos, sin = 1073718826, 7027574 // of one step, in units of 2⁻³⁰
	t := new(circle)
	c, s := int64(1)<<30, int64(0)
	for i := range t {
		t[i] = Point{int32((c + 1<<15) >> 16), int32((s + 1<<15) >> 16)}
		c, s = (c*cos-s*sin+1<<29)>>30, (s*cos+c*sin+1<<29)>>30
	}
	return t
}

// point gives the point at distance r (any unit) and angle a (steps, of any sign).
func (t *circle) point(r, a int) Point {
	p := t[((a%FullRot)+FullRot)%FullRot]
	return Point{int32((r*int(p.X) + 1<<13) >> 14), int32((r*int(p.Y) + 1<<13) >> 14)}
}

// Coverage accumulates, per pixel, the change of covered area from the pixel to its left.
type Coverage struct {
	Cell        [Side * Pitch]int32
	top, bottom int // rows [top, bottom) may be touched; none if bottom is 0
}

// Add accumulates one contour of canvas points: on every scan line, the covered area starts (or
// ends) where an edge crosses the line.
func (acc *Coverage) Add(points []Point) {
	a := points[len(points)-1]
	for _, b := range points {
		acc.edge(a, b)
		a = b
	}
}

func (acc *Coverage) edge(a, b Point) {
	const gap = 1 << Fix / lines // between scan lines; the first is at gap/2
	dir := int32(1)
	if a.Y > b.Y {
		a, b, dir = b, a, -1
	}
	first := max(0, (int(a.Y)+gap/2-1)/gap)
	last := min(Side*lines, (int(b.Y)+gap/2-1)/gap) // exclusive
	if first >= last {
		return
	}
	acc.touch(first/lines, (last-1)/lines+1)
	slope := (int64(b.X-a.X) << Fix) / int64(b.Y-a.Y)
	at := int64(a.X)<<Fix + slope*(int64(first*gap+gap/2)-int64(a.Y)) // of 2·fix fraction bits
	for k := first; k < last; k++ {
		x := min(max(at>>Fix, 0), Side<<Fix)
		cell := acc.Cell[k/lines*Pitch+int(x>>Fix):][:2]
		part := int32(x&(1<<Fix-1)) >> (Fix - 8)
		cell[0] += dir * (1<<8 - part)
		cell[1] += dir * part
		at += slope * gap
	}
}

// touch adds rows [top, bottom) to the rows that may be touched.
func (acc *Coverage) touch(top, bottom int) {
	if acc.bottom == 0 {
		acc.top = top
	}
	acc.top, acc.bottom = min(acc.top, top), max(acc.bottom, bottom)
}

// Paint blends colour over the planes of img ([3][Side][Side]) by the coverage, and clears the
// coverage.
func (acc *Coverage) Paint(img []byte, colour [3]int32) {
	for y := acc.top; y < acc.bottom; y++ {
		cells, sum := acc.Cell[y*Pitch:][:Pitch], int32(0)
		r, g, b := img[y*Side:][:Side], img[(Side+y)*Side:][:Side], img[(2*Side+y)*Side:][:Side]
		for x, change := range cells[:Side] {
			sum += change
			if sum == 0 {
				continue
			}
			alpha := min(max(sum, -sum), Opaque)
			r[x] = blend(r[x], colour[0], alpha)
			g[x] = blend(g[x], colour[1], alpha)
			b[x] = blend(b[x], colour[2], alpha)
		}
		clear(cells)
	}
	acc.top, acc.bottom = 0, 0
}

// blend mixes old with colour in proportion to alpha, which goes from 0 to Opaque.
func blend(old byte, colour, alpha int32) byte {
	return byte(int32(old) + ((colour-int32(old))*alpha+Opaque/2)>>11)
}
