package plot

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// nasty returns a random value of the kinds that break charts.
func nasty(r *rand.Rand) float64 {
	switch r.IntN(14) {
	case 0:
		return math.NaN()
	case 1:
		return math.Inf(1 - 2*r.IntN(2))
	case 2:
		return 1e308 * float64(1-2*r.IntN(2))
	case 3:
		return 5e-324 * float64(r.IntN(3)-1)
	case 4:
		return math.MaxFloat64
	case 5:
		return 0
	case 6:
		return math.Copysign(0, -1)
	case 7:
		return math.Exp(200 * r.NormFloat64())
	}
	return r.NormFloat64()
}

// TestSeriesBuckets: every bucket summarises exactly its own points, whatever was merged.
func TestSeriesBuckets(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	for _, n := range []int{0, 1, 2, MostBuckets, MostBuckets + 1, 3*MostBuckets + 17, 100_000} {
		s, ys := new(Series), make([]float64, 0, n)
		for i := range n {
			y := r.NormFloat64()
			if r.IntN(50) == 0 {
				y = math.NaN()
			}
			ys = append(ys, y)
			s.Append(float64(i), y)
		}
		if n := len(s.buckets); n > MostBuckets {
			t.Fatalf("%d buckets, want at most %d", n, MostBuckets)
		}
		if n := len(s.tail); n > MostBuckets {
			t.Fatalf("%d points in the tail, want at most %d", n, MostBuckets)
		}
		at := 0
		for i := range s.buckets {
			b := s.buckets[i]
			part := ys[at : at+int(b.count())]
			checkBucket(t, b, at, part)
			at += len(part)
		}
		if at != n {
			t.Fatalf("the buckets hold %d points, want %d", at, n)
		}
		if s.Len() != n {
			t.Fatalf("Len() = %d, want %d", s.Len(), n)
		}
	}
}

func checkBucket(t *testing.T, b Bucket, at int, ys []float64) {
	t.Helper()
	lo, hi, sum := math.Inf(1), math.Inf(-1), 0.0
	n := 0
	for _, y := range ys {
		if finite(y) {
			lo, hi, sum, n = min(lo, y), max(hi, y), sum+y, n+1
		}
	}
	if first, last := float64(at), float64(at+len(ys)-1); b.X0 != first || b.X1 != last {
		t.Fatalf("bucket %+v reaches from %g to %g, want from %g to %g", b, b.X0, b.X1, first, last)
	}
	if int(b.N) != n || int(b.Bad) != len(ys)-n {
		t.Fatalf("bucket %+v has %d finite points and %d others, want %d and %d", b, b.N, b.Bad,
			n, len(ys)-n)
	}
	if n > 0 && (b.Min != lo || b.Max != hi || math.Abs(b.Mean-sum/float64(n)) > 1e-9) {
		t.Fatalf("bucket %+v: want min %v max %v mean %v", b, lo, hi, sum/float64(n))
	}
	if b.Bad > 0 && !b.Break {
		t.Fatalf("bucket %+v lost a break", b)
	}
}

func TestSeriesRejectsX(t *testing.T) {
	s := new(Series)
	s.Append(1, 1)
	s.Append(0.5, 2)
	s.Append(math.NaN(), 3)
	s.Append(math.Inf(1), 4)
	s.Append(1, 5)
	if s.Len() != 2 {
		t.Errorf("Len %d, want 2", s.Len())
	}
}

// TestRewindExact: a rewind within the tail leaves the same series as appending only the kept
// points.
func TestRewindExact(t *testing.T) {
	for _, n := range []int{10, MostBuckets - 1, 3*MostBuckets + 5, 50_000} {
		for _, back := range []int{0, 1, 7, 1000, MostBuckets/2 - 20} {
			keep := max(0, n-1-back)
			a, b := new(Series), new(Series)
			for i := range n {
				a.Append(float64(i), math.Sin(float64(i)))
				if i <= keep {
					b.Append(float64(i), math.Sin(float64(i)))
				}
			}
			a.Rewind(float64(keep))
			x, y, ok := a.Last()
			if want := math.Sin(float64(keep)); !ok || x != float64(keep) || y != want {
				t.Fatalf("n=%d back=%d: Last() = %v, %v, %v, want %d, %v, true", n, back, x, y, ok,
					keep, want)
			}
			if a.Len() != b.Len() {
				t.Errorf("n=%d back=%d: %d points left, want %d", n, back, a.Len(), b.Len())
			}
			if a.per == b.per && !slices.Equal(a.buckets, b.buckets) {
				t.Errorf("n=%d back=%d: buckets differ", n, back)
			}
			a.Append(float64(keep)+1, 0)
			if last := a.buckets[len(a.buckets)-1]; !last.Break {
				t.Errorf("n=%d back=%d: no break after the rewind", n, back)
			}
		}
	}
}

func TestRewindFar(t *testing.T) {
	s := new(Series)
	for i := range 100_000 {
		s.Append(float64(i), float64(i))
	}
	s.Rewind(1000.5)
	if r := s.XRange(); r.Hi != 1000.5 || r.Lo != 0 {
		t.Errorf("range %v, want 0..1000.5", r)
	}
	s.Rewind(-1)
	if s.Len() != 0 {
		t.Errorf("%d points left of the first, want 0", s.Len())
	}
	s.Append(0, 1)
	if s.Len() != 1 {
		t.Errorf("Len %d after starting afresh, want 1", s.Len())
	}
}

func TestAppendBucketMatchesAppend(t *testing.T) {
	a, b := new(Series), new(Series)
	var acc Bucket
	for i := range 40_000 {
		y := math.Cos(float64(i) / 100)
		a.Append(float64(i), y)
		p := pointBucket(float64(i), y, false)
		acc.merge(&p)
		if acc.count() == 8 {
			b.AppendBucket(acc)
			acc = Bucket{}
		}
	}
	same := func(p, q Bucket) bool { // equal up to the rounding of the mean
		ok := math.Abs(p.Mean-q.Mean) < 1e-12
		p.Mean, q.Mean = 0, 0
		return ok && p == q
	}
	if a.Len() != b.Len() || !slices.EqualFunc(a.buckets, b.buckets, same) {
		t.Errorf("buckets read from an index differ from those of points: %d, %d", a.Len(), b.Len())
	}
	n := b.Len()
	b.AppendBucket(Bucket{})
	b.AppendBucket(Bucket{X0: 5, X1: 4, N: 1})
	if b.Len() != n {
		t.Error("an empty or backward bucket was taken")
	}
}

func TestSeriesAt(t *testing.T) {
	s := new(Series)
	for _, p := range [][2]float64{{0, 0}, {10, 100}, {20, math.NaN()}, {30, 300},
		{30, 310}, {40, 400}} {
		s.Append(p[0], p[1])
	}
	for _, c := range []struct{ x, want float64 }{
		{-1, math.NaN()}, {0, 0}, {5, 50}, {10, 100}, {15, math.NaN()},
		{25, math.NaN()}, {35, 355}, {40, 400}, {41, math.NaN()},
	} {
		if got := s.At(c.x); got != c.want && !(math.IsNaN(got) && math.IsNaN(c.want)) {
			t.Errorf("At(%v) = %v, want %v", c.x, got, c.want)
		}
	}
}

// grow adds points to a series, breaks it and rewinds it, as a run does that goes on and is
// resumed.
func grow(r *rand.Rand, s *Series) {
	x, _, _ := s.Last()
	for range r.IntN(9) {
		x += r.Float64() * float64(r.IntN(3))
		y := r.NormFloat64()
		switch r.IntN(16) {
		case 0, 1:
			y = nasty(r)
		case 2, 3, 4, 5, 6, 7:
			y = 0.5
		}
		s.Append(x, y)
		switch r.IntN(40) {
		case 0, 1, 2, 3, 4:
			s.interrupt()
		case 5:
			x *= r.Float64()
			s.Rewind(x)
		}
	}
}
