package measure

import (
	"math"
	"testing"
)

// The ends of Wilson's interval are the proportions from which the estimate is z95 standard errors
// away. The interval agrees with the table of Newcombe (1998), method 3.
func TestWilson(t *testing.T) {
	for _, c := range []struct {
		right, n int
		lo, hi   float64
	}{{81, 263, .2553, .3662}, {15, 148, .0624, .1605}, {0, 20, 0, .1611}, {1, 29, .0061, .1718}} {
		p := float64(c.right) / float64(c.n)
		i := Wilson(Num(p), c.n)
		if math.Abs(i[0].Float()-c.lo) > 5e-5 || math.Abs(i[1].Float()-c.hi) > 5e-5 {
			t.Errorf("%d of %d: %v, want %v to %v", c.right, c.n, i, c.lo, c.hi)
		}
		for _, end := range i {
			q := end.Float()
			if z := math.Abs(p-q) / math.Sqrt(q*(1-q)/float64(c.n)); q > 0 &&
				math.Abs(z-z95) > 1e-9 {
				t.Errorf("%d of %d: %v is %v standard errors away", c.right, c.n, q, z)
			}
		}
	}
	for _, i := range []Interval{Wilson(Num(.5), 0), Wilson(Number{}, 9),
		Wilson(Num(math.NaN()), 9),
		Wilson(Num(2), 9)} {
		if i != (Interval{}) {
			t.Errorf("an interval of nothing: %v", i)
		}
	}
}
