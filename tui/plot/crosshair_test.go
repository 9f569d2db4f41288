package plot

import (
	"math"
	"testing"
)

// TestInverse: Inverse undoes the function that maps x to an axis.
func TestInverse(t *testing.T) {
	s := new(Series)
	for i := range 100 {
		s.Append(float64(i), 0)
	}
	double := func(x float64) float64 { return 2 * x }
	if x := s.Inverse(50, double); math.Abs(x-25) > 1e-9 {
		t.Errorf("50 comes from %g", x)
	}
	if x := s.Inverse(1e4, double); !math.IsNaN(x) {
		t.Errorf("a place behind the end comes from %g", x)
	}
}
