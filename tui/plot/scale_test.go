package plot

import (
	"math"
	"testing"
)

func scales() []Scale {
	return []Scale{{}, {Kind: Log10}, {Kind: Symlog}, {Kind: Symlog, linear: 10}}
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
