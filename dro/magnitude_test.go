package dro

import (
	"math"
	"testing"
)

func TestMagnitude(t *testing.T) {
	for v, want := range map[float64]string{1: "1", 400010: "4e+05", 2.5e-9: "2.5e-09"} {
		if got := MagnitudeOf(v).String(); got != want {
			t.Errorf("%v prints as %s, want %s", v, got, want)
		}
	}
	for m, want := range map[Magnitude]string{
		Magnitude(4012.5 * math.Ln10):       "3.16e+4012",
		Magnitude(-4012.5 * math.Ln10):      "3.16e-4013",
		Magnitude(4012.99999 * math.Ln10):   "1.00e+4013",
		Magnitude(math.Inf(1)):              "+Inf",
		Magnitude(math.NaN()):               "NaN",
		MagnitudeOf(3).plus(MagnitudeOf(4)): "7",
		MagnitudeOf(0).plus(MagnitudeOf(4)): "4",
	} {
		if got := m.String(); got != want {
			t.Errorf("%v prints as %s, want %s", float64(m), got, want)
		}
	}
	if got := MagnitudeOf(1e9).Log10(); math.Abs(got-9) > 1e-12 {
		t.Errorf("Log10 %v", got)
	}
}
