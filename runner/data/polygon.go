package data

// All drawing is in integers, so that an image has the same bytes on every machine: Go may fuse x*y + z of
// floats on one architecture and not on another.

const (
	side    = 32         // pixels
	fix     = 16         // fraction bits of pixel coordinates
	lines   = 8          // scan lines a pixel row
	opaque  = lines << 8 // full coverage
	pitch   = side + 2   // columns of a coverage buffer: clamped crossings fall into the last two
	fullRot = 960        // steps of a full turn; divisible by 3, 4, 5, 6, 10 and 64
)

// point is a vertex: in units of 1/4096 of the radius in a glyph, in 16.16 pixels on the canvas.
type point struct{ x, y int32 }

// A contour is a closed polygon. Where the winding number is not 0 is inside; a hole turns the other way.
type contour []point

// circle holds cos and sin of every step of a turn, in units of 2⁻¹⁴.
type circle [fullRot]point

func newCircle() *circle {
	const cos, sin = 1073718826, 7027574 // of one step, in units of 2⁻³⁰
	t := new(circle)
	c, s := int64(1)<<30, int64(0)
	for i := range t {
		t[i] = point{int32((c + 1<<15) >> 16), int32((s + 1<<15) >> 16)}
		c, s = (c*cos-s*sin+1<<29)>>30, (s*cos+c*sin+1<<29)>>30
	}
	return t
}

// at gives the point at distance r (any unit) and angle a (steps, of any sign).
func (t *circle) at(r, a int) point {
	p := t[((a%fullRot)+fullRot)%fullRot]
	return point{int32((r*int(p.x) + 1<<13) >> 14), int32((r*int(p.y) + 1<<13) >> 14)}
}

// coverage accumulates, per pixel, the change of covered area from the pixel to its left.
type coverage struct {
	cell        [side * pitch]int32
	top, bottom int // rows [top, bottom) may be touched; none if bottom is 0
}

// add accumulates one contour of canvas points: on every scan line each edge starts (or ends) cover at its
// crossing.
func (acc *coverage) add(points []point) {
	a := points[len(points)-1]
	for _, b := range points {
		acc.edge(a, b)
		a = b
	}
}

func (acc *coverage) edge(a, b point) {
	const gap = 1 << fix / lines // between scan lines; the first is at gap/2
	dir := int32(1)
	if a.y > b.y {
		a, b, dir = b, a, -1
	}
	first := max(0, (int(a.y)+gap/2-1)/gap)
	last := min(side*lines, (int(b.y)+gap/2-1)/gap) // exclusive
	if first >= last {
		return
	}
	acc.touch(first/lines, (last-1)/lines+1)
	slope := (int64(b.x-a.x) << fix) / int64(b.y-a.y)
	at := int64(a.x)<<fix + slope*(int64(first*gap+gap/2)-int64(a.y)) // of 2·fix fraction bits
	for k := first; k < last; k++ {
		x := min(max(at>>fix, 0), side<<fix)
		cell := acc.cell[k/lines*pitch+int(x>>fix):][:2]
		part := int32(x&(1<<fix-1)) >> (fix - 8)
		cell[0] += dir * (1<<8 - part)
		cell[1] += dir * part
		at += slope * gap
	}
}

// touch takes rows [top, bottom) into those that may be touched.
func (acc *coverage) touch(top, bottom int) {
	if acc.bottom == 0 {
		acc.top = top
	}
	acc.top, acc.bottom = min(acc.top, top), max(acc.bottom, bottom)
}

// paint blends colour over the planes of img ([3][side][side]) by the coverage, and clears that.
func (acc *coverage) paint(img []byte, colour [3]int32) {
	for y := acc.top; y < acc.bottom; y++ {
		cells, sum := acc.cell[y*pitch:][:pitch], int32(0)
		r, g, b := img[y*side:][:side], img[(side+y)*side:][:side], img[(2*side+y)*side:][:side]
		for x, change := range cells[:side] {
			if sum += change; sum == 0 {
				continue
			}
			alpha := min(max(sum, -sum), opaque)
			r[x] = blend(r[x], colour[0], alpha)
			g[x] = blend(g[x], colour[1], alpha)
			b[x] = blend(b[x], colour[2], alpha)
		}
		clear(cells)
	}
	acc.top, acc.bottom = 0, 0
}

// blend gives the value between old and colour.
func blend(old byte, colour, alpha int32) byte {
	return byte(int32(old) + ((colour-int32(old))*alpha+opaque/2)>>11)
}
