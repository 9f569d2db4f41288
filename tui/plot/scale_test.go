package plot

import (
	"math"
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"

	"drolab/tui/cell"
)

func scales() []Scale {
	return []Scale{{}, {Kind: Log10}, {Kind: Symlog}, {Kind: Symlog, linear: 10}}
}

func TestFormatWidth(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	for range 50_000 {
		v := nasty(r)
		if r.IntN(2) == 0 {
			v = math.Pow(10, 40*r.Float64()-20) * float64(1-2*r.IntN(2))
		}
		s := Format(v)
		if len(s) > LabelWidth || cell.Width(s) != len(s) {
			t.Fatalf("Format(%v) = %q: %d cells, want %d at most", v, s, len(s), LabelWidth)
		}
		if d := FormatDuration(v); len(d) > LabelWidth {
			t.Fatalf("FormatDuration(%v) = %q", v, d)
		}
	}
}

// TestFormatValue: the text that Format writes reads back to about the same value.
func TestFormatValue(t *testing.T) {
	units := strings.NewReplacer("k", "e3", "M", "e6", "G", "e9", "T", "e12")
	for e := -20.0; e < 20; e += 0.0137 {
		v := math.Pow(10, e)
		for _, v := range []float64{v, -v} {
			got, err := strconv.ParseFloat(units.Replace(Format(v)), 64)
			if err != nil {
				t.Fatalf("Format(%v) = %q: %v", v, Format(v), err)
			}
			tol := 0.006
			switch a := math.Abs(v); {
			case v < 0 && (a < 1e-9 || a >= 0.9e15):
				tol = 0.5 // the sign takes the last digit of the mantissa
			case a < 0.02 || a >= 0.9e15:
				tol = 0.06 // four decimals, or an exponent
			}
			if math.Abs(got-v) > tol*math.Abs(v) {
				t.Errorf("Format(%v) = %q", v, Format(v))
			}
		}
	}
}

func TestFormatTable(t *testing.T) {
	for _, c := range []struct {
		v    float64
		want string
	}{
		{0, "0"}, {1, "1.0000"}, {-1.5, "-1.5000"}, {12345, "12345.0"}, {-12345, "-12345"},
		{99999.6, "100.00k"}, {1e6, "1.000M"}, {999999, "1.000M"}, {2.5e12, "2.500T"},
		{1.5e-7, "1.50e-7"}, {math.Inf(1), "+Inf"}, {math.Inf(-1), "-Inf"}, {math.NaN(), "nan"},
	} {
		t.Run(c.want, func(t *testing.T) {
			if got := Format(c.v); got != c.want {
				t.Errorf("Format(%v) = %q, want %q", c.v, got, c.want)
			}
		})
	}
	for _, c := range []struct {
		s    float64
		want string
	}{{0, "0s"}, {59.6, "1m"}, {90, "1m30s"}, {3600, "1h"}, {7500, "2h05m"}, {90000, "1d01h"},
		{-90, "-1m30s"}} {
		t.Run(c.want, func(t *testing.T) {
			if got := FormatDuration(c.s); got != c.want {
				t.Errorf("FormatDuration(%v) = %q, want %q", c.s, got, c.want)
			}
		})
	}
}

func labels(ticks []tick) string {
	var s []string
	for _, t := range ticks {
		s = append(s, t.Label)
	}
	return strings.Join(s, " ")
}

func TestTicksTable(t *testing.T) {
	for _, c := range []struct {
		s    Scale
		r    Range
		n    int
		want string
	}{
		{Scale{}, Range{0, 1}, 6, "0.0 0.2 0.4 0.6 0.8 1.0"},
		{Scale{}, Range{-1, 1}, 5, "-1.0 -0.5 0.0 0.5 1.0"},
		{Scale{}, Range{0, 13650}, 8, "0 2000 4000 6000 8000 10000 12000"},
		{Scale{}, Range{0, 1e7}, 6, "0 2M 4M 6M 8M 10M"},
		{Scale{}, Range{1, 1.0003}, 4, "1.0000 1.0001 1.0002 1.0003"},
		{Scale{Kind: Log10}, Range{0.1, 10}, 9, "0.1 0.2 0.5 1 2 5 10"},
		{Scale{Kind: Log10}, Range{1e-6, 1}, 4, "1e-6 0.0001 0.01 1"},
		{Scale{Kind: Log10}, Range{3, 4}, 3, "3.0 3.5 4.0"},
		{Scale{Kind: Log10}, Range{0.3, 5}, 2, "0.5 5"},
		{Scale{Kind: Log10}, Range{0.03, 5}, 2, "0.1 1"},
		{Scale{Kind: Symlog, linear: 1}, Range{-10, 100}, 9, "-10 -1 0 1 10 100"},
	} {
		t.Run(c.want, func(t *testing.T) {
			if got := labels(c.s.ticks(c.r, c.n)); got != c.want {
				t.Errorf("Ticks(%v, %v, %d) = %q, want %q", c.s, c.r, c.n, got, c.want)
			}
		})
	}
	if got := labels(timeTicks(Range{0, 7200}, 5)); got != "0s 30m 1h 1h30m 2h" {
		t.Errorf("timeTicks = %q", got)
	}
	if got := labels(timeTicks(Range{0, 90 * 86400}, 5)); got != "0s 20d 40d 60d 80d" {
		t.Errorf("timeTicks over days = %q", got)
	}
}

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

func TestTicksProperties(t *testing.T) {
	r := rand.New(rand.NewPCG(2, 2))
	for range 20_000 {
		s, in, n := scales()[r.IntN(4)], nastyRange(r), 1+r.IntN(12)
		ticks := s.ticks(in, n)
		if len(ticks) > n {
			t.Fatalf("Ticks(%v, %v, %d): %d ticks", s, in, n, len(ticks))
		}
		for i, k := range ticks {
			if !finite(k.Value) || (i > 0 && k.Value <= ticks[i-1].Value) ||
				len(k.Label) > LabelWidth {
				t.Fatalf("Ticks(%v, %v, %d) = %v", s, in, n, ticks)
			}
		}
		if got := timeTicks(in, n); len(got) > n {
			t.Fatalf("timeTicks(%v, %d): %d ticks", in, n, len(got))
		}
	}
}

func TestFitProperties(t *testing.T) {
	r := rand.New(rand.NewPCG(9, 9))
	for range 50_000 {
		s, old, data := scales()[r.IntN(4)], nastyRange(r), nastyRange(r)
		got := old.Fit(data, s)
		if !got.spans() || !finite(got.Lo) || !finite(got.Hi) || got != got.usable(s) {
			t.Fatalf("%v.Fit(%v, %v) = %v: not an axis", old, data, s, got)
		}
		if again := got.Fit(data, s); again != got {
			t.Fatalf("%v.Fit(%v, %v) = %v, then %v: not stable", old, data, s, got, again)
		}
		if data.empty() || math.Abs(data.Lo) > limit || math.Abs(data.Hi) > limit ||
			math.IsInf(data.Hi-data.Lo, 0) {
			continue
		}
		if s.Kind == Log10 && data.Lo < tiny {
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
		t.Errorf("axis moved to %v although the data fill it well", got)
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
		{math.Inf(1), 5, limit},
	} {
		if got := GrowX(c.planned, c.last); got.Lo != 0 || math.Abs(got.Hi/c.hi-1) > 1e-9 {
			t.Errorf("GrowX(%v, %v) = %v, want 0..%v", c.planned, c.last, got, c.hi)
		}
	}
}

func TestScaleInverse(t *testing.T) {
	for _, s := range scales() {
		for _, v := range []float64{1e-8, 0.5, 3, 1e5, 1e200, -2, -1e4, 0} {
			if s.Kind == Log10 && v <= 0 {
				continue
			}
			if got := s.backward(s.forward(v)); math.Abs(got-v) > 1e-9*math.Abs(v) {
				t.Errorf("%v: %v comes back as %v", s, v, got)
			}
		}
	}
}
