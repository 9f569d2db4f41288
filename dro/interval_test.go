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
		f, w := s.dual[0], s.sides[0].worst[0]
		var mean float64
		for _, x := range f {
			mean += x / float64(len(f))
		}
		many := make([]float64, 0, repeats*len(losses)+1)
		for range repeats / len(losses) {
			many = append(many, losses...)
		}
		for _, j := range []int{0, 7, 39} {
			moved, err := WorstCase(set, nil, append(many, losses[j]), rho)
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

// Where one to three losses carry the risk, resamples without them have no spread, and the roots of
// the bootstrap are as large as 1e7. The bound is then that of empirical likelihood, and is in
// doubt. The figures of χ², KL and CVaR are those of a script in SciPy, which solves for Lagrange's
// multiplier of the likelihood.
func TestBoundsOfFewLosses(t *testing.T) {
	for _, c := range []struct {
		name           string
		n              int
		scale          float64 // of the many losses, which lie evenly between scale and 10 scale
		large          []float64
		chi2, kl, cvar float64
	}{
		{"one of 1000", 1000, 1e-7, []float64{6}, .4617, 1.168, .2185},
		{"two of 1000", 1000, 1e-7, []float64{7, 6.9}, .6026, 1.400, .3680},
		{"three of 5000", 5000, 1e-8, []float64{7, 6.9, 7.1}, .2899, 1.000, .09536},
	} {
		losses := slices.Clone(c.large)
		for len(losses) < c.n {
			losses = append(losses, c.scale*(1+9*float64(len(losses))/float64(c.n)))
		}
		calm := slices.Clone(losses)
		copy(calm, calm[len(c.large):])
		for set, want := range map[Set]float64{CressieRead{K: 2}: c.chi2, KL{}: c.kl,
			CVaR{Mu: .1}: c.cvar, SmoothedCVaR{Mu: .1}: c.cvar, CressieRead{K: 1.5}: 0} {
			_, smoothed := set.(SmoothedCVaR)
			if (want == 0 || smoothed) && c.n > 1000 && !*long { // solved as any set is, slowly
				continue
			}
			how := Confidence{Draws: 59, Seed: 1}
			list, err := how.Estimates(set, losses, []float64{.5})
			if err != nil {
				t.Fatal(err)
			}
			e := &list[0]
			if want > 0 && math.Abs(e.Upper/want-1) > 5e-4 || e.Upper > e.MaxLoss {
				t.Errorf("%s, %s: a bound of %.4g, want %.4g", c.name, set.Label(), e.Upper, want)
			}
			if e.Tail.Doubt() == "" || !math.IsNaN(e.Bootstrap[1]) {
				t.Errorf("%s, %s: doubt %q, bootstrap %v", c.name, set.Label(), e.Tail.Doubt(),
					e.Bootstrap)
			}
			pair, err := how.Differences(set, losses, calm, []float64{.5})
			if err != nil {
				t.Fatal(err)
			}
			if d := &pair[0]; d.Tail.Doubt() == "" || d.Better() != d.Normal {
				t.Errorf("%s, %s: a difference in %v", c.name, set.Label(), d.Better())
			}
		}
	}
}

// No bound or end of an interval is a value that losses from 0 to the largest one cannot have, and
// a bound that is the largest loss says so.
func TestBoundsLieWithinTheLosses(t *testing.T) {
	rng := rand.New(rand.NewPCG(11, 2))
	capped := 0
	for _, p := range populations() {
		for _, n := range cases([]int{2, 5, 30}, 150) {
			a, b := p.losses(rng, n), p.losses(rng, n)
			for _, set := range testSets() {
				how, rhos := Confidence{Draws: 39}, []float64{.05, .5, 5}
				estimates, err := how.Estimates(set, a, rhos)
				if err != nil {
					t.Fatal(err)
				}
				differences, err := how.Differences(set, a, b, rhos)
				if err != nil {
					t.Fatal(err)
				}
				most := slices.Max(a)
				either := max(most, slices.Max(b))
				for i := range rhos {
					e, d := &estimates[i], &differences[i]
					for _, x := range [][3]float64{{0, e.Upper, most}, {0, e.Normal[0], most},
						{0, e.Normal[1], most}, {0, e.Bootstrap[0], most},
						{0, e.Bootstrap[1], most}, {-either, d.Normal[0], either},
						{-either, d.Normal[1], either}, {-either, d.Bootstrap[0], either},
						{-either, d.Bootstrap[1], either}} {
						if x[1] < x[0] || x[1] > x[2] {
							t.Fatalf("%s, %s, n = %d: %v, want %v to %v", p.name, set.Label(), n,
								x[1], x[0], x[2])
						}
					}
					if (e.Upper == most) != (e.Tail.Doubt() == "largest loss") {
						t.Errorf("a bound of %v for losses up to %v: doubt %q", e.Upper, most,
							e.Tail.Doubt())
					}
					if e.Tail.Capped {
						capped++
					}
				}
			}
		}
	}
	if capped == 0 {
		t.Error("no bound was the largest loss")
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
