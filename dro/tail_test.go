package dro

import (
	"math"
	"math/rand/v2"
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
		if got, want := likelihoodExcess(f, z), 3*(lo-k/n); math.Abs(got-want) > 1e-9 {
			t.Errorf("%v of %v: %.10f above the mean, want %.10f", k, n, got, want)
		}
	}
	if got := likelihoodExcess([]float64{2, 2, 2}, z); got != 0 {
		t.Errorf("equal values may be above their mean by %v", got)
	}
}

// A heavy tail has an index below 2, which a variance needs; a light tail has an index above it.
// Ties have an infinite index, and a tail too short to be judged has none.
func TestTailIndex(t *testing.T) {
	for _, c := range []struct {
		name     string
		n        int
		draw     func(*rand.Rand) float64
		from, to float64
	}{
		{"Pareto 1.5", 20_000, pareto(1.5).draw, 1.2, 1.8},
		{"Pareto 4", 20_000, pareto(4).draw, 2, 5},
		{"uniform", 2000, (*rand.Rand).Float64, 5, math.Inf(1)},
		{"ties", 1000, func(r *rand.Rand) float64 { return float64(r.IntN(2)) }, math.Inf(1),
			math.Inf(1)},
	} {
		rng := rand.New(rand.NewPCG(4, 4))
		got := hill(population{draw: c.draw}.losses(rng, c.n))
		if !(got >= c.from && got <= c.to) {
			t.Errorf("%s: an index of %.3g, want %g to %g", c.name, got, c.from, c.to)
		}
	}
	if got := hill([]float64{0, 1, 2}); got == got {
		t.Errorf("three values have an index of %v", got)
	}
}

func TestDoubt(t *testing.T) {
	for want, tail := range map[string]Tail{
		"":              {Share: .01, Index: 2, Effective: 200, Three: .5},
		"heavy tail":    {Share: .3, Index: 1.2, Effective: 20},
		"few samples":   {Share: .01, Index: math.NaN(), Effective: 99},
		"one sample":    {Share: .06, Index: math.Inf(1), Effective: 200, Collapsed: true},
		"three samples": {Share: .01, Index: 2, Effective: 200, Three: .51},
		"largest loss":  {Share: .3, Index: 1.2, Effective: 20, Capped: true},
	} {
		if got := tail.Doubt(); got != want {
			t.Errorf("%+v: doubt %q, want %q", tail, got, want)
		}
	}
	d := Difference{Normal: Interval{1, 2}, Bootstrap: Interval{3, 4}}
	d.Tail = Tail{Index: 2, Effective: 200}
	if d.Better() != d.Bootstrap {
		t.Error("a light tail's difference is not by the bootstrap")
	}
	if d.Tail.Index = 1; d.Better() != d.Normal {
		t.Error("a heavy tail's difference is not by the normal limit")
	}
}
