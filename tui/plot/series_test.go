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
		if len(s.buckets) > MostBuckets || len(s.tail) > MostBuckets {
			t.Fatalf("n=%d: %d buckets, %d in the tail", n, len(s.buckets), len(s.tail))
		}
		at := 0
		for i := range s.buckets {
			b := s.buckets[i]
			part := ys[at : at+int(b.count())]
			checkBucket(t, b, at, part)
			at += len(part)
		}
		if at != n || s.Len() != n {
			t.Fatalf("n=%d: buckets hold %d points, Len %d", n, at, s.Len())
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
	if b.X0 != float64(at) || b.X1 != float64(at+len(ys)-1) || int(b.N) != n ||
		int(b.Bad) != len(ys)-n {
		t.Fatalf("bucket %+v does not hold points %d..%d", b, at, at+len(ys)-1)
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
			if !ok || x != float64(keep) || y != math.Sin(x) {
				t.Fatalf("n=%d back=%d: last %v %v", n, back, x, y)
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
		t.Errorf("%d points left of the first", s.Len())
	}
	s.Append(0, 1)
	if s.Len() != 1 {
		t.Errorf("Len %d after starting afresh", s.Len())
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

// TestSpikeSurvives: a spike of one point in a million is visible in every view that contains it.
func TestSpikeSurvives(t *testing.T) {
	const n, spike = 1_000_000, 654_321
	s := new(Series)
	for i := range n {
		y := 1.0
		if i == spike {
			y = 9
		}
		s.Append(float64(i), y)
	}
	for _, view := range []Range{{0, n}, {600_000, 700_000}, {654_000, 655_000}} {
		for _, w := range []int{1, 7, 160, 400} {
			var c columns
			s.sample(&c, view, w, nil)
			found := -1
			for i := range c.cols {
				if c.cols[i].Max == 9 {
					found = i
				}
			}
			want := (spike - view.Lo) / (view.Hi - view.Lo) * float64(w)
			slack := 1 + 2*float64(s.per)*float64(w)/(view.Hi-view.Lo)
			if found < 0 || math.Abs(float64(found)-want) > slack {
				t.Errorf("view %v, %d columns: spike in column %d, want %.1f", view, w, found, want)
			}
		}
	}
}

// TestSampleExact: up to the budget, and within the tail, the columns equal those of a brute-force
// computation.
func TestSampleExact(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	for _, n := range []int{1, 100, 5000, 60_000} {
		s := new(Series)
		xs, ys := make([]float64, n), make([]float64, n)
		x := 0.0
		for i := range n {
			x += float64(r.IntN(3))
			xs[i], ys[i] = x, r.NormFloat64()
			s.Append(x, ys[i])
		}
		view := Range{xs[max(0, n-3000)], x + 1}
		for _, w := range []int{1, 13, 160} {
			var c columns
			s.sample(&c, view, w, nil)
			want := make([]Bucket, w)
			for i := range n {
				if xs[i] >= view.Lo {
					b := pointBucket(xs[i], ys[i], false)
					want[min(int((xs[i]-view.Lo)*(float64(w)/(view.Hi-view.Lo))), w-1)].merge(&b)
				}
			}
			if !slices.Equal(c.cols, want) {
				t.Errorf("n=%d w=%d: columns differ from brute force", n, w)
			}
		}
	}
}

func TestSmoothers(t *testing.T) {
	e := EMA{Beta: 0.9}
	num, den := 0.0, 0.0
	for i := range 100 {
		y := math.Sin(float64(i))
		num, den = 0.9*num+0.1*y, 0.9*den+0.1
		if got := e.Push(y, 1); math.Abs(got-num/den) > 1e-12 {
			t.Fatalf("step %d: EMA %v, want %v", i, got, num/den)
		}
	}
	if got := e.Push(math.Inf(1), 1); !math.IsNaN(got) {
		t.Errorf("EMA of +Inf is %v, want NaN", got)
	}
	before := e
	a, b := e, e
	for range 7 {
		a.Push(3, 1)
	}
	if got, want := b.Push(3, 7), a.Push(3, 1); math.Abs(got-want) > 0.2 || before != e {
		t.Errorf("seven at once give %v, one by one %v", got, want)
	}
	if first := new(EMA).Push(5, 1); first != 5 {
		t.Errorf("first value %v, want 5: the bias must be corrected", first)
	}

	var w Window
	for i, want := range []float64{1, 1.5, 2, 2.5, 3, 4, 5} {
		if got := w.Push(float64(i+1), 1); math.Abs(got-want) > 1e-12 {
			t.Errorf("window mean %d = %v, want %v", i, got, want)
		}
	}
	if got := w.Push(10, 100); got != 10 {
		t.Errorf("a full window of 10 has mean %v", got)
	}
}

// TestSmoothMatchesIncremental: smoothing a whole series gives the same values as smoothing while
// appending.
func TestSmoothMatchesIncremental(t *testing.T) {
	raw, smooth, _ := training()
	got := Smooth(raw, &EMA{Beta: 0.97})
	if got.Len() != smooth.Len() {
		t.Fatalf("%d points, want %d", got.Len(), smooth.Len())
	}
	for i, b := range got.buckets[:5200] { // up to the resume, which resets
		if w := smooth.buckets[i]; b.N != w.N ||
			math.Abs(b.Mean-w.Mean) > 1e-12 || b.Break != w.Break {
			t.Fatalf("point %d: %+v, want %+v", i, b, w)
		}
	}
	if b := got.buckets[5200]; !b.Break || b.Mean != raw.buckets[5200].Mean {
		t.Errorf("after the break %+v, want the raw value %v", b, raw.buckets[5200].Mean)
	}
}
