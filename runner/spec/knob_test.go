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
		_, _, err := turned.Turn("lambda0", dro.Fixed(value).String())
		if (err == nil) != want {
			t.Errorf("lambda0 %g with λ_max %g: %v", value, most, err)
		}
		if err != nil && !strings.Contains(err.Error(), "at most lambda_max") {
			t.Errorf("the bound is not said: %v", err)
		}
	}
}
