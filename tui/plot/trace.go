package plot

import "slices"

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
