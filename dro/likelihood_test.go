package dro

import (
	"math"
	"slices"
	"testing"
)

// The bound of a proportion by empirical likelihood agrees with its own formula, which needs only
// two weights: the p with 2 k log(k/np) + 2 (n − k) log((n − k)/n(1 − p)) = z².
func TestLikelihoodBoundOfAProportion(t *testing.T) {
	const n, z = 50.0, 1.6448536269514722
	for _, k := range []float64{1, 5, 25, 49} {
		f := slices.Repeat([]float64{0}, int(n))
		for i := range int(k) {
			f[i] = 3
		}
		lo, hi := k/n, 1.0
		for range 60 {
			p := (lo + hi) / 2
			if 2*k*math.Log(k/(n*p))+2*(n-k)*math.Log((n-k)/(n*(1-p))) < z*z {
				lo = p
			} else {
				hi = p
			}
		}
		if got := greatestMean(f, 3, z).mean; math.Abs(got-3*lo) > 1e-9 {
			t.Errorf("%v of %v: a mean of %.10f, want %.10f", k, n, got, 3*lo)
		}
	}
	equal := []float64{2, 2, 2}
	if got := greatestMean(equal, 2, z).mean; got != 2 {
		t.Errorf("equal values have a mean of at most %v", got)
	}
	// All of z² pays for the value that is not in the sample.
	got, want := greatestMean(equal, 5, z).mean, 2-3*math.Expm1(-z*z/6)
	if math.Abs(got-want) > 1e-9 {
		t.Errorf("with an unseen value the mean is at most %v, want %v", got, want)
	}
}
