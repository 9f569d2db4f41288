package plot

import "drolab/tui/cell"

// Trail is a path in a phase portrait.
type Trail struct {
	Path   *Path // nil draws none
	Number uint8 // series number of its style and of the mark at its current point
	Back   bool  // dimmed, and drawn before the trails in front
}

// Phase is a phase portrait: paths, where they started, their current points, and the box that
// constrains them. The older part of a path in front is faint.
type Phase struct {
	X, Y       Range // kept by the caller, see Range.Fit
	Trails     []Trail
	BoxX, BoxY Range  // the box, drawn if both have a length, as far as its edges are in view
	Best       []Spot // drawn as cell.Optimum: where the paths ought to be
	Charset    Charset
	// XName and YName are the coordinates, written at the ends of the axes.
	XName, YName string
}

// DrawTo draws the portrait in w by h cells into f, reusing its memory, with the axes of a Chart.
func (ph *Phase) DrawTo(f *Frame, w, h int) {
	p, ok := (&Chart{X: ph.X, Y: ph.Y, Charset: ph.Charset}).newDrawing(f, w, h)
	if !ok {
		return
	}
	if ph.BoxX.spans() && ph.BoxY.spans() {
		p.rectangle(ph.BoxX, ph.BoxY)
	}
	drawn := make([]uint8, len(ph.Trails))
	for i, t := range ph.Trails {
		drawn[i] = t.Number
	}
	for _, back := range [...]bool{true, false} {
		for _, t := range ph.Trails {
			if t.Path != nil && t.Back == back {
				p.path(t, drawn)
			}
		}
	}
	for _, s := range ph.Best {
		p.spot(s, p.chart.Charset.sign(cell.Optimum))
	}
	p.axes()
	if n := cell.Width(ph.XName); p.h < p.f.H && n < p.w {
		p.f.text(p.f.W-n, p.h, n, ph.XName, Style{Role: Axis})
	}
	for y := range p.h { // in the first row without a number
		if p.x0 > 1 && p.f.Row(y)[p.x0-2].Rune == ' ' {
			p.f.textRight(0, y, p.x0-1, ph.YName, Style{Role: Axis})
			break
		}
	}
}

// rectangle draws the edges of the box that are in view, with square corners, which tell the box
// from a curve. An edge that leaves the view stays open.
func (p *drawing) rectangle(bx, by Range) {
	set := func(x, y int, r rune) { p.f.set(p.x0+x, y, r, Style{Role: Ref}) }
	lo, hi := p.nearest(bx.Lo, p.w), p.nearest(bx.Hi, p.w)
	leftShows, rightShows := p.view.Contains(bx.Lo), p.view.Contains(bx.Hi)
	bottom, bottomShows := p.row(by.Lo)
	top, topShows := p.row(by.Hi)
	sides := func(y int, left, right rune) {
		if leftShows {
			set(lo, y, left)
		}
		if rightShows {
			set(hi, y, right)
		}
	}
	for y := top; y <= bottom; y++ {
		sides(y, '│', '│')
	}
	edge := func(y int, first, last rune) {
		for x := lo; x <= hi; x++ {
			set(x, y, '─')
		}
		sides(y, first, last)
	}
	if topShows {
		edge(top, '┌', '┐')
	}
	if bottomShows {
		edge(bottom, '└', '┘')
	}
}

// nearest returns the column, among w, that is nearest to an x.
func (p *drawing) nearest(x float64, w int) int {
	col, _ := p.view.column(max(p.view.Lo, min(p.view.Hi, x)), w)
	return col
}

// path draws the points that are kept and the lines between them. The latest quarter of a path in
// front has the series' style; the part before it is faint. drawn has the numbers of all series.
func (p *drawing) path(t Trail, drawn []uint8) {
	points, style := t.Path.items, lineStyle(t.Number, t.Back)
	if len(points) == 0 {
		return
	}
	fx, fy := p.cellPixels()
	d := newDots(p.w, p.h)
	recent := len(points) * 3 / 4
	var prev place
	known := false
	for i, q := range points {
		s := style
		if i < recent && !t.Back {
			s.Role = Faint
		}
		px, py, ok := p.pixel(q, fx, fy)
		if ok {
			from := place{px, py}
			if known && q.part == points[i-1].part {
				from = prev
			}
			eachStep(from.x, from.y, px, py, func(x, y int) {
				if p.chart.Charset == Braille {
					d.set(x, y, s)
				} else {
					p.f.set(p.x0+x, p.h-1-y, '·', s)
				}
			})
		}
		prev, known = place{px, py}, ok
	}
	d.paint(p.f, p.x0)
	if x, y, ok := p.pixel(points[0], 1, 1); ok {
		p.f.set(p.x0+x, p.h-1-y, p.chart.Charset.sign(cell.Origin), style)
	}
	if known {
		mark := cell.Spot(int(t.Number), drawn, p.chart.Charset == ASCII)
		p.f.set(p.x0+prev.x/fx, p.h-1-prev.y/fy, mark, style)
	}
}

// pixel returns the pixel of a point of the plane, clamped to the panel.
func (p *drawing) pixel(q pathPoint, fx, fy int) (x, y int, ok bool) {
	y, _, ok = p.y.pixel(q.y, p.h*fy)
	return p.nearest(q.x, p.w*fx), y, ok
}
