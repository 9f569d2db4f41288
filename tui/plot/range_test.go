package plot

import (
	"math"
	"math/rand/v2"
	"testing"

	"drolab/runner/page"
)

// nastyRange returns any range, sometimes an empty or inverted one.
func nastyRange(r *rand.Rand) Range {
	lo := nasty(r)
	switch r.IntN(4) {
	case 0:
		return Range{lo, lo}
	case 1:
		return Range{lo, lo + math.Abs(lo)*1e-13}
	}
	return Range{lo, nasty(r)}
}

func TestFitProperties(t *testing.T) {
	r := rand.New(rand.NewPCG(9, 9))
	for range draws(50_000) {
		s, old, data := scales()[r.IntN(4)], nastyRange(r), nastyRange(r)
		got := old.Fit(data, s)
		if !got.spans() {
			t.Fatalf("%v.Fit(%v, %v) = %v, which spans nothing", old, data, s, got)
		}
		if !finite(got.Lo) || !finite(got.Hi) {
			t.Fatalf("%v.Fit(%v, %v) = %v, which has no end", old, data, s, got)
		}
		if usable := got.usable(s); got != usable {
			t.Fatalf("%v.Fit(%v, %v) = %v, of which only %v is usable", old, data, s, got, usable)
		}
		if again := got.Fit(data, s); again != got {
			t.Fatalf("%v.Fit(%v, %v) = %v, then %v: not stable", old, data, s, got, again)
		}
		if data.empty() || math.Abs(data.Lo) > page.AxisLimit ||
			math.Abs(data.Hi) > page.AxisLimit ||
			math.IsInf(data.Hi-data.Lo, 0) {
			continue
		}
		if s.Kind == Log10 && data.Lo < page.AxisMin {
			continue
		}
		if !(got.Contains(data.Lo) && got.Contains(data.Hi)) {
			t.Fatalf("%v.Fit(%v, %v) = %v does not contain the data", old, data, s, got)
		}
	}
}

// TestFitIsStill: because of the hysteresis, a noisy falling loss moves the axis only a few times.
func TestFitIsStill(t *testing.T) {
	r := rand.New(rand.NewPCG(8, 8))
	for _, s := range scales()[:2] {
		var axis Range
		data, changes := EmptyRange(), 0
		for i := range 5000 {
			y := 2.3*math.Exp(-float64(i)/1000)*math.Exp(0.1*r.NormFloat64()) + 0.01
			data = data.Add(y)
			next := axis.Fit(data, s)
			if next != axis {
				changes++
			}
			axis = next
		}
		if changes > 8 {
			t.Errorf("%v: %d rescales in 5000 frames", s, changes)
		}
	}
}

func TestFitZoomsIn(t *testing.T) {
	got := Range{0, 100}.Fit(Range{1, 2}, Scale{})
	if got.Hi > 4 {
		t.Errorf("axis %v for data 1..2", got)
	}
	if got := (Range{0, 10}).Fit(Range{1, 5}, Scale{}); got != (Range{0, 10}) {
		t.Errorf("axis moved to %v although the data fill it well, want %v", got, (Range{0, 10}))
	}
	if got := (Range{}).Fit(Range{0.02, 2.3}, Scale{}); got.Lo != 0 {
		t.Errorf("axis %v: a loss near 0 must start at 0", got)
	}
}

func TestGrowX(t *testing.T) {
	for _, c := range []struct{ planned, last, hi float64 }{
		{1000, 5, 250}, {1000, 251, 500}, {1000, 501, 1000}, {1000, 1000, 1000},
		{1000, 1001, 2000}, {0, 0, 1},
		{0, 1, 1}, {0, 3, 5}, {0, 5.5, 10}, {0, math.NaN(), 1}, {-1, 1e308, 1e299},
		{math.Inf(1), 5, page.AxisLimit},
	} {
		if got := GrowX(c.planned, c.last); got.Lo != 0 || math.Abs(got.Hi/c.hi-1) > 1e-9 {
			t.Errorf("GrowX(%v, %v) = %v, want 0..%v", c.planned, c.last, got, c.hi)
		}
	}
}
