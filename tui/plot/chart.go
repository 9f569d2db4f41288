package plot

import (
	"cmp"
	"math"
	"slices"

	"drolab/tui/cell"
)

// Charset is the set of runes a chart is drawn with.
type Charset uint8

const (
	Lines   Charset = iota // asciigraph's box-drawing lines
	Braille                // 2x4 dots a cell, for dense panels
	ASCII                  // 7 bits only, for terminals without UTF-8
)

// Line is one series in a chart, or a band: the mean of several seeds with an interval around it.
type Line struct {
	Name   string    // name in the caller's lists and at the end of the line
	Briefs []string  // shorter forms of the name, the longest first
	Seeds  []*Series // without one, or if the only one is nil, nothing is drawn
	// Half returns the half width of the interval of n ≥ 2 seeds, in standard errors of their mean;
	// nil draws no interval.
	Half   func(n int) float64
	Number uint8 // series number of its style
	Faint  bool  // raw data under a smoothed line; drawn before the others
	Back   bool  // dimmed, and drawn before the lines in front
	// Glyph tells the line from others where colour does not; 0 for none. It replaces the line
	// runes, and stands here and there on a line of dots. In ASCII with several lines, a missing
	// one is chosen by Number.
	Glyph rune
	// MapX maps an x of the series to an x of the chart and never decreases; nil is the identity.
	// For a chart over elapsed time it is the At method of the series of elapsed time over steps.
	MapX func(float64) float64
}

// RefLine is a horizontal reference line, such as a bound of the box of (λ, η) or a baseline. It is
// drawn if it lies within the y range.
type RefLine struct {
	Name string // drawn at its right end
	Y    float64
}

// Marker is a vertical line at an event: a resume, a drop of the learning
// rate, a live change.
type Marker struct {
	X      float64
	Letter rune // drawn at its top, if it takes one cell; 0 for none
}

// Spot is a point on a line that stands out. A chart draws it as a letter that is not the mark of
// any line.
type Spot struct {
	X, Y   float64
	Number uint8 // series number of its style
}

// spotRune is the letter that a chart draws a spot as.
const spotRune = 'S'

// Chart is a line chart. The caller keeps the ranges: FitY and GrowX return those for the next
// frame.
type Chart struct {
	X        Range
	Y        Range
	YScale   Scale
	Duration bool // x is in seconds; its ticks are round durations
	Charset  Charset
	Lines    []Line
	Refs     []RefLine
	Markers  []Marker
	Spots    []Spot
	Ends     bool // mark, name and value stand at the right end of every line
	Percent  bool // values are parts of 1, and labels are times 100: see FitY
	XLog     bool // x is the decimal logarithm of the values at its ticks
	Gutter   int  // width of the y labels, in cells; 0 means LabelWidth
	Cross    Cross
}

// Report counts what a chart could not show as a line, over all its lines, for
// a note beside it.
type Report struct {
	NonFinite   int // NaN and infinite values in view
	NonPositive int // values <= 0 on a logarithmic axis
}

// DataY returns the range of the y values of lines and bands in view; on a logarithmic scale, of
// positive values only. It is empty without data.
func (c *Chart) DataY() Range {
	const n = 256
	view, r := c.X.usable(Scale{}), EmptyRange()
	var cols columns
	shades := EmptyRange()
	for i := range c.Lines {
		l := &c.Lines[i]
		switch s := l.series(); {
		case l.band():
			for _, p := range l.Points(view, n) {
				r = r.addValue(p.Mean, c.YScale)
				shades = shades.addValue(p.Lo, c.YScale).addValue(p.Hi, c.YScale)
			}
		case s.within(view, l.MapX):
			r = r.addBucket(s.total(), c.YScale)
		default:
			s.sample(&cols, view, n, l.MapX)
			for j := range cols.cols {
				r = r.addBucket(&cols.cols[j], c.YScale)
			}
			// Zooming between two points still shows the line.
			if r.empty() && cols.before.ok && cols.after.ok {
				r = r.addValue(cols.before.y, c.YScale).addValue(cols.after.y, c.YScale)
			}
		}
	}
	return r.reach(shades, c.YScale)
}

// reach returns r with as much of the shades of bands as leaves half of the axis to the lines.
// Intervals of two or three seeds are often many times as wide as the differences between the
// means.
func (r Range) reach(shades Range, s Scale) Range {
	if r.empty() || shades.empty() {
		return r
	}
	lines := r.usable(s)
	slack := s.span(lines) / 2
	lo, hi := s.backward(s.forward(lines.Lo)-slack), s.backward(s.forward(lines.Hi)+slack)
	return r.Add(max(lo, min(shades.Lo, r.Lo))).Add(min(hi, max(shades.Hi, r.Hi)))
}

func (r Range) addBucket(b *Bucket, s Scale) Range {
	if b.N == 0 {
		return r
	}
	return r.addValue(b.Min, s).addValue(b.MinPos, s).addValue(b.Max, s)
}

func (r Range) addValue(v float64, s Scale) Range {
	if s.Kind == Log10 && v <= 0 {
		return r
	}
	return r.Add(v)
}

// FitY returns the y range for the next frame, from the last range and the data. With Percent it
// stays within 0..1 if any data lie there: an interval over seeds may reach beyond.
func (c *Chart) FitY() Range {
	data, bounds := c.DataY(), Range{0, 1}
	if inside := data.clip(bounds); c.Percent && !inside.empty() {
		return c.Y.Fit(inside, c.YScale).clip(bounds)
	}
	return c.Y.Fit(data, c.YScale)
}

// band reports whether a line is the mean of several seeds.
func (l *Line) band() bool { return len(l.Seeds) > 1 }

// series returns the series of a line that is no band; nil for none.
func (l *Line) series() *Series {
	if len(l.Seeds) == 1 {
		return l.Seeds[0]
	}
	return nil
}

// sample fills c with the line in n columns of the view.
func (l *Line) sample(c *columns, view Range, n int) {
	if l.band() {
		bandColumns(c, l.Points(view, n))
	} else {
		l.series().sample(c, view, n, l.MapX)
	}
}

// style returns the style of a line, whose role says how far in front it is: Faint for raw data,
// then Back, then Data.
func (l *Line) style() Style {
	if l.Faint {
		return Style{Faint, l.Number}
	}
	return lineStyle(l.Number, l.Back)
}

// lineStyle returns the style of a series' line, in the back or in front.
func lineStyle(number uint8, back bool) Style {
	if back {
		return Style{Back, number}
	}
	return Style{Data, number}
}

// override returns the glyph that replaces the runes of a line; 0 for none.
func (c *Chart) override(number uint8, own rune) rune {
	switch {
	case c.Charset == ASCII && own > ' ' && own < 0x7f, c.Charset != ASCII && drawable(own):
		return own
	case c.Charset == ASCII && len(c.Lines) > 1:
		return cell.Mark(int(number), true)
	}
	return 0
}

// drawable reports whether a rune is visible and takes one cell.
func drawable(r rune) bool { return r > ' ' && !cell.Steers(r) && cell.RuneWidth(r) == 1 }

// pick returns a rune or, in ASCII, another one. It is for runes whose usual stand-in is the mark
// of a series: a value that is not finite, an optimum, the start of a path.
func (cs Charset) pick(r, ascii rune) rune {
	if cs == ASCII {
		return ascii
	}
	return r
}

// spell writes s in 7-bit characters where the charset has no others.
func (cs Charset) spell(s string) string {
	if cs == ASCII {
		return cell.Spell(s)
	}
	return s
}

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

	dots  *dots
	beads []bead
	alert []place
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
					p.addBeads(&p.f.trace, l.style(), glyph)
				}
			}
		}
	}
	if p.dots != nil {
		p.dots.paint(p.f, p.x0)
	}
	for _, b := range p.beads {
		p.f.set(p.x0+b.x, b.y, b.glyph, b.Style)
	}
}

// marked reports whether the lines carry their marks: from two on, colour alone would tell them
// apart to some eyes only.
func (c *Chart) marked() bool { return len(c.names()) > 1 }

// mark returns the mark of a series.
func (c *Chart) mark(number uint8) rune { return cell.Mark(int(number), c.Charset == ASCII) }

// bead is a glyph on a line.
type bead struct {
	place
	glyph rune
	Style
}

// addBeads puts beads on a line, far enough apart that its course is seen between them. The beads
// of different series are in different columns, so that lines on each other show their glyphs in
// turn.
func (p *drawing) addBeads(t *trace, s Style, glyph rune) {
	const apart = 16
	fx, fy := p.cellPixels()
	shift := int(s.Series)/cell.Marks + int(s.Series)%cell.Marks
	for x := 5 * (shift + 1) % apart; x < p.w; x += apart {
		if at := &t.spans[x*fx]; at.on {
			p.beads = append(p.beads, bead{place{x, p.h - 1 - at.last/fy}, glyph, s})
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
		p.f.set(p.x0+a.x, a.y, p.chart.Charset.pick('×', 'X'), Style{Role: Alert})
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
		return slices.Contains([]Role{Data, Back, Faint, Alert}, c.Style.Role)
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
