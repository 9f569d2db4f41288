package measure

import (
	"encoding/json"
	"fmt"
	"math"
	"testing"
)

// TestLeads: the best leads unless another value is written like it. A single value leads over
// nothing.
func TestLeads(t *testing.T) {
	none := Number{}
	for _, c := range []struct {
		values          []Number
		higher, noLower int
	}{
		{nil, -1, -1},
		{[]Number{none, Num(2)}, -1, -1},
		{[]Number{none, Num(2), Num(3)}, 2, 1},
		{[]Number{Num(2.04), Num(1), Num(1.98)}, -1, 1},
		{[]Number{Num(math.NaN()), Num(1), Num(7)}, 2, 1},
		{[]Number{Num(1), Num(1)}, -1, -1},
	} {
		write := func(n Number) string { return fmt.Sprintf("%.1f", n.Float()) }
		if got := LeaderIndex(c.values, true, write); got != c.higher {
			t.Errorf("%v: the highest that leads is %d, want %d", c.values, got, c.higher)
		}
		if got := LeaderIndex(c.values, false, write); got != c.noLower {
			t.Errorf("%v: the lowest that leads is %d, want %d", c.values, got, c.noLower)
		}
	}
}

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

func TestNumberSurvivesJSON(t *testing.T) {
	numbers := []Number{{}, Num(0), Num(-1.5e-300), Num(math.Inf(1)), Num(math.Inf(-1)),
		Num(math.NaN())}
	for _, n := range numbers {
		b, err := json.Marshal(n)
		if err != nil {
			t.Fatal(err)
		}
		var back Number
		if err := json.Unmarshal(b, &back); err != nil {
			t.Fatal(err)
		}
		same := back == n || math.IsNaN(n.value) && math.IsNaN(back.value) && back.applies
		if !same {
			t.Errorf("%v became %s and came back as %v", n, b, back)
		}
	}
	for _, text := range []string{`"many"`, `{}`} {
		var n Number
		if err := json.Unmarshal([]byte(text), &n); err == nil {
			t.Errorf("the Number %v is read from %s, want an error", n, text)
		}
	}
}
