package plot

import (
	"cmp"
	"math"
	"slices"
	"sort"
)

// MostBuckets bounds a series' memory, unless Limit does: 8192 buckets are twenty for
// each column of a 400-column terminal. At least half as many of the latest points are
// kept exactly, for a close look at where a long run is now and for exact rewinds.
const MostBuckets = 1 << 13

// Series is a sequence of points (x, y) with x never decreasing; the zero value is an empty series.
// Append is amortised constant time. At most 8192 buckets and the latest 4097 to 8192 points are
// kept, about 1 MB however long the series. Up to 8192 points every bucket is one point; then, each
// time the buckets are full, neighbours merge and a bucket stands for twice as many points. Minima,
// maxima and breaks survive every merge; the place of a point within its bucket does not.
//
// A Series is not safe for concurrent use.
type Series struct {
	buckets   []Bucket
	most      int     // maximum number of buckets; 0 is MostBuckets
	per       uint32  // points a bucket may hold, a power of two; 0 is 1
	tail      []point // latest points, at most as many as buckets
	breakNext bool
	reshaped  int    // number of times that buckets other than the last changed
	all       Bucket // every bucket merged; stale where allStale
	allStale  bool
	cuts      []*cut // of the bands whose first seed it is
}

type point struct {
	x, y float64
	brk  bool
}

// Limit bounds the number of buckets and of latest points kept. most is even and at most
// MostBuckets; the series must be empty.
func (s *Series) Limit(most int) { s.most = most }

// room returns the maximum number of buckets, and of points in the tail.
func (s *Series) room() int { return cmp.Or(s.most, MostBuckets) }

// Append adds one point. A NaN or infinite y breaks the line and is counted in its bucket (charts
// mark it). A point whose x is not finite or smaller than the last one cannot be placed and is left
// out; after a resume call Rewind first.
func (s *Series) Append(x, y float64) {
	if !s.placeable(x) {
		return
	}
	brk := s.breakNext
	s.breakNext = !finite(y)
	s.pushTail(point{x, y, brk})
	b := pointBucket(x, y, brk)
	s.push(&b)
}

// AppendBucket adds a summary of points, as read from an index of a long run.
// The rules for x are those of Append; b is not split, so the finest
// resolution of that stretch is b itself.
func (s *Series) AppendBucket(b Bucket) {
	if b.count() == 0 || !(b.X0 <= b.X1) || !s.placeable(b.X0) || !s.placeable(b.X1) {
		return
	}
	b.Break = b.Break || s.breakNext
	s.breakNext = false
	s.tail = s.tail[:0]
	s.push(&b)
}

func (s *Series) placeable(x float64) bool {
	return finite(x) && (len(s.buckets) == 0 || x >= s.XRange().Hi)
}

func (s *Series) push(b *Bucket) {
	s.all.merge(b)
	for {
		if n := len(s.buckets); n > 0 && s.buckets[n-1].count()+b.count() <= max(s.per, 1) {
			s.buckets[n-1].merge(b)
			return
		}
		if len(s.buckets) < s.room() {
			s.buckets = append(s.buckets, *b)
			return
		}
		s.halve()
	}
}

// halve merges neighbouring buckets; two buckets of per points make one of
// 2*per.
func (s *Series) halve() {
	s.reshaped++
	s.cuts = nil // they hold single points
	n := len(s.buckets) / 2
	for i := range n {
		b := s.buckets[2*i]
		b.merge(&s.buckets[2*i+1])
		s.buckets[i] = b
	}
	s.buckets = s.buckets[:n]
	s.per = 2 * max(s.per, 1)
}

func (s *Series) pushTail(p point) {
	if half := s.room() / 2; len(s.tail) == 2*half {
		copy(s.tail, s.tail[half:])
		s.tail = s.tail[:half]
	}
	s.tail = append(s.tail, p)
}

// interrupt interrupts the line before the next point, as at a resume.
func (s *Series) interrupt() { s.breakNext = true }

// Rewind discards the points with an x above the given one and breaks the line
// there: what a resume from a checkpoint does to the log. It is exact within
// the latest 4096 points; further back the bucket that contains x is kept
// whole, cut to end at x.
func (s *Series) Rewind(x float64) {
	end := sort.Search(len(s.tail), func(i int) bool { return s.tail[i].x > x })
	keep := sort.Search(len(s.buckets), func(i int) bool { return s.buckets[i].X1 > x })
	if keep < len(s.buckets) {
		s.cut(keep, x, end)
	}
	s.tail = s.tail[:end]
	s.interrupt()
}

// cut drops the buckets from i on, rebuilding the one that contains x from the tail up to end when
// the tail reaches back far enough.
func (s *Series) cut(i int, x float64, end int) {
	b, points, all := s.buckets[i], 0, s.Len()
	for j := range s.buckets[i:] {
		points += int(s.buckets[i+j].count())
	}
	s.reshaped++
	s.buckets, s.allStale = s.buckets[:i], true
	switch {
	case b.X0 > x:
		return
	case len(s.tail) == 0, s.tail[0].x >= b.X0 && len(s.tail) < all:
		b.X1 = x
		s.buckets = append(s.buckets, b)
		return
	}
	// Equal x may lie in several buckets: count back from the end instead of searching for b.X0.
	var r Bucket
	for _, p := range s.tail[max(0, len(s.tail)-points):end] {
		q := pointBucket(p.x, p.y, p.brk)
		r.merge(&q)
	}
	if r.count() > 0 {
		s.buckets = append(s.buckets, r)
	}
}

// Buckets returns a copy of the buckets, oldest first. A bucket is one point in a series of up to
// 8192 points, and more in longer ones.
func (s *Series) Buckets() []Bucket { return slices.Clone(s.buckets) }

// Len is the number of points appended and not rewound.
func (s *Series) Len() int { return int(s.total().count()) }

// XRange returns the range of x; empty for an empty series.
func (s *Series) XRange() Range {
	if len(s.buckets) == 0 {
		return EmptyRange()
	}
	return Range{s.buckets[0].X0, s.buckets[len(s.buckets)-1].X1}
}

// total returns all points as one bucket.
func (s *Series) total() *Bucket {
	if s.allStale {
		s.all, s.allStale = Bucket{}, false
		for i := range s.buckets {
			s.all.merge(&s.buckets[i])
		}
	}
	return &s.all
}

// At returns the value at x, by linear interpolation between the first and last points of buckets;
// NaN outside the series and across a break. It serves to read the value at a cursor, and to map
// steps to seconds if the series holds elapsed time over steps.
func (s *Series) At(x float64) float64 {
	i := sort.Search(len(s.buckets), func(i int) bool { return s.buckets[i].X1 >= x })
	if i == len(s.buckets) || s.buckets[i].N == 0 {
		return math.NaN()
	}
	b := &s.buckets[i]
	switch {
	case x >= b.X1:
		return b.Last
	case x >= b.X0:
		return lerp(b.First, b.Last, (x-b.X0)/(b.X1-b.X0))
	case i == 0 || b.Break || s.buckets[i-1].N == 0:
		return math.NaN()
	}
	a := &s.buckets[i-1]
	return lerp(a.Last, b.First, (x-a.X1)/(b.X0-a.X1))
}

// lerp returns a + t(b - a) without the overflow of b - a.
func lerp(a, b, t float64) float64 { return a*(1-t) + b*t }

// Bucket summarises consecutive points of a series so that no spike is lost:
// the M4 aggregation (Jugel et al., VLDB 2014) of first, last, minimum and
// maximum, plus what logarithmic scales and smoothing need.
type Bucket struct {
	X0, X1      float64 // x of the first and the last point, non-finite y included
	First, Last float64 // of the finite y; the y fields mean nothing when N is 0
	Min, Max    float64
	MinPos      float64 // smallest y > 0, +Inf when there is none
	Mean        float64
	N           uint32 // points with a finite y
	Bad         uint32 // points with a NaN or infinite y
	NonPos      uint32 // finite points with y <= 0
	Break       bool   // the line is interrupted at or within this bucket
}

func pointBucket(x, y float64, brk bool) Bucket {
	b := Bucket{X0: x, X1: x, MinPos: math.Inf(1), Break: brk}
	if !finite(y) {
		b.Bad, b.Break = 1, true
		return b
	}
	b.First, b.Last, b.Min, b.Max, b.Mean, b.N = y, y, y, y, y, 1
	if y > 0 {
		b.MinPos = y
	} else {
		b.NonPos = 1
	}
	return b
}

// count returns the number of points in b.
func (b *Bucket) count() uint32 { return b.N + b.Bad }

// merge appends the points of c, which follow those of b. The mean is a
// weighted sum, never a sum of values, because values near the largest float64
// would overflow.
func (b *Bucket) merge(c *Bucket) {
	if b.count() == 0 {
		*b = *c
		return
	}
	b.X1 = c.X1
	b.Break = b.Break || c.Break
	b.Bad += c.Bad
	b.NonPos += c.NonPos
	switch {
	case c.N == 0:
		return
	case b.N == 0:
		b.First, b.Last, b.Min, b.Max, b.Mean = c.First, c.Last, c.Min, c.Max, c.Mean
	default:
		n := float64(b.N) + float64(c.N)
		b.Mean = b.Mean*(float64(b.N)/n) + c.Mean*(float64(c.N)/n)
		b.Last = c.Last
		b.Min = min(b.Min, c.Min)
		b.Max = max(b.Max, c.Max)
	}
	b.MinPos = min(b.MinPos, c.MinPos)
	b.N += c.N
}

func finite(v float64) bool { return v-v == 0 }

// Smoother is an incremental filter. Push takes the next n points, given by their mean y (n is 1
// for a single point), and returns the smoothed value there. A y that is not finite gives NaN and
// leaves the state alone. Reset forgets everything, as at a break.
type Smoother interface {
	Push(y float64, n int) float64
	Reset()
}

// EMA is the exponential moving average s <- Beta s + (1-Beta) y, divided by
// 1 - Beta^t to remove the bias of starting from 0 (Adam's correction). Beta
// is in [0, 1); 0 copies its input.
type EMA struct {
	Beta   float64
	sum    float64
	weight float64 // 1 - Beta^t
}

// Push implements Smoother. n equal points decay the past by Beta^n.
func (e *EMA) Push(y float64, n int) float64 {
	if !finite(y) {
		return math.NaN()
	}
	decay := math.Pow(min(max(e.Beta, 0), 1-1e-9), float64(max(n, 1)))
	e.sum = lerp(y, e.sum, decay)
	e.weight = lerp(1, e.weight, decay)
	return e.sum / e.weight
}

// Reset implements Smoother.
func (e *EMA) Reset() { e.sum, e.weight = 0, 0 }

// windowSize is the width of the moving average of the paper's curves (math.md §6).
const windowSize = 5

// Window is the mean of the latest five points, as in the paper's figures;
// fewer at the start.
type Window struct {
	last [windowSize]float64
	n    int
}

// Push implements Smoother. n beyond five fills the window.
func (w *Window) Push(y float64, n int) float64 {
	if !finite(y) {
		return math.NaN()
	}
	for range min(max(n, 1), windowSize) {
		w.last[w.n%windowSize] = y
		w.n++
	}
	// The sum is taken afresh: a running one drifts, and five terms are cheap.
	k := min(w.n, windowSize)
	mean := 0.0
	for _, v := range w.last[:k] {
		mean += v / float64(k)
	}
	return mean
}

// Reset implements Smoother.
func (w *Window) Reset() { w.n = 0 }

// Smooth returns a series of src filtered by f from the start, one point per
// bucket at its end. It costs the size of the buckets, not of the run, so a
// key may change the smoothing at any time; past 8192 points it filters bucket
// means. While a run grows, push new points through the same f instead.
func Smooth(src *Series, f Smoother) *Series {
	f.Reset()
	dst := &Series{most: src.most}
	bad := false // the line broke at a value, which does not reset f
	for i := range src.buckets {
		b := &src.buckets[i]
		if b.Break {
			dst.interrupt()
			if b.Bad == 0 && !bad {
				f.Reset()
			}
		}
		bad = b.Bad > 0
		if b.N == 0 {
			dst.Append(b.X1, math.NaN())
			continue
		}
		dst.Append(b.X1, f.Push(b.Mean, int(b.N)))
	}
	return dst
}
