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
	buckets    []Bucket
	most       int     // maximum number of buckets; 0 is MostBuckets
	per        uint32  // points a bucket may hold, a power of two; 0 is 1
	tail       []point // latest points, at most as many as buckets
	breakNext  bool
	reshaped   int    // number of times that buckets other than the last changed
	all        Bucket // every bucket merged; stale where allStale
	allStale   bool
	bandCaches []*bandCache // of the bands whose first seed it is
}

type point struct {
	x, y float64
	brk  bool
}

// Limit bounds the number of buckets and of latest points kept. most is even and at most
// MostBuckets; the series must be empty.
func (s *Series) Limit(most int) { s.most = most }

// capacity returns the maximum number of buckets, and of points in the tail.
func (s *Series) capacity() int { return cmp.Or(s.most, MostBuckets) }

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
		if len(s.buckets) < s.capacity() {
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
	s.bandCaches = nil // they hold single points
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
	if half := s.capacity() / 2; len(s.tail) == 2*half {
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

func finite(v float64) bool { return v-v == 0 }
