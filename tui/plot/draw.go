package plot

import (
	"cmp"
	"math"

	"drolab/tui/cell"
)

// Sizes below which a chart drops its y labels and its x axis.
const (
	leastW   = 12 // cells of the plot, beside the labels
	leastH   = 5
	axisRows = 2
)

// DrawTo draws the chart in w by h cells into f, reusing its memory.
func (c *Chart) DrawTo(f *Frame, w, h int) Report {
	p, ok := c.drawing(f, w, h)
	if !ok {
		return p.report
	}
	p.refs()
	p.markers()
	p.crosshair()
	p.shades()
	p.lines()
	p.spots()
	p.alerts()
	p.labels()
	p.drawEnds()
	p.axes()
	return p.report
}

// drawing blanks f and lays out the plot area in it; ok is false if there is no room for one.
func (c *Chart) drawing(f *Frame, w, h int) (p *drawing, ok bool) {
	f.resize(w, h)
	p, ok = c.place(f.W, f.H)
	p.f = f
	return p, ok
}

// place lays out the plot area in w by h cells.
func (c *Chart) place(w, h int) (p *drawing, ok bool) {
	p = &drawing{chart: c, w: w, h: h, view: c.X.usable(Scale{}), y: c.YScale.over(c.Y)}
	if gutter := cmp.Or(c.Gutter, LabelWidth) + 1; !c.Bare && p.w >= gutter+leastW {
		p.x0, p.w = gutter, p.w-gutter
	}
	if !c.Bare && p.h >= leastH {
		p.h -= axisRows
	}
	p.ends()
	return p, p.w > 0 && p.h > 0
}

// axes draws the axes around the plot area. It comes last, and makes sure that an ASCII frame holds
// nothing but ASCII.
func (p *drawing) axes() {
	if p.x0 > 0 {
		p.yAxis()
	}
	if p.h < p.f.H {
		p.xAxis()
	}
	if p.chart.Charset == ASCII {
		p.f.ascii()
	}
}

// drawing is one drawing under way: the plot area is w by h cells at column x0
// and row 0 of f.
type drawing struct {
	chart  *Chart
	f      *Frame
	x0     int
	w, h   int
	view   Range
	y      mapping
	report Report

	endCells, endName, endValue int // widths beside the plot; 0 for a part left out
	endLevel                    int // the form of the names at the ends

	dots  *dots
	beads []bead
	alert []place
}

type place struct{ x, y int }

// fine is the number of pixels of a cell, across and up.
func (p *drawing) fine() (x, y int) {
	if p.chart.Charset == Braille {
		return 2, 4
	}
	return 1, 1
}

// row returns the frame row of a value, and whether the value lies in the y range.
func (p *drawing) row(v float64) (y int, inside bool) {
	_, fy := p.fine()
	px, outside, ok := p.y.pixel(v, p.h*fy)
	return p.h - 1 - px/fy, ok && !outside
}

// column returns the plot column of an x, and whether the x lies in view.
func (p *drawing) column(x float64) (col int, inside bool) {
	if !p.view.Contains(x) {
		return 0, false
	}
	return min(int((x-p.view.Lo)/(p.view.Hi-p.view.Lo)*float64(p.w)), p.w-1), true
}

func (p *drawing) refs() {
	r := p.chart.Charset.rune('┈')
	for _, ref := range p.chart.Refs {
		y, ok := p.row(ref.Y)
		for x := 0; ok && x < p.w; x++ {
			if r == '-' && x%2 == 1 {
				continue
			}
			p.f.set(p.x0+x, y, r, Style{Role: Ref})
		}
	}
}

func (p *drawing) markers() {
	for _, m := range p.chart.Markers {
		x, ok := p.column(m.X)
		for y := 0; ok && y < p.h; y++ {
			p.f.set(p.x0+x, y, p.chart.Charset.rune('┊'), Style{Role: Mark})
		}
	}
}

// shades draws the shades of the bands in front, before any line, so that none covers a line. A
// single band is filled. Of several bands only the edges are drawn, since overlapping fills cannot
// be told apart.
func (p *drawing) shades() {
	var front []*Band
	for i := range p.chart.Bands {
		if b := &p.chart.Bands[i]; !b.Back {
			front = append(front, b)
		}
	}
	for _, b := range front {
		for x, q := range b.points(p.view, p.w) {
			p.shade(x, q, Style{Shade, b.Number}, len(front) == 1)
		}
	}
}

func (p *drawing) shade(x int, q BandPoint, s Style, whole bool) {
	if q.N < 2 || math.IsNaN(q.Lo) {
		return
	}
	top, _ := p.row(q.Hi)
	bottom, ok := p.row(q.Lo)
	if p.y.scale.Kind == Log10 && q.Lo <= 0 {
		bottom, ok = p.h-1, q.Hi > 0
	}
	if top == bottom && !ok { // wholly outside the y range
		return
	}
	if !whole {
		p.edge(x, q.Hi, s)
		p.edge(x, q.Lo, s)
		return
	}
	for y := top; y <= bottom; y++ {
		p.f.set(p.x0+x, y, p.chart.Charset.rune('░'), s)
	}
}

// edge draws one cell of the edge of a shade, if it is in view.
func (p *drawing) edge(x int, v float64, s Style) {
	if y, ok := p.row(v); ok {
		p.f.set(p.x0+x, y, p.chart.Charset.rune('·'), s)
	}
}

// lines draws the raw data, then the curves in the back, then the curves in front.
func (p *drawing) lines() {
	list := p.chart.curves()
	fx, _ := p.fine()
	for on := faintLayer; on <= frontLayer; on++ {
		for i := range list {
			if c := &list[i]; c.layer == on {
				c.columns(&p.f.cols, p.view, p.w*fx)
				p.line(c.style(c.number), c.glyph)
			}
		}
	}
	if p.dots != nil {
		p.dots.paint(p.f, p.x0, 0)
	}
	for _, b := range p.beads {
		p.f.set(p.x0+b.x, b.y, b.glyph, b.Style)
	}
}

// bead is a glyph on a line of dots.
type bead struct {
	place
	glyph rune
	Style
}

// string puts beads on a line, far enough apart that its course is seen between them. Series of one
// colour have numbers that differ by multiples of cell.Marks. Their beads are in different columns,
// so that lines on each other show their glyphs in turn.
func (p *drawing) string(t *trace, s Style, glyph rune) {
	const apart = 16
	fx, fy := p.fine()
	for x := int(s.Series) / cell.Marks * 5 % apart; x < p.w; x += apart {
		if at := &t.spans[x*fx]; at.on {
			p.beads = append(p.beads, bead{place{x, p.h - 1 - at.last/fy}, glyph, s})
		}
	}
}

// line draws the line of the sampled columns.
func (p *drawing) line(s Style, glyph rune) {
	fx, fy := p.fine()
	t := &p.f.trace
	tracer{p.y, p.h * fy, &p.report}.run(t, &p.f.cols)
	for i, x := range t.bad {
		y := 0
		if r := t.badRow[i]; r >= 0 {
			y = p.h - 1 - r/fy
		}
		p.alert = append(p.alert, place{x / fx, y})
	}
	if p.chart.Charset == Braille {
		if p.dots == nil {
			p.dots = newDots(p.w, p.h)
		}
		p.dots.line(t, s)
		if glyph != 0 && s.Role != Faint {
			p.string(t, s, glyph)
		}
		return
	}
	grid := make([]uint8, len(t.spans)*p.h)
	boxLine(grid, t.spans, p.h)
	p.box(grid, s, glyph)
}

// box paints the arms of a grid as box-drawing runes, or as the glyph if there is one.
func (p *drawing) box(grid []uint8, s Style, glyph rune) {
	for i, a := range grid {
		if a == 0 {
			continue
		}
		r := glyph
		if r == 0 {
			r = p.chart.Charset.rune(boxRunes()[a])
		}
		p.f.set(p.x0+i%p.w, i/p.w, r, s)
	}
}

// spots marks places on lines, over them.
func (p *drawing) spots() {
	for _, s := range p.chart.Spots {
		x, inView := p.column(s.X)
		if y, ok := p.row(s.Y); ok && inView {
			p.f.set(p.x0+x, y, spotRune, Style{Data, s.Number})
		}
	}
}

// alerts marks divergence over everything else.
func (p *drawing) alerts() {
	for _, a := range p.alert {
		p.f.set(p.x0+a.x, a.y, p.chart.Charset.alert(), Style{Role: Alert})
	}
}

// labels writes the name of each reference as far to the right as it covers no line, and the
// letters of markers at the top. Where a line ends on a bound, the name stands further left on the
// bound.
func (p *drawing) labels() {
	for _, ref := range p.chart.Refs {
		y, ok := p.row(ref.Y)
		name := cell.Cut(p.chart.Charset.spell(ref.Name), p.w/3)
		n := cell.Width(name)
		end := p.w
		for ok && end > n && !p.free(end-n, y, n) {
			end--
		}
		if ok && n > 0 && p.free(end-n, y, n) {
			p.f.textRight(p.x0, y, end, name, Style{Role: Ref})
		}
	}
	for _, m := range p.chart.Markers {
		if x, ok := p.column(m.X); ok && m.Letter != 0 {
			p.f.set(p.x0+x, 0, p.chart.letter(m.Letter), Style{Role: Mark})
		}
	}
}

// free reports whether n cells from plot column x hold no data.
func (p *drawing) free(x, y, n int) bool {
	for i := x; i < x+n; i++ {
		if r := p.f.Cells[y*p.f.W+p.x0+i].Style.Role; r == Data || r == Back ||
			r == Faint || r == Alert {
			return false
		}
	}
	return true
}

func (p *drawing) yAxis() {
	for y := range p.h {
		p.f.set(p.x0-1, y, p.chart.Charset.rune('│'), Style{Role: Axis})
	}
	last := -1
	ticks := p.chart.yTicks(p.h)
	for i := len(ticks) - 1; i >= 0; i-- {
		y, ok := p.row(ticks[i].Value)
		if !ok || y == last {
			continue
		}
		last = y
		p.f.set(p.x0-1, y, p.chart.Charset.rune('┤'), Style{Role: Axis})
		p.f.textRight(0, y, p.x0-1, ticks[i].Label, Style{Role: Axis})
	}
}

// yTicks returns the y ticks of a plot h cells high.
func (c *Chart) yTicks(h int) []tick {
	n := max(2, (h+1)/3)
	if !c.Percent {
		return c.YScale.ticks(c.Y, n)
	}
	s := c.YScale
	s.linear = 100 * s.threshold()
	ticks := s.ticks(Range{100 * c.Y.Lo, 100 * c.Y.Hi}, n)
	for i := range ticks {
		ticks[i].Value /= 100
	}
	return ticks
}

// TickWidth returns the width of the y labels of a plot h cells high, in cells, for Gutter.
func (c *Chart) TickWidth(h int) (n int) {
	for _, t := range c.yTicks(h) {
		n = max(n, cell.Width(t.Label))
	}
	return n
}

// xAxis draws the line under the plot and the labels centred below their
// ticks, leaving out a label that would touch the one before.
func (p *drawing) xAxis() {
	y := p.h
	for x := range p.w {
		p.f.set(p.x0+x, y, p.chart.Charset.rune('─'), Style{Role: Axis})
	}
	if p.x0 > 0 {
		p.f.set(p.x0-1, y, p.chart.Charset.rune('└'), Style{Role: Axis})
	}
	free := 0
	for _, t := range p.xTicks() {
		x, ok := p.column(t.Value)
		if !ok {
			continue
		}
		p.f.set(p.x0+x, y, p.chart.Charset.rune('┬'), Style{Role: Axis})
		n := cell.Width(t.Label)
		at := max(0, min(p.x0+x-n/2, p.f.W-n))
		if at < free {
			continue
		}
		free = at + 1 + p.f.text(at, y+1, p.f.W-at, t.Label, Style{Role: Axis})
	}
}

func (p *drawing) xTicks() []tick {
	n := max(2, p.w/(LabelWidth+3))
	switch {
	case p.chart.Duration:
		return timeTicks(p.view, n)
	case !p.chart.XLog:
		return Scale{}.ticks(p.view, n)
	}
	ticks := Scale{Kind: Log10}.ticks(Range{math.Pow(10, p.view.Lo), math.Pow(10, p.view.Hi)}, n)
	for i := range ticks {
		ticks[i].Value = math.Log10(ticks[i].Value)
	}
	return ticks
}
