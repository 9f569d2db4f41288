package spec

import (
	"strings"
	"testing"

	"drolab/dro"
)

// The lower bound of λ cannot be turned above the upper bound, not even where the upper bound is
// derived and would follow: the run's box keeps its end.
func TestKnobKeepsItsBounds(t *testing.T) {
	s := Defaults()
	s.Algorithms = []dro.Algorithm{dro.PGD}
	p, err := s.Problem()
	if err != nil {
		t.Fatal(err)
	}
	most := p.Box.Lambda[1]
	for value, want := range map[float64]bool{most / 2: true, most: true, most * 1.01: false,
		1e9: false} {
		turned := s
		_, err := turned.Change("lambda0", Fixed(value))
		if (err == nil) != want {
			t.Errorf("lambda0 %g with λ_max %g: %v", value, most, err)
		}
		if err != nil && !strings.Contains(err.Error(), "at most lambda_max") {
			t.Errorf("the bound is not said: %v", err)
		}
	}
}

// TestTrainedByPatience: what an evaluation measures and when it does decides when a run with
// patience ends, and nothing else about its training. TestTrainedBy in package queue trains.
func TestTrainedByPatience(t *testing.T) {
	for _, patience := range []int{0, 3} {
		s := Defaults()
		s.Patience = patience
		for key, want := range map[string]bool{"lr": true, "eval_every": patience > 0,
			"select": patience > 0, "log_every": false, "checkpoint_every": false} {
			row, ok := FindSetting(key)
			if got := row.TrainedBy(&s); !ok || got != want {
				t.Errorf("patience %d: the training reads %s: %v", patience, key, got)
			}
		}
	}
}
