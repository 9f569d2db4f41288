package lab

import (
	"math"
	"testing"

	"drolab/runner/compare"
)

func TestHalf95(t *testing.T) {
	for n := range 3 {
		if h := HalfWidth95(n); !math.IsNaN(h) {
			t.Errorf("%d seeds: %v", n, h)
		}
	}
	if h := HalfWidth95(4); h != compare.HalfWidth(4, .95) {
		t.Errorf("four seeds: %v, want %v", h, compare.HalfWidth(4, .95))
	}
}
