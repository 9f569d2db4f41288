package dro

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// The influence function is also computed directly: R_ρ of a sample in which one loss has a little
// more weight than the others, here because all others are repeated.
func TestEstimateIsTheInfluenceFunction(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 1))
	losses := populations()[0].losses(rng, 40)
	const repeats = 20_000
	for _, set := range []Set{CressieRead{K: 2}, CressieRead{K: 1.5}, KL{}, SmoothedCVaR{Mu: .2},
		CVaR{Mu: .3}} {
		const rho = .4
		s, err := Confidence{}.study(set, []float64{rho}, losses)
		if err != nil {
			t.Fatal(err)
		}
		f, w := s.sides[0].dual[0], s.sides[0].worst[0]
		var mean float64
		for _, x := range f {
			mean += x / float64(len(f))
		}
		many := make([]float64, 0, repeats*len(losses)+1)
		for range repeats / len(losses) {
			many = append(many, losses...)
		}
		for _, j := range []int{0, 7, 39} {
			moved, err := set.WorstCase(nil, append(many, losses[j]), rho)
			if err != nil {
				t.Fatal(err)
			}
			got := (moved.Risk - w.Risk) * float64(len(many)+1)
			if want := f[j] - mean; math.Abs(got-want) > 1e-3*(1+math.Abs(want)) {
				t.Errorf("%s: the influence of loss %d is %.6f, f gives %.6f", set.Name(), j,
					got, want)
			}
		}
	}
}

// The two losses of a pair share most of their chance variation, so the difference of two nearly
// equal lists of losses is far less uncertain than each list.
func TestDifferencesArePaired(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 5))
	a := populations()[0].losses(rng, 500)
	b := slices.Clone(a)
	for i := range b {
		b[i] += .1 + .01*rng.Float64()
	}
	how, rhos := Confidence{Draws: 99, Seed: 1}, []float64{.1, 1}
	d, err := how.Differences(KL{}, b, a, rhos)
	if err != nil {
		t.Fatal(err)
	}
	alone, err := how.Estimates(KL{}, a, rhos)
	if err != nil {
		t.Fatal(err)
	}
	for i, x := range d {
		if !(x.Normal[0] > .1 && x.Normal[1] < .11 && x.Bootstrap[0] > .1 && x.Bootstrap[1] < .11) {
			t.Errorf("ρ = %g: %+v", rhos[i], x)
		}
		if !(x.StandardError*20 < alone[i].StandardError) {
			t.Errorf("ρ = %g: a difference is unsure by %v, one list by %v", rhos[i],
				x.StandardError, alone[i].StandardError)
		}
	}
	if _, err := how.Differences(KL{}, a, a[1:], rhos); err == nil {
		t.Error("lists of different lengths are compared")
	}
}

// Where the radius does not bind, there is no interval. The seed decides everything that is random.
func TestIntervalsAtTheEdge(t *testing.T) {
	losses := []float64{1, 2, 3, 4}
	how := Confidence{Draws: 20}
	list, err := how.Estimates(CressieRead{K: 2}, losses, []float64{.05, 100})
	if err != nil {
		t.Fatal(err)
	}
	if e := list[1]; e.Risk != 4 || !math.IsNaN(e.StandardError) || !math.IsNaN(e.Normal[0]) ||
		!math.IsNaN(e.Bootstrap[1]) {
		t.Errorf("saturated: %+v", e)
	}
	again, _ := how.Estimates(CressieRead{K: 2}, losses, []float64{.05})
	if again[0].Bootstrap != list[0].Bootstrap || again[0].Upper != list[0].Upper {
		t.Errorf("the same seed gives %+v and %+v", again[0], list[0])
	}
	for _, bad := range []Confidence{{Level: 1}, {Level: -1}, {Draws: -1}} {
		if _, err := bad.Estimates(KL{}, losses, []float64{1}); err == nil {
			t.Errorf("%+v is accepted", bad)
		}
	}
	for _, rho := range []float64{0, -1, math.NaN()} {
		if _, err := how.Estimates(KL{}, losses, []float64{rho}); err == nil {
			t.Errorf("ρ = %v is accepted", rho)
		}
	}
}
