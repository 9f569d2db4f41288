package plot

import (
	"math"
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"

	"drolab/tui/cell"
)

func TestFormatWidth(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	for range draws(50_000) {
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
