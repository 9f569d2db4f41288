package plot

import (
	"cmp"
	"math"
	"slices"

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
	p, ok := c.newDrawing(f, w, h)
	if !ok {
		return p.report
	}
	p.refs()
	for _, m := range c.Markers {
		p.vertical(m.X, '┊', Mark)
	}
	if c.Cross.On {
		p.vertical(c.Cross.X, '│', Hair)
	}
	p.shades()
	p.lines()
	for _, s := range c.Spots {
		p.spot(s, spotRune)
	}
	p.alerts()
	p.drawEnds()
	p.labels()
	p.axes()
	return p.report
}

// newDrawing blanks f and lays out the plot area in it; ok is false if there is no room for one.
func (c *Chart) newDrawing(f *Frame, w, h int) (p *drawing, ok bool) {
	f.resize(w, h)
	p, ok = c.place(f.W, f.H)
	p.f = f
	return p, ok
}

// place lays out the plot area in w by h cells.
func (c *Chart) place(w, h int) (p *drawing, ok bool) {
	p = &drawing{chart: c, w: w, h: h, view: c.X.usable(Scale{}), y: c.YScale.mapping(c.Y)}
	if gutter := cmp.Or(c.Gutter, LabelWidth) + 1; p.w >= gutter+leastW {
		p.x0, p.w = gutter, p.w-gutter
	}
	if p.h >= leastH {
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
	p.f.finish(p.chart.Charset)
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

	dots       *dots
	lineGlyphs []lineGlyph
	alert      []place
}

type place struct{ x, y int }

// cellPixels is the number of pixels of a cell, across and up.
func (p *drawing) cellPixels() (x, y int) {
	if p.chart.Charset == Braille {
		return 2, 4
	}
	return 1, 1
}

// row returns the frame row of a value, and whether the value lies in the y range.
func (p *drawing) row(v float64) (y int, inside bool) {
	_, fy := p.cellPixels()
	px, outside, ok := p.y.pixel(v, p.h*fy)
	return p.h - 1 - px/fy, ok && !outside
}

func (p *drawing) refs() {
	step := 1
	if p.chart.Charset == ASCII { // its stand-in is a dash, and no dots
		step = 2
	}
	for _, ref := range p.chart.Refs {
		y, ok := p.row(ref.Y)
		for x := 0; ok && x < p.w; x += step {
			p.f.set(p.x0+x, y, '┈', Style{Role: Ref})
		}
	}
}

// vertical draws a line from the top to the bottom, if its x is in view.
func (p *drawing) vertical(x float64, r rune, role Role) {
	col, ok := p.view.column(x, p.w)
	for y := 0; ok && y < p.h; y++ {
		p.f.set(p.x0+col, y, r, Style{Role: role})
	}
}

// shades draws the shades of the bands in front, before any line, so that none covers a line. A
// single band is filled. Of several bands only the edges are drawn, since overlapping fills cannot
// be told apart.
func (p *drawing) shades() {
	var front []*Line
	for i := range p.chart.Lines {
		if l := &p.chart.Lines[i]; l.band() && !l.Back {
			front = append(front, l)
		}
	}
	for _, l := range front {
		for x, q := range l.Points(p.view, p.w) {
			p.shade(x, q, Style{Shade, l.Number}, len(front) == 1)
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
		p.f.set(p.x0+x, y, '░', s)
	}
}

// edge draws one cell of the edge of a shade, if it is in view.
func (p *drawing) edge(x int, v float64, s Style) {
	if y, ok := p.row(v); ok {
		p.f.set(p.x0+x, y, '·', s)
	}
}

// lines draws the raw data, then the lines in the back, then the lines in front.
func (p *drawing) lines() {
	c := p.chart
	fx, _ := p.cellPixels()
	for _, role := range [...]Role{Faint, Back, Data} {
		for i := range c.Lines {
			if l := &c.Lines[i]; l.style().Role == role {
				l.sample(&p.f.cols, p.view, p.w*fx)
				glyph := c.override(l.Number, l.Glyph)
				p.line(l.style(), glyph)
				if glyph == 0 && c.marked() {
					glyph = c.mark(l.Number)
				}
				if glyph != 0 && role != Faint {
					p.addLineGlyphs(&p.f.trace, l.style(), glyph)
				}
			}
		}
	}
	if p.dots != nil {
		p.dots.paint(p.f, p.x0)
	}
	for _, b := range p.lineGlyphs {
		p.f.set(p.x0+b.x, b.y, b.glyph, b.Style)
	}
}

// addLineGlyphs puts glyphs on a line, far enough apart that its course is seen between them. The
// glyphs of different series are in different columns, so that lines on each other show their
// glyphs in turn. A variant has its number behind them.
func (p *drawing) addLineGlyphs(t *trace, s Style, glyph rune) {
	const apart = 16
	fx, fy := p.cellPixels()
	shift, cells := int(s.Series)/cell.Marks+int(s.Series)%cell.Marks, p.chart.markCells()-1
	for x := 5 * (shift + 1) % apart * cells; x < p.w; x += apart * cells {
		if at := &t.spans[x*fx]; at.on {
			y := p.h - 1 - at.last/fy
			p.lineGlyphs = append(p.lineGlyphs, lineGlyph{place{x, y}, glyph, s})
			if n := p.chart.variant(s.Series); n != 0 && x+1 < p.w {
				p.lineGlyphs = append(p.lineGlyphs, lineGlyph{place{x + 1, y}, n, s})
			}
		}
	}
}

// line draws the line of the sampled columns.
func (p *drawing) line(s Style, glyph rune) {
	fx, fy := p.cellPixels()
	t := &p.f.trace
	tracer{p.y, p.h * fy, &p.report}.run(t, &p.f.cols)
	for _, b := range t.bad {
		y := 0
		if b.y >= 0 {
			y = p.h - 1 - b.y/fy
		}
		p.alert = append(p.alert, place{b.x / fx, y})
	}
	if p.chart.Charset == Braille {
		if p.dots == nil {
			p.dots = newDots(p.w, p.h)
		}
		p.dots.line(t, s)
		return
	}
	grid, runes := make([]uint8, len(t.spans)*p.h), boxRunes()
	boxLine(grid, t.spans, p.h)
	for i, a := range grid {
		if a != 0 {
			p.f.set(p.x0+i%p.w, i/p.w, cmp.Or(glyph, runes[a]), s)
		}
	}
}

// spot draws a rune at a place, over the lines, if it is in view.
func (p *drawing) spot(s Spot, r rune) {
	x, inView := p.view.column(s.X, p.w)
	if y, ok := p.row(s.Y); ok && inView {
		p.f.set(p.x0+x, y, r, Style{Data, s.Number})
	}
}

// alerts marks divergence over everything else.
func (p *drawing) alerts() {
	for _, a := range p.alert {
		p.f.set(p.x0+a.x, a.y, p.chart.Charset.sign(cell.NotFinite), Style{Role: Alert})
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
		if x, ok := p.view.column(m.X, p.w); ok && drawable(m.Letter) {
			p.f.set(p.x0+x, 0, m.Letter, Style{Role: Mark})
		}
	}
}

// free reports whether n cells from plot column x hold no data.
func (p *drawing) free(x, y, n int) bool {
	return !slices.ContainsFunc(p.f.Row(y)[p.x0+x:p.x0+x+n], func(c Cell) bool {
		return slices.Contains([]Role{Data, Back, Faint, Shade, Alert}, c.Style.Role)
	})
}

func (p *drawing) yAxis() {
	for y := range p.h {
		p.f.set(p.x0-1, y, '│', Style{Role: Axis})
	}
	last := -1
	ticks := p.chart.yTicks(p.h)
	for i := len(ticks) - 1; i >= 0; i-- {
		y, ok := p.row(ticks[i].Value)
		if !ok || y == last {
			continue
		}
		last = y
		p.f.set(p.x0-1, y, '┤', Style{Role: Axis})
		p.f.textRight(0, y, p.x0-1, ticks[i].Label, Style{Role: Axis})
	}
}

// xAxis draws the line under the plot and the labels centred below their
// ticks, leaving out a label that would touch the one before.
func (p *drawing) xAxis() {
	y := p.h
	for x := range p.w {
		p.f.set(p.x0+x, y, '─', Style{Role: Axis})
	}
	if p.x0 > 0 {
		p.f.set(p.x0-1, y, '└', Style{Role: Axis})
	}
	free := 0
	for _, t := range p.xTicks() {
		x, ok := p.view.column(t.Value, p.w)
		if !ok {
			continue
		}
		p.f.set(p.x0+x, y, '┬', Style{Role: Axis})
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
