package page

import (
	"fmt"
	"math"
	"testing"
)

// ends returns values at which arithmetic on a range goes wrong.
func ends() []float64 {
	least, ulp := math.SmallestNonzeroFloat64, math.Nextafter(1, 2)
	list := []float64{
		0, math.Copysign(0, -1), least, 0x1p-1030, 0x1p-1022, 1e-300, 1e-9, .1, 1, ulp, 1 + 1e-9,
		.3, math.Nextafter(.3, 1), 7, 1e15, 1e16, math.Nextafter(1e16, 2e16),
		1e300, 1e308, math.MaxFloat64, math.Inf(1), math.NaN(),
	}
	for _, v := range list {
		list = append(list, -v)
	}
	return list
}

// TestTicks checks every pair of the values of ends, in both orders and for many numbers of ticks.
func TestTicks(t *testing.T) {
	for _, lo := range ends() {
		for _, hi := range ends() {
			for _, n := range []int{-1, 0, 1, 2, 3, 6, 9, 80, 1000, math.MaxInt} {
				if err := check(lo, hi, n); err != nil {
					t.Error(err)
				}
			}
		}
	}
}

func FuzzTicks(f *testing.F) {
	for _, v := range ends() {
		f.Add(v, math.Nextafter(v, math.Inf(1)), 6)
	}
	f.Fuzz(func(t *testing.T, lo, hi float64, n int) {
		if err := check(lo, hi, n); err != nil {
			t.Error(err)
		}
	})
}

// check returns an error unless the ticks from lo to hi are few, finite and increasing, on an axis
// that has a length.
func check(lo, hi float64, n int) error {
	wrong := func(what string, v any) error {
		return fmt.Errorf("%v to %v, %d: %s %v", lo, hi, n, what, v)
	}
	a, b := UsableAxis(lo, hi)
	if !(a < b) || math.IsInf(b-a, 0) {
		return wrong("the axis is", [2]float64{a, b})
	}
	if c, d := UsableAxis(a, b); c != a || d != b {
		return wrong("a second look makes the axis", [2]float64{c, d})
	}
	if lo < hi && (a > max(lo, -AxisLimit) || b < min(hi, AxisLimit)) {
		return wrong("not on the axis:", [2]float64{a, b})
	}
	ticks, _ := Ticks(lo, hi, n)
	if len(ticks) > max(1, n) || n > 3 && len(ticks) == 0 {
		return wrong("the number of ticks is", len(ticks))
	}
	slack := 1e-6 * (b - a)
	for i, v := range ticks {
		if math.IsNaN(v) || v < a-slack || v > b+slack || i > 0 && v <= ticks[i-1] {
			return wrong("the ticks are", ticks)
		}
		if at := scale(v, a, b, 0, 1); !(at >= 0 && at <= 1) {
			return wrong("a tick lies at", at)
		}
	}
	return nil
}

func TestRoundNumbers(t *testing.T) {
	for _, c := range []struct {
		lo, hi float64
		n      int
		want   string
	}{
		{0, 1, 6, "[0 0.2 0.4 0.6 0.8 1]"},
		{-.05, 1.05, 6, "[0 0.2 0.4 0.6 0.8 1]"},
		{0, 30, 4, "[0 10 20 30]"},
		{-1, 1, 9, "[-1 -0.5 0 0.5 1]"},
		{.1, .7, 9, "[0.1 0.2 0.3 0.4 0.5 0.6 0.7]"},
		{1, math.Nextafter(1, 2), 6, "[0.6 0.8 1 1.2 1.4]"},
	} {
		t.Run(c.want, func(t *testing.T) {
			if ticks, _ := Ticks(c.lo, c.hi, c.n); fmt.Sprint(ticks) != c.want {
				t.Errorf("%v to %v in %d: %v, want %s", c.lo, c.hi, c.n, ticks, c.want)
			}
		})
	}
}
