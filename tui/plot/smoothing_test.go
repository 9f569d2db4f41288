package plot

import (
	"math"
	"testing"
)

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
		t.Errorf("a full window of 10 has mean %v, want 10", got)
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
		w := smooth.buckets[i]
		if b.N != w.N || b.Break != w.Break {
			t.Fatalf("point %d: %+v, want %+v", i, b, w)
		}
		if math.Abs(b.Mean-w.Mean) > 1e-12 {
			t.Fatalf("point %d has the mean %v, want %v", i, b.Mean, w.Mean)
		}
	}
	if b := got.buckets[5200]; !b.Break || b.Mean != raw.buckets[5200].Mean {
		t.Errorf("after the break %+v, want the raw value %v", b, raw.buckets[5200].Mean)
	}
}
