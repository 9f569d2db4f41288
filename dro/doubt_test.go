package dro

import (
	"math/rand/v2"
	"testing"
)

func TestDoubt(t *testing.T) {
	for want, tail := range map[string]Tail{
		"":              {Share: .3, Effective: 200, Three: .5},
		"few samples":   {Effective: 99, Collapsed: true},
		"three samples": {Effective: 200, Three: .51},
		"largest loss":  {Effective: 20, Capped: true},

		"coverage not guaranteed": {Effective: 200, Three: .5, Skewness: .31},
	} {
		if got := tail.Doubt(); got != want {
			t.Errorf("%+v: doubt %q, want %q", tail, got, want)
		}
	}
	if got := (Tail{Effective: 200, Collapsed: true}).Doubt(); got != "three samples" {
		t.Errorf("a bootstrap that has collapsed: doubt %q", got)
	}
}

// Under χ² the effective size is n/(1 + 2ρ). Where it is 100, rounding does not decide whether the
// samples are few.
func TestFewAtTheBoundary(t *testing.T) {
	rng := rand.New(rand.NewPCG(12, 2))
	for _, c := range []struct {
		n   int
		rho float64
	}{{101, .005}, {110, .05}, {120, .1}, {125, .125}, {130, .15}, {140, .2}, {150, .25}, {160, .3},
		{200, .5}, {300, 1}, {400, 1.5}, {500, 2}, {700, 3}, {1100, 5}, {2100, 10}} {
		for range 20 {
			losses := populations()[0].losses(rng, c.n)
			for i, rho := range []float64{c.rho, c.rho + 1e-3} {
				list, err := Confidence{}.Estimates(CressieRead{K: 2}, losses, []float64{rho})
				if err != nil {
					t.Fatal(err)
				}
				if got := list[0].Tail.Few(); got != (i == 1) {
					t.Fatalf("n = %d, ρ = %v: few is %v of %v", c.n, rho, got,
						list[0].EffectiveSampleSize)
				}
			}
		}
	}
}
