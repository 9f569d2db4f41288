package runner

import (
	"math"
	"testing"
)

func TestWorst(t *testing.T) {
	none, nan := Number{}, Num(math.NaN())
	for _, c := range []struct {
		values           []Number
		lowest, greatest int
	}{
		{nil, -1, -1},
		{[]Number{none, nan, Num(math.Inf(-1))}, -1, -1},
		{[]Number{nan, Num(2), none, Num(1), Num(3), Num(1), Num(3), nan}, 3, 4},
		{[]Number{Num(0), Num(0)}, 0, 0},
	} {
		if i := Worst(c.values, false); i != c.lowest {
			t.Errorf("%v: the lowest is %d, want %d", c.values, i, c.lowest)
		}
		if i := Worst(c.values, true); i != c.greatest {
			t.Errorf("%v: the greatest is %d, want %d", c.values, i, c.greatest)
		}
	}
	if n := Least([]Number{nan, Num(2), Num(1)}); n != Num(1) {
		t.Errorf("the least is %v", n)
	}
	if n := Least([]Number{none, nan}); !math.IsNaN(n.value) || !n.applies {
		t.Errorf("of what is not finite the least is %v", n)
	}
	if n := Least([]Number{none}); n.Applies() {
		t.Errorf("without a value the least is %v", n)
	}
}
