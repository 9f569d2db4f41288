package spec

import (
	"math"
	"testing"
)

// Rate agrees with values computed by hand, for 4 epochs of 5 steps. A schedule has come to its end
// there: the steps that a script takes after them neither climb nor go backwards.
func TestRate(t *testing.T) {
	for _, c := range []struct {
		schedule string
		warmup   int
		want     map[int64]float64
	}{
		{"step", 0, map[int64]float64{0: 1, 14: 1, 15: .1, 19: .1}},
		{"step", 2, map[int64]float64{0: .1, 4: .5, 9: 1, 10: 1, 15: .1}},
		{"constant", 1, map[int64]float64{0: .2, 4: 1, 19: 1}},
		{"linear", 0, map[int64]float64{0: 1, 5: .75, 19: .05, 20: 0, 31: 0}},
		{"linear", 2, map[int64]float64{9: 1, 10: 1, 15: .5, 19: .1}},
		{"cosine", 0, map[int64]float64{0: 1, 10: .5, 15: (1 - math.Sqrt2/2) / 2,
			20: 0, 40: 0}},
	} {
		s := Defaults()
		s.LR, s.LRDrop, s.LRDropEpoch, s.Epochs = 1, .1, 3, 4
		s.Schedule, s.Warmup = c.schedule, c.warmup
		for step, want := range c.want {
			if got := s.Rate(step, 5, 20); math.Abs(got-want) > 1e-15 {
				t.Errorf("%s, warmup %d: step %d at %v, want %v", c.schedule, c.warmup, step, got,
					want)
			}
		}
	}
}
