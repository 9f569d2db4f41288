package dro

import (
	"flag"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

var long = flag.Bool("long", false, "the coverage of intervals in full, as math.md §3 has it (half an hour)")

// population is a distribution of losses whose R_ρ under χ² is known.
type population struct {
	name string
	draw func(*rand.Rand) float64
	// above is E (ℓ − η)₊².
	above func(eta float64) float64
}

// populations are a light one and one with heavy tails: all moments, but no E e^ℓ.
func populations() []population {
	normal := func(x float64) float64 { return .5 * math.Erfc(-x/math.Sqrt2) }
	return []population{
		{"exponential", (*rand.Rand).ExpFloat64, func(eta float64) float64 {
			if eta >= 0 {
				return 2 * math.Exp(-eta)
			}
			return 1 + (1-eta)*(1-eta)
		}},
		{"log-normal", func(r *rand.Rand) float64 { return math.Exp(r.NormFloat64()) }, func(eta float64) float64 {
			part := func(k float64) float64 { // E ℓ^k over ℓ > η
				if eta <= 0 {
					return math.Exp(k * k / 2)
				}
				return math.Exp(k*k/2) * normal(k-math.Log(eta))
			}
			return part(2) - 2*eta*part(1) + eta*eta*part(0)
		}},
	}
}

// risk is min over η of √(1 + 2ρ) √E (ℓ − η)₊² + η (math.md §3), by sections.
func (p population) risk(rho float64) float64 {
	f := func(eta float64) float64 { return math.Sqrt((1+2*rho)*p.above(eta)) + eta }
	lo, hi := -50.0, 100.0
	for range 300 {
		a, b := lo+(hi-lo)/3, hi-(hi-lo)/3
		if f(a) < f(b) {
			hi = b
		} else {
			lo = a
		}
	}
	return f(lo)
}

func (p population) losses(rng *rand.Rand, n int) []float64 {
	list := make([]float64, n)
	for i := range list {
		list[i] = p.draw(rng)
	}
	return list
}

// coverage is how often intervals hold the population's risk, by radius.
type coverage struct{ normal, bootstrap []float64 }

func (p population) covered(t *testing.T, n, samples, draws int, rhos []float64) coverage {
	t.Helper()
	c := coverage{make([]float64, len(rhos)), make([]float64, len(rhos))}
	rng := rand.New(rand.NewPCG(7, uint64(n)))
	for k := range samples {
		how := Confidence{Draws: draws, Seed: uint64(k)}
		list, err := how.Estimates(CressieRead{K: 2}, p.losses(rng, n), rhos)
		if err != nil {
			t.Fatal(err)
		}
		for i, e := range list {
			truth := p.risk(rhos[i])
			for _, side := range []struct {
				in   Interval
				hits []float64
			}{{e.Normal, c.normal}, {e.Bootstrap, c.bootstrap}} {
				if side.in[0] <= truth && truth <= side.in[1] {
					side.hits[i] += 1 / float64(samples)
				}
			}
		}
	}
	return c
}

// The figures of math.md §3: go test ./dro -run Coverage -long -v -timeout 3h.
func TestCoverage(t *testing.T) {
	rhos := []float64{.1, .5, 1.5}
	cases := []struct{ n, samples, draws int }{{100, 300, 99}, {1000, 100, 0}}
	if *long {
		cases = []struct{ n, samples, draws int }{{100, 1000, 399}, {1000, 1000, 399}, {10_000, 1000, 199}}
	}
	for _, c := range cases {
		t.Run(fmt.Sprint(c), func(t *testing.T) {
			for _, p := range populations() {
				got := p.covered(t, c.n, c.samples, c.draws, rhos)
				t.Logf("%s, n = %d, ρ = %v: normal %.3f, bootstrap %.3f", p.name, c.n, rhos, got.normal, got.bootstrap)
				light := p.name == "exponential"
				for i, rho := range rhos {
					enough := float64(c.n)/(1+2*rho) >= FewEffective // χ²'s effective sample size where ρ binds
					if light && enough && got.normal[i] < .89 {
						t.Errorf("n = %d, ρ = %g: %.3f of the normal intervals hold the truth", c.n, rho, got.normal[i])
					}
					if c.draws > 0 && got.bootstrap[i] < got.normal[i] {
						t.Errorf("%s, n = %d, ρ = %g: the bootstrap covers %.3f, the normal intervals %.3f",
							p.name, c.n, rho, got.bootstrap[i], got.normal[i])
					}
					if light && c.draws > 0 && got.bootstrap[i] < .89 {
						t.Errorf("n = %d, ρ = %g: the bootstrap covers %.3f", c.n, rho, got.bootstrap[i])
					}
				}
			}
		})
	}
}

// The influence function by a second road: R_ρ of a sample in which one loss has a
// little more weight than the others, here by repeating all others.
func TestEstimateIsTheInfluenceFunction(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 1))
	losses := populations()[0].losses(rng, 40)
	const repeats = 20_000
	for _, set := range []Set{CressieRead{K: 2}, CressieRead{K: 1.5}, KL{}, SmoothedCVaR{Mu: .2}, CVaR{Mu: .3}} {
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
				t.Errorf("%s: the influence of loss %d is %.6f, f gives %.6f", set.Name(), j, got, want)
			}
		}
	}
}

// Pairs share most of what is by chance: two nearly equal lists of losses differ
// by far less than each is unsure.
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
			t.Errorf("ρ = %g: a difference is unsure by %v, one list by %v", rhos[i], x.StandardError,
				alone[i].StandardError)
		}
	}
	if _, err := how.Differences(KL{}, a, a[1:], rhos); err == nil {
		t.Error("lists of different lengths are compared")
	}
}

// Where the radius does not bind there is no interval, and the seed decides all
// that chance does.
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
	if again[0] != list[0] {
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
