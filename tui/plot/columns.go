package plot

import (
	"math"
	"slices"
	"sort"
)

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
