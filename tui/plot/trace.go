package plot

import (
	"cmp"
	"math"
	"slices"
	"sort"
	"strings"

	"github.com/guptarohit/asciigraph"
)

// span is the part of a line in one column of pixels: it enters at first, covers lo..hi and leaves
// at last. Pixels count from the bottom.
type span struct {
	first, last, lo, hi int
	on                  bool // the line passes here
	brk                 bool // no line from the column before
	points              bool // points lie here; otherwise the line only passes
}

// trace is a series as pixels.
type trace struct {
	spans []span
	// bad has the columns in which a run of non-finite values begins, each with the pixel of the
	// line there, -1 when there is none yet.
	bad []place
}

// tracer turns columns into pixels of a panel h high, and counts the points that it cannot show.
type tracer struct {
	y      mapping
	h      int
	report *Report
}

// run fills t from c.
func (tr tracer) run(t *trace, c *columns) {
	n := len(c.cols)
	t.spans, t.bad = slices.Grow(t.spans[:0], n)[:n], t.bad[:0]
	clear(t.spans)
	prev := -1          // latest column with points
	brk := c.before.brk // the line is interrupted since then
	wasBad := false
	for i := range c.cols {
		b := &c.cols[i]
		if b.count() == 0 {
			continue
		}
		s, ok := tr.column(b)
		brk = brk || b.Break || (b.NonPos > 0 && tr.y.scale.Kind == Log10)
		if b.Bad > 0 && !wasBad {
			t.mark(i, prev, s, ok)
		}
		wasBad = b.Bad > 0
		if !ok {
			brk = true
			continue
		}
		s.brk = brk
		t.spans[i] = s
		tr.join(t, c, prev, i)
		prev, brk = i, b.Bad > 0 && b.N == 0
	}
	tr.leave(t, c, prev)
}

// mark notes divergence in column i, beside the line as far as it is known.
func (t *trace) mark(i, prev int, s span, ok bool) {
	row := -1
	switch {
	case ok:
		row = s.last
	case prev >= 0:
		row = t.spans[prev].last
	}
	t.bad = append(t.bad, place{i, row})
}

// column maps the points of one column; ok is false where none can be shown.
func (tr tracer) column(b *Bucket) (s span, ok bool) {
	tr.report.NonFinite += int(b.Bad)
	if tr.y.scale.Kind == Log10 {
		tr.report.NonPositive += int(b.NonPos)
	}
	if b.N == 0 {
		return span{}, false
	}
	first, last, lo := b.First, b.Last, b.Min
	if tr.y.scale.Kind == Log10 && b.NonPos > 0 {
		first, last, lo = max(first, b.MinPos), max(last, b.MinPos), b.MinPos
	}
	s = span{on: true, points: true}
	s.first, _, ok = tr.y.pixel(first, tr.h)
	if !ok || b.Max <= 0 && tr.y.scale.Kind == Log10 {
		return span{}, false
	}
	s.last, _, _ = tr.y.pixel(last, tr.h)
	s.lo, _, _ = tr.y.pixel(lo, tr.h)
	s.hi, _, _ = tr.y.pixel(b.Max, tr.h)
	return s, true
}

// join draws the straight line through the empty columns between prev and i,
// or from the point left of the view. There is at least one column between
// the ends wherever it draws.
func (tr tracer) join(t *trace, c *columns, prev, i int) {
	if t.spans[i].brk {
		return
	}
	if prev < 0 {
		p, ok := tr.anchor(c.before)
		if !ok {
			t.spans[i].brk = true
			return
		}
		pass(t, c.before.pos, p, float64(i), t.spans[i].first, 0, i)
		return
	}
	pass(t, float64(prev), t.spans[prev].last, float64(i), t.spans[i].first, prev+1, i)
}

// leave continues the line from the last points to the point right of the view.
func (tr tracer) leave(t *trace, c *columns, prev int) {
	p, ok := tr.anchor(c.after)
	if !ok || c.after.brk {
		return
	}
	n := len(t.spans)
	if prev >= 0 {
		if c.cols[prev].Bad == 0 || c.cols[prev].N > 0 {
			pass(t, float64(prev), t.spans[prev].last, c.after.pos, p, prev+1, n)
		}
		return
	}
	q, ok := tr.anchor(c.before)
	if !ok || c.before.brk {
		return
	}
	if slices.ContainsFunc(c.cols, func(b Bucket) bool { return b.count() > 0 }) {
		return // only values that cannot be shown
	}
	pass(t, c.before.pos, q, c.after.pos, p, 0, n)
}

func (tr tracer) anchor(a anchor) (row int, ok bool) {
	if !a.ok {
		return 0, false
	}
	row, _, ok = tr.y.pixel(a.y, tr.h)
	return row, ok
}

// pass lays the line from (x0, r0) to (x1, r1), in columns and pixels, over the
// columns from..to-1.
func pass(t *trace, x0 float64, r0 int, x1 float64, r1, from, to int) {
	for i := from; i < to; i++ {
		r := int(lerp(float64(r0), float64(r1), (float64(i)-x0)/(x1-x0)) + 0.5)
		t.spans[i] = span{first: r, last: r, lo: r, hi: r, on: true}
	}
}

// columns is a series cut into the columns of a view.
type columns struct {
	cols   []Bucket // count 0 where no point lies
	before anchor   // the last point left of the view
	after  anchor   // the first point right of it
}

// anchor is a point outside the view, to which the line goes on.
type anchor struct {
	pos float64 // in columns, < 0 or >= len(cols)
	y   float64
	ok  bool
	brk bool // no line between the anchor and the next point to its right
}

// sample fills c with the points of s whose x, mapped by mapX, lies in view. s may be nil. mapX
// never decreases; nil is the identity. A point belongs to the column that contains it, a bucket to
// the column of its first point. With the bounds of Series that is exact up to 8192 points and for
// views within the tail, and within 1/8192 to 1/4096 of the whole series otherwise.
func (s *Series) sample(c *columns, view Range, n int, mapX func(float64) float64) {
	c.reset(n)
	if s == nil || len(s.buckets) == 0 {
		return
	}
	if mapX == nil {
		mapX = identity
	}
	p := placer{c: c, view: view, scale: float64(n) / (view.Hi - view.Lo), mapX: mapX}
	if t := s.tail; s.per > 1 && len(t) > 0 && mapX(t[0].x) <= view.Lo {
		// The exact latest points show more of the view than the buckets.
		from := sort.Search(len(t), func(i int) bool { return mapX(t[i].x) >= view.Lo })
		for _, q := range t[max(0, from-1):] {
			b := pointBucket(q.x, q.y, q.brk)
			if !p.add(&b) {
				break
			}
		}
		return
	}
	for i := s.firstIn(view, mapX); i < len(s.buckets); i++ {
		if !p.add(&s.buckets[i]) {
			break
		}
	}
}

// firstIn returns the last bucket that begins left of the view; 0 without one.
func (s *Series) firstIn(view Range, mapX func(float64) float64) int {
	b := s.buckets
	return max(0, sort.Search(len(b), func(i int) bool { return mapX(b[i].X0) >= view.Lo })-1)
}

func identity(x float64) float64 { return x }

// within reports whether every point lies in view.
func (s *Series) within(view Range, mapX func(float64) float64) bool {
	if s == nil || len(s.buckets) == 0 {
		return s != nil
	}
	x := s.XRange()
	if mapX != nil {
		x = Range{mapX(x.Lo), mapX(x.Hi)}
	}
	return x.Lo >= view.Lo && x.Hi <= view.Hi
}

func (c *columns) reset(n int) {
	c.cols = slices.Grow(c.cols[:0], n)[:n]
	clear(c.cols)
	c.before, c.after = anchor{}, anchor{}
}

// placer distributes buckets, which come in the order of x, over columns.
type placer struct {
	c     *columns
	view  Range
	scale float64 // columns per unit of x
	mapX  func(float64) float64
	last  int // the column in which points were placed last
}

// add places one bucket; false means that it and all later ones lie right of
// the view. A mapped x that is NaN has no place and breaks nothing.
func (p *placer) add(b *Bucket) bool {
	x := p.mapX(b.X0)
	pos := (x - p.view.Lo) * p.scale
	switch {
	case x > p.view.Hi:
		p.c.after = anchor{pos, b.First, b.N > 0, b.Break}
		return false
	case x < p.view.Lo:
		end := min((p.mapX(b.X1)-p.view.Lo)*p.scale, 0)
		p.c.before = anchor{end, b.Last, b.N > 0, b.Bad > 0 && b.N == 0}
	case !math.IsNaN(x):
		p.last = min(int(pos), len(p.c.cols)-1)
		p.c.cols[p.last].merge(b)
	}
	return true
}

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

// The default line style is asciigraph's. asciigraph panics on +Inf, on an empty series and on a
// huge range. It squeezes a constant series into one row, samples points (so that spikes vanish)
// and knows only the index as x. None of that can happen here. It is given one value for each
// column, which is already a pixel row, with the panel as its bounds, so that its own scaling is
// the identity. Axes and labels are drawn here. The vertical extents that one value for each column
// cannot show are added to its line afterwards.

// arms of a box-drawing rune, as bits.
const (
	left = 1 << iota
	right
	up
	down
)

// boxRunes returns the box-drawing runes, indexed by their arms.
func boxRunes() []rune { return []rune(" ╴╶─╵╯╰┴╷╮╭┬│┤├┼") }

// boxLine draws the spans as arms into grid, a row of cells for each of h rows of
// pixels, with row 0 at the top; the grid must be zero. Segments alternate between two
// series of asciigraph, because a single one cannot break between neighbouring columns.
func boxLine(grid []uint8, spans []span, h int) {
	w, runes := len(spans), boxRunes()
	lo, hi := extent(spans)
	if hi < lo {
		return
	}
	for i, line := range strings.Split(graph(split(spans, lo), hi-lo), "\n") {
		y := h - 1 - hi + i
		x := -1 // the first rune is asciigraph's axis
		for _, r := range line {
			if x >= 0 && x < w && y >= 0 && y < h {
				grid[y*w+x] |= uint8(max(0, slices.Index(runes, r))) // 0 for any other rune
			}
			x++
		}
	}
	for x, s := range spans {
		if s.on && s.points && s.hi > s.lo {
			extend(grid, w, h, x, s)
		}
	}
}

// extend adds the vertical extent of the points of a column.
func extend(grid []uint8, w, h, x int, s span) {
	for r := s.lo; r <= s.hi; r++ {
		if r > s.lo {
			grid[(h-1-r)*w+x] |= down
		}
		if r < s.hi {
			grid[(h-1-r)*w+x] |= up
		}
	}
}

// extent returns the range of pixel rows that the line crosses; hi < lo if there are none.
func extent(spans []span) (lo, hi int) {
	lo, hi = math.MaxInt, -1
	for _, s := range spans {
		if s.on {
			lo, hi = min(lo, s.first, s.last), max(hi, s.first, s.last)
		}
	}
	return lo, hi
}

// split returns the rows above base at the left edges of the columns, NaN where there is no line.
// The segments between breaks alternate between two series. A series has one value more than there
// are columns, because asciigraph draws from each value to the next.
func split(spans []span, base int) [][]float64 {
	n, turn, none := len(spans), 0, []float64{math.NaN()}
	values := [][]float64{slices.Repeat(none, n+1), slices.Repeat(none, n+1)}
	for i, s := range spans {
		if !s.on {
			continue
		}
		if s.brk {
			turn = 1 - turn
		}
		values[turn][i] = float64(s.first - base)
	}
	if n > 0 && spans[n-1].on {
		values[turn][n] = float64(spans[n-1].last - base)
	}
	return values
}

// graph draws values in 0..top, one row a unit.
func graph(values [][]float64, top int) string {
	return asciigraph.PlotMany(values, asciigraph.Height(max(top, 1)), asciigraph.LowerBound(0),
		asciigraph.UpperBound(float64(top)), asciigraph.Offset(1),
		asciigraph.YAxisValueFormatter(func(float64) string { return "" }))
}
