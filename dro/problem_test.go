package dro

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"
)

// testProblems pairs every set with every coordinate system that it has.
func testProblems(rho float64) []*Problem {
	var all []*Problem
	for _, set := range testSets() {
		all = append(all, &Problem{Set: set, Rho: rho, Coordinates: Unshifted})
		if cr, ok := set.(CressieRead); ok && cr.K >= 1.5 {
			all = append(all, &Problem{Set: set, Rho: rho, Coordinates: Paper})
		}
	}
	for _, p := range all {
		p.Box = DefaultBox(p.Set, rho, p.Coordinates, .1, 10)
	}
	return all
}

func (p *Problem) String() string {
	return fmt.Sprintf("%s %v, %s, ρ = %v", p.Set.Name(), p.Set, p.Coordinates, p.Rho)
}

// φ* and φ are each other's conjugates: r t ≤ φ*(t) + φ(r) for every r, with
// equality at r = φ*′(t); and φ*′ and φ*″ are derivatives.
func TestConjugate(t *testing.T) {
	for _, set := range testSets() {
		for _, at := range []float64{-60, -9, -2, -.99, -.3, -1e-7, 0, 1e-7, .3, .999,
			1.001, 3, 9} {
			excess, conj, div, second := set.Conjugate(at)
			r := 1 + excess
			if got := set.Divergence(r); math.Abs(got-div) > 1e-12*(1+div) {
				t.Errorf("%v t %v: φ(r) %v, direct %v", set, at, div, got)
			}
			if gap := conj + div - at*r; math.Abs(gap) > 1e-12*(1+math.Abs(conj)) {
				t.Errorf("%v t %v: Fenchel's equality is %g off", set, at, gap)
			}
			for _, other := range []float64{0, .2, .9, 1.1, 3, 20} {
				if phi := set.Divergence(other); other*at > conj+phi+1e-12*(1+math.Abs(conj)) {
					t.Errorf("%v t %v r %v: Fenchel's inequality fails", set, at, other)
				}
			}
			const h = 1e-5
			smooth := set.HasRadius() || math.Abs(at) > h
			_, above, _, _ := set.Conjugate(at + h)
			_, below, _, _ := set.Conjugate(at - h)
			if got := (above - below) / (2 * h); math.Abs(got-r) > 1e-6*(1+r) && smooth {
				t.Errorf("%v t %v: φ*′ %v, difference %v", set, at, r, got)
			}
			up, _, _, _ := set.Conjugate(at + h)
			down, _, _, _ := set.Conjugate(at - h)
			if got := (up - down) / (2 * h); math.Abs(got-second) > 1e-5*(1+second) && smooth {
				t.Errorf("%v t %v: φ*″ %v, difference %v", set, at, second, got)
			}
		}
		if !math.IsInf(set.Divergence(-1), 1) {
			t.Errorf("%v: φ(−1) is finite", set)
		}
	}
}

// φ_k agrees with its definition at 320 bits.
func TestDivergenceDefinition(t *testing.T) {
	for _, set := range testSets() {
		for _, r := range []float64{0, 1e-9, .2, 1 - 1e-6, 1, 1 + 1e-6, 1.05, 1.4} {
			if math.IsInf(set.Divergence(r), 1) {
				continue // beyond smoothed CVaR's 1/μ
			}
			got, want := set.Divergence(r), toFloat(bigPhi(set, bf(r)))
			if math.Abs(got-want) > 1e-15 {
				t.Errorf("%v: φ(%v) = %v, want %v", set, r, got, want)
			}
		}
	}
}

func TestGradients(t *testing.T) {
	losses := exponential(testRand(11), 30)
	ratios := make([]float64, len(losses))
	for _, p := range testProblems(.7) {
		for _, z := range []Z{{.3, .2}, {1, 0}, {2.5, 1.1}} {
			eval := p.Evaluate(ratios, losses, z)
			const h = 1e-6
			value := func(z Z) float64 { return p.Evaluate(nil, losses, z).Value }
			dLambda := (value(Z{z.Lambda + h, z.Eta}) - value(Z{z.Lambda - h, z.Eta})) / (2 * h)
			dEta := (value(Z{z.Lambda, z.Eta + h}) - value(Z{z.Lambda, z.Eta - h})) / (2 * h)
			scale := 1e-7 * (1 + math.Abs(eval.Value))
			if p.Set.HasRadius() && math.Abs(dLambda-eval.Grad.Lambda) > scale {
				t.Errorf("%v at %v: ∂F/∂λ %v, difference %v", p, z, eval.Grad.Lambda, dLambda)
			}
			if math.Abs(dEta-eval.Grad.Eta) > scale {
				t.Errorf("%v at %v: ∂F/∂η %v, difference %v", p, z, eval.Grad.Eta, dEta)
			}
			for _, i := range []int{0, 7, 29} {
				moved := slices.Clone(losses)
				moved[i] += h
				above := p.Evaluate(nil, moved, z).Value
				moved[i] -= 2 * h
				below := p.Evaluate(nil, moved, z).Value
				if got := (above - below) / (2 * h) * 30; math.Abs(got-ratios[i]) > 30*scale {
					t.Errorf("%v at %v: n ∂F/∂ℓ_%d %v, difference %v", p, z, i, ratios[i], got)
				}
			}
			var sum float64
			for _, r := range ratios {
				sum += r / 30
			}
			if math.Abs(sum-eval.MeanRatio) > 1e-12*sum {
				t.Errorf("%v: mean ratio %v, of the ratios %v", p, eval.MeanRatio, sum)
			}
		}
	}
}

// F agrees with the paper's own form: (k−1)^{k*}/k (ℓ−η)₊^{k*} λ^{1−k*} + λ(ρ + 1/(k(k−1))) + η.
func TestPaperForm(t *testing.T) {
	losses := exponential(testRand(12), 25)
	for _, k := range []float64{1.2, 1.5, 2} {
		p := Problem{Set: CressieRead{k}, Rho: .5, Coordinates: Paper}
		star := k / (k - 1)
		for _, z := range []Z{{1, 0}, {.4, .3}, {3, -2}} {
			var want float64
			for _, l := range losses {
				above := math.Pow(math.Max(0, l-z.Eta), star)
				want += math.Pow(k-1, star) / k * above * math.Pow(z.Lambda, 1-star) / 25
			}
			want += z.Lambda*(.5+1/(k*(k-1))) + z.Eta
			if got := p.Evaluate(nil, losses, z).Value; !within(got, want, 1e-12) {
				t.Errorf("k %v at %v: F %v, the paper's %v", k, z, got, want)
			}
			back, slack := p.Shift(p.Unshift(z)), 1e-15*(1+math.Abs(z.Lambda)/(k-1))
			if math.Abs(back.Eta-z.Eta) > slack {
				t.Errorf("k %v: %v there and back is %v", k, z, back)
			}
		}
	}
}

func TestConvexInZ(t *testing.T) {
	losses := exponential(testRand(13), 40)
	rng := testRand(14)
	for _, p := range testProblems(.7) {
		for range 200 {
			at := func() Z { return Z{.1 + 3*rng.Float64(), -1 + 4*rng.Float64()} }
			a, b, s := at(), at(), rng.Float64()
			mid := a.along(s, b.sub(a))
			value := func(z Z) float64 { return p.Evaluate(nil, losses, z).Value }
			fa, fb, fm := value(a), value(b), value(mid)
			if chord := (1-s)*fa + s*fb; fm > chord+1e-12*math.Abs(chord) {
				t.Fatalf("%v: F at %v of [%v, %v] is %v above the chord's %v", p, s, a, b,
					fm, chord)
			}
		}
	}
}

// dᵀHd agrees with second differences of F where no loss crosses a kink.
func TestCurvature(t *testing.T) {
	losses := exponential(testRand(15), 40)
	for _, p := range testProblems(.7) {
		if !p.Set.HasRadius() {
			continue
		}
		z, d := Z{1.3, .21}, Z{.8, -.5}
		if p.Coordinates == Paper {
			z.Eta -= 1
		}
		const h = 1e-4
		mid := p.Evaluate(nil, losses, z).Value
		ahead := p.Evaluate(nil, losses, z.along(h, d))
		behind := p.Evaluate(nil, losses, z.along(-h, d))
		want := (ahead.Value - 2*mid + behind.Value) / (h * h)
		if got := p.Curvature(losses, z, d); !within(got, want, 1e-4) {
			t.Errorf("%v: curvature %v, difference %v", p, got, want)
		}
	}
}

// F is 1-homogeneous in (ℓ, λ, η).
func TestHomogeneous(t *testing.T) {
	losses := exponential(testRand(16), 20)
	scaled := make([]float64, len(losses))
	for i := range losses {
		scaled[i] = 4 * losses[i]
	}
	for _, p := range testProblems(.7) {
		a, b := p.Evaluate(nil, losses, Z{1, .5}), p.Evaluate(nil, scaled, Z{4, 2})
		if !within(b.Value, 4*a.Value, 1e-14) || b.Grad != a.Grad {
			t.Errorf("%v: losses times 4 give %+v, want 4 times the value and the same gradient "+
				"as %+v", p, b, a)
		}
	}
}

func TestNonFiniteLossesShow(t *testing.T) {
	for _, p := range testProblems(.7) {
		for _, bad := range []float64{math.NaN(), math.Inf(1)} {
			v := p.Evaluate(nil, []float64{1, bad, 2}, Z{1, .5}).Value
			if !math.IsNaN(v) && !math.IsInf(v, 0) {
				t.Errorf("%v: loss %v gives F = %v", p, bad, v)
			}
		}
	}
}

func TestProblemErrors(t *testing.T) {
	ok := Problem{Set: KL{}, Rho: 1, Coordinates: Unshifted,
		Box: Box{Lambda: [2]float64{.1, 1}, Eta: [2]float64{0, 1}}}
	if err := ok.Validate(); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		change func(*Problem)
		want   string
	}{
		{func(p *Problem) { p.Set = nil }, "uncertainty"},
		{func(p *Problem) { p.Set = CressieRead{3} }, "k 3"},
		{func(p *Problem) { p.Rho = -1 }, "rho -1"},
		{func(p *Problem) { p.Coordinates = "polar" }, `coordinates "polar"`},
		{func(p *Problem) { p.Coordinates = Paper }, "kl has no shift"},
		{func(p *Problem) { p.Box.Lambda[0] = 0 }, "lambda0 0"},
		{func(p *Problem) { p.Box.Lambda[1] = .05 }, "box of lambda"},
		{func(p *Problem) { p.Box.Eta[1] = math.NaN() }, "box of eta"},
	} {
		t.Run(c.want, func(t *testing.T) {
			p := ok
			c.change(&p)
			if err := p.Validate(); err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("error %v, want one with %q", err, c.want)
			}
		})
	}
}

func TestNewSet(t *testing.T) {
	for _, name := range SetNames() {
		set, err := NewSet(name, 1.5, .3)
		if err != nil {
			t.Fatal(err)
		}
		if want := strings.Replace(name, "chi2", "cressie-read", 1); set.Name() != want {
			t.Errorf("NewSet(%q).Name() = %q", name, set.Name())
		}
		c := DefaultCoordinates(set)
		if (c == Paper) != (name == "chi2") {
			t.Errorf("%s: default coordinates %s", name, c)
		}
	}
	for _, c := range []struct {
		name  string
		k, mu float64
		want  string
	}{
		{"hellinger", 2, .1, "expected one of cressie-read, chi2"},
		{"cressie-read", 1, .1, "k 1"},
		{"cvar", 2, 1.5, "mu 1.5"},
		{"smoothed-cvar", 2, math.NaN(), "mu NaN"},
	} {
		t.Run(c.name, func(t *testing.T) {
			if _, err := NewSet(c.name, c.k, c.mu); err == nil ||
				!strings.Contains(err.Error(), c.want) {
				t.Errorf("NewSet(%q, %v, %v): error %v, want one with %q", c.name, c.k, c.mu,
					err, c.want)
			}
		})
	}
	for _, s := range []string{"paper", "unshifted"} {
		if c, err := ParseCoordinates(s); err != nil || string(c) != s {
			t.Errorf("ParseCoordinates(%q) = %q, %v", s, c, err)
		}
	}
}
