package plot

import "drolab/tui/cell"

// Sizes below which a chart drops its y labels and its x axis.
const (
	gutter   = LabelWidth + 1
	leastW   = gutter + 12
	leastH   = 5
	axisRows = 2
)

// DrawTo draws the chart in w by h cells into f, reusing its memory, and what f keeps of the same lines
// from the last time.
func (c *Chart) DrawTo(f *Frame, w, h int) Report {
	p, ok := c.panel(f, w, h)
	if !ok {
		return p.report
	}
	p.refs()
	p.markers()
	p.bands()
	p.lines()
	p.spots()
	p.alerts()
	p.labels()
	p.axes()
	return p.report
}

// panel blanks f and lays the plot area out in it; ok is false where there is
// none.
func (c *Chart) panel(f *Frame, w, h int) (p *panel, ok bool) {
	f.Resize(w, h)
	p = &panel{chart: c, f: f, w: f.W, h: f.H, view: c.X.usable(Scale{}), y: c.YScale.over(c.Y)}
	if !c.Bare && p.w >= leastW {
		p.x0, p.w = gutter, p.w-gutter
	}
	if !c.Bare && p.h >= leastH {
		p.h -= axisRows
	}
	return p, p.w > 0 && p.h > 0
}

// axes draws what surrounds the plot area, last, and makes an ASCII frame one.
func (p *panel) axes() {
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

// panel is one drawing under way: the plot area is w by h cells at column x0
// and row 0 of f.
type panel struct {
	chart  *Chart
	f      *Frame
	x0     int
	w, h   int
	view   Range
	y      mapping
	report Report

	drawn  int // lines so far
	dots   *dots
	alert  []place
	shaded []BandPoint
}

type place struct{ x, y int }

// fine is the number of pixels of a cell, across and up.
func (p *panel) fine() (x, y int) {
	if p.chart.Charset == Braille {
		return 2, 4
	}
	return 1, 1
}

// row is the frame row of a value.
func (p *panel) row(v float64) (y int, inside bool) {
	_, fy := p.fine()
	px, outside, ok := p.y.pixel(v, p.h*fy)
	return p.h - 1 - px/fy, ok && !outside
}

// column is the plot column of an x.
func (p *panel) column(x float64) (col int, inside bool) {
	if !p.view.Contains(x) {
		return 0, false
	}
	return min(int((x-p.view.Lo)/(p.view.Hi-p.view.Lo)*float64(p.w)), p.w-1), true
}

func (p *panel) refs() {
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

func (p *panel) markers() {
	for _, m := range p.chart.Markers {
		x, ok := p.column(m.X)
		for y := 0; ok && y < p.h; y++ {
			p.f.set(p.x0+x, y, p.chart.Charset.rune('┊'), Style{Role: Mark})
		}
	}
}

// bands draws shades first, so that no shade covers another band's mean.
func (p *panel) bands() {
	for i := range p.chart.Bands {
		b := &p.chart.Bands[i]
		p.shaded = b.PointsTo(p.shaded[:0], p.view, p.w)
		for x, q := range p.shaded {
			p.shade(x, q, Style{Shade, b.Number})
		}
	}
	fx, _ := p.fine()
	for i := range p.chart.Bands {
		b := &p.chart.Bands[i]
		p.shaded = b.PointsTo(p.shaded[:0], p.view, p.w*fx)
		k := p.next()
		k.series = nil
		bandColumns(&k.cols, p.shaded)
		p.line(k, Style{Data, b.Number}, p.chart.override(b.Number, 0))
	}
}

func (p *panel) shade(x int, q BandPoint, s Style) {
	if q.N < 2 {
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
	for y := top; y <= bottom; y++ {
		p.f.set(p.x0+x, y, p.chart.Charset.rune('░'), s)
	}
}

func (p *panel) lines() {
	fx, _ := p.fine()
	for _, faint := range [...]bool{true, false} {
		for i := range p.chart.Lines {
			l := &p.chart.Lines[i]
			if l.Faint != faint {
				continue
			}
			k := p.next()
			k.sample(l.Series, p.view, p.w*fx, l.MapX)
			p.line(k, l.style(), p.chart.override(l.Number, l.Glyph))
		}
	}
	if p.dots != nil {
		p.dots.paint(p.f, p.x0, 0)
	}
}

// next is what the frame keeps of the next line.
func (p *panel) next() *kept {
	if p.drawn == len(p.f.kept) {
		p.f.kept = append(p.f.kept, new(kept))
	}
	p.drawn++
	return p.f.kept[p.drawn-1]
}

// line draws the sampled columns.
func (p *panel) line(k *kept, s Style, glyph rune) {
	fx, fy := p.fine()
	tracer{p.y, p.h * fy, &p.report}.run(&k.trace, &k.cols)
	for i, x := range k.trace.bad {
		y := 0
		if r := k.trace.badRow[i]; r >= 0 {
			y = p.h - 1 - r/fy
		}
		p.alert = append(p.alert, place{x / fx, y})
	}
	if p.chart.Charset == Braille {
		if p.dots == nil {
			p.dots = newDots(p.w, p.h)
		}
		p.dots.line(&k.trace, s)
		return
	}
	p.box(k.box(p.h), s, glyph)
}

// box paints the arms of a grid.
func (p *panel) box(grid []uint8, s Style, glyph rune) {
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
func (p *panel) spots() {
	for _, s := range p.chart.Spots {
		x, inView := p.column(s.X)
		if y, ok := p.row(s.Y); ok && inView {
			p.f.set(p.x0+x, y, spotRune, Style{Data, s.Number})
		}
	}
}

// alerts marks divergence over everything else.
func (p *panel) alerts() {
	for _, a := range p.alert {
		p.f.set(p.x0+a.x, a.y, p.chart.Charset.alert(), Style{Role: Alert})
	}
}

// labels names references at their right end, where no line is drawn, and
// markers on top.
func (p *panel) labels() {
	for _, ref := range p.chart.Refs {
		y, ok := p.row(ref.Y)
		name := cell.Cut(p.chart.Charset.spell(ref.Name), p.w/3)
		n := cell.Width(name)
		if ok && n > 0 && p.free(p.w-n, y, n) {
			p.f.textRight(p.x0, y, p.w, name, Style{Role: Ref})
		}
	}
	for _, m := range p.chart.Markers {
		if x, ok := p.column(m.X); ok && m.Letter != 0 {
			p.f.set(p.x0+x, 0, p.chart.letter(m.Letter), Style{Role: Mark})
		}
	}
}

// free reports whether n cells from plot column x hold no data.
func (p *panel) free(x, y, n int) bool {
	for i := x; i < x+n; i++ {
		if r := p.f.Cells[y*p.f.W+p.x0+i].Style.Role; r == Data || r == Faint || r == Alert {
			return false
		}
	}
	return true
}

func (p *panel) yAxis() {
	for y := range p.h {
		p.f.set(p.x0-1, y, p.chart.Charset.rune('│'), Style{Role: Axis})
	}
	last := -1
	ticks := p.y.scale.Ticks(p.chart.Y, max(2, (p.h+1)/3))
	for i := len(ticks) - 1; i >= 0; i-- {
		y, ok := p.row(ticks[i].Value)
		if !ok || y == last {
			continue
		}
		last = y
		p.f.set(p.x0-1, y, p.chart.Charset.rune('┤'), Style{Role: Axis})
		p.f.textRight(0, y, LabelWidth, ticks[i].Label, Style{Role: Axis})
	}
}

// xAxis draws the line under the plot and the labels centred below their
// ticks, leaving out a label that would touch the one before.
func (p *panel) xAxis() {
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

func (p *panel) xTicks() []Tick {
	n := max(1, p.w/(LabelWidth+3))
	if p.chart.Duration {
		return timeTicks(p.view, n)
	}
	return Scale{}.Ticks(p.view, n)
}
