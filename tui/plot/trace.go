package plot

import (
	"math"
	"slices"
	"sort"
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
	spans  []span
	bad    []int // columns in which a run of non-finite values begins
	badRow []int // the pixel of the line there, -1 when there is none yet
}

// tracer turns columns into pixels of a panel h high, and counts the points that it cannot show.
type tracer struct {
	y      mapping
	h      int
	report *Report
}

// run fills t from c.
func (tr tracer) run(t *trace, c *columns) {
	t.reset(len(c.cols))
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

func (t *trace) reset(n int) {
	t.spans = slices.Grow(t.spans[:0], n)[:n]
	clear(t.spans)
	t.bad, t.badRow = t.bad[:0], t.badRow[:0]
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
	t.bad, t.badRow = append(t.bad, i), append(t.badRow, row)
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
	for i := range c.cols {
		if c.cols[i].count() > 0 { // only values that cannot be shown
			return
		}
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
	if t := s.tail; s.tailCovers(view, mapX) {
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

// tailCovers reports whether the exact latest points show more of a view than the buckets.
func (s *Series) tailCovers(view Range, mapX func(float64) float64) bool {
	return s.per > 1 && len(s.tail) > 0 && mapX(s.tail[0].x) <= view.Lo
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
