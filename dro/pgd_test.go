package dro

import (
	"fmt"
	"math"
	"slices"
	"testing"
)

// Each step is our reading of the source, written out: η ← Π(η − α clip(∂F/∂η)), with the
// derivative by finite differences and cut to ±clip, and λ unchanged.
func TestClippedStepsAreTheAlgorithm(t *testing.T) {
	const alpha, clip, lambda = .07, .6, .4
	cut, steps := 0, 0
	for _, p := range testProblems(.5) {
		if !p.Set.HasRadius() {
			continue
		}
		rng := testRand(84)
		eta := .2
		trainer := newTrainer(t, "dsgdc", p, map[string]Auto{
			"lambda": Fixed(lambda), "eta": Fixed(eta),
			"clip": Fixed(clip)})
		for i := range 60 {
			losses := exponential(rng, 16)
			f := func(eta float64) float64 { return p.Evaluate(nil, losses, Z{lambda, eta}).Value }
			slope := (f(eta+1e-6) - f(eta-1e-6)) / 2e-6
			if math.Abs(slope) > clip {
				slope = math.Copysign(clip, slope)
				cut++
			}
			eta = math.Min(math.Max(eta-alpha*slope, p.Box.Eta[0]), p.Box.Eta[1])
			trainer.After(Batch{Losses: losses}, Step{T: int64(i + 1), Rate: alpha})
			if z := trainer.(Dual).Z(); math.Abs(z.Eta-eta) > 1e-6 || z.Lambda != lambda {
				t.Fatalf("%v, step %d: z %v, want η = %v", p, i+1, z, eta)
			}
		}
		steps += 60
	}
	if cut < steps/10 || cut > steps*9/10 {
		t.Errorf("%d of %d gradients were cut, so that little is shown", cut, steps)
	}
}

// The bound of the gradient is 10 by default. With clip: none, the method is PAN to the bit.
func TestClippedStepsByDefault(t *testing.T) {
	m, err := Find("dsgdc")
	if err != nil {
		t.Fatal(err)
	}
	p := testProblems(.5)[0]
	p.Box.Eta = [2]float64{-1e6, 1e6}
	for _, c := range []struct {
		clip Auto
		want float64
	}{{Auto{}, m.Clip}, {Fixed(3), 3}, {None(), math.Inf(1)}} {
		t.Run(fmt.Sprint(c), func(t *testing.T) {
			s := map[string]Auto{"lambda": Fixed(.1), "eta": Fixed(0), "clip": c.clip}
			trainer, pan := newTrainer(t, "dsgdc", p, s), newTrainer(t, PAN, p, s)
			b, step := Batch{Losses: []float64{2, 900}}, Step{T: 1, Rate: .5}
			trainer.After(b, step)
			pan.After(b, step)
			got, free := trainer.(Dual).Z().Eta, pan.(Dual).Z().Eta
			if want := math.Min(free, .5*c.want); got != want || !(free > .5*10) {
				t.Errorf("clip %v: η moved to %v, PAN's to %v", c.clip, got, free)
			}
		})
	}
	if m.Clip != 10 {
		t.Errorf("the gradient of x is cut at %v, want 10", m.Clip)
	}
}

// Where nothing is cut at the optimum, that optimum is the one of the penalised problem, as for
// PAN.
func TestClippedStepsReachTheOptimum(t *testing.T) {
	l := newLeast(testRand(85), 80, 2, square, func(m float64) float64 { return m })
	for _, set := range []Set{CressieRead{1.5}, CressieRead{2}, KL{}, SmoothedCVaR{.2}} {
		p := Problem{Set: set, Rho: .1, Coordinates: Unshifted}
		p.Box = DefaultBox(set, p.Rho, Unshifted, .01, 10)
		s := map[string]Auto{"lambda": Fixed(.5), "eta": Fixed(3), "clip": Fixed(.3)}
		trainer := newTrainer(t, "dsgdc", &p, s)
		got, _, _ := l.train(t, trainer, &p, 8000, .05)
		values, slopes := make([]float64, 80), make([]float64, 80)
		l.losses(values, slopes, got, l.all())
		want, err := Penalised(set, nil, values, .5)
		if err != nil {
			t.Fatal(err)
		}
		if eta := trainer.(Dual).Z().Eta; math.Abs(eta-want.Z.Eta) > 1e-6 {
			t.Errorf("%v: η = %v, the exact one at this x is %v", set, eta, want.Z.Eta)
		}
		gradient := make([]float64, 2)
		ratios := make([]float64, 80)
		p.Evaluate(ratios, values, trainer.(Dual).Z())
		if l.descend(gradient, ratios, slopes, l.all(), 1); length(gradient) > 1e-6 {
			t.Errorf("%v: ‖∇_x F‖ = %v", set, length(gradient))
		}
	}
}

// The steps are the method's source, written out for one vector (x, η), with the gradient of F by
// finite differences: m ← βm + (1−β)g, then α m/‖m‖.
func TestNormalisedMomentumIsItsAlgorithm(t *testing.T) {
	const alpha, beta, d, steps = .03, .8, 3, 40
	l := newLeast(testRand(71), 60, d, square, func(m float64) float64 { return m })
	for _, p := range []Problem{
		{Set: CressieRead{2}, Coordinates: Paper}, {Set: KL{}, Coordinates: Unshifted},
		{Set: SmoothedCVaR{.2}, Coordinates: Unshifted},
	} {
		p.Rho = .3
		p.Box = DefaultBox(p.Set, p.Rho, p.Coordinates, .1, 10)
		p.Box.Eta[1] = .15 // in reach
		const lambda = .9
		values, slopes := make([]float64, 20), make([]float64, 20)
		objective := func(y []float64, index []int) float64 {
			l.losses(values, slopes, y[:d], index)
			return p.Evaluate(nil, values, Z{lambda, y[d]}).Value
		}
		y, m, atEnd := make([]float64, d+1), make([]float64, d+1), 0
		for i := range steps {
			index := indices(60)[i%3*20:][:20]
			for c := range y {
				at := y[c]
				y[c] = at + 1e-5
				up := objective(y, index)
				y[c] = at - 1e-5
				m[c] = beta*m[c] + (1-beta)*(up-objective(y, index))/2e-5
				y[c] = at
			}
			addTo(y, -alpha/length(m), m)
			y[d] = clamp(y[d], p.Box.Eta)
			if y[d] == p.Box.Eta[1] {
				atEnd++
			}
		}
		trainer := newTrainer(t, "nsgdm", &p, map[string]Auto{"lambda": Fixed(lambda),
			"momentum": Fixed(beta)})
		x, i := make([]float64, d), -1
		l.walk(trainer, x, steps, alpha, beta,
			func() []int { i++; return indices(60)[i%3*20:][:20] })
		for c, got := range append(x, trainer.(Dual).Z().Eta) {
			if math.Abs(got-y[c]) > 1e-7 {
				t.Errorf("%v: coordinate %d is %v, want %v", &p, c, got, y[c])
			}
		}
		if got := reported(trainer)["momentum_norm"]; math.Abs(got-length(m)) > 1e-7 {
			t.Errorf("%v: ‖m‖ %v, want %v", &p, got, length(m))
		}
		if trainer.(Dual).Z().Lambda != lambda || p.Coordinates == Unshifted &&
			(atEnd == 0 || atEnd == steps) {
			t.Errorf("%v: λ %v, η at the end of its box %d times", &p,
				trainer.(Dual).Z().Lambda, atEnd)
		}
	}
}

// Where the gradient has always been 0, there is no direction and hence no step.
func TestNormalisedMomentumStandsStillWithoutAGradient(t *testing.T) {
	p := &Problem{Set: KL{}, Rho: 1, Coordinates: Unshifted,
		Box: Box{[2]float64{.1, 9}, [2]float64{0, 9}}}
	n := newTrainer(t, "nsgdm", p, map[string]Auto{"eta": Fixed(.5)}).(*normalised)
	b, before := Batch{Losses: []float64{.5, .5}}, n.Z()
	n.Weights(make([]float64, 2), b)
	if a := n.Advance(0, .1); a != 0 {
		t.Errorf("x goes %v times the velocity, want 0", a)
	}
	if n.After(b, Step{T: 1, Rate: .1}); n.Z() != before {
		t.Errorf("z went from %v to %v", before, n.Z())
	}
}

// With full batches and a constant α, normalised momentum comes to the optimum of the penalised
// problem, which PAN finds exactly, and hovers about it. It stays within 3α in (x, η), in steps no
// smaller than α. It does not converge unless α falls: of two iterates in a row, at least one is
// α/2 or more away.
func TestNormalisedMomentumHoversAboutTheOptimum(t *testing.T) {
	rng := testRand(72)
	for _, l := range []*least{
		newLeast(rng, 100, 1, square, func(m float64) float64 { return m }),
		newLeast(rng, 100, 3, logistic, func(m float64) float64 { return math.Copysign(1, m) }),
	} {
		for _, p := range []Problem{
			{Set: CressieRead{1.5}, Coordinates: Unshifted},
			{Set: CressieRead{2}, Coordinates: Paper},
			{Set: KL{}, Coordinates: Unshifted}, {Set: SmoothedCVaR{.2}, Coordinates: Unshifted},
		} {
			p.Rho = .1
			p.Box = DefaultBox(p.Set, p.Rho, p.Coordinates, .01, 10)
			s := map[string]Auto{"lambda": Fixed(.6)}
			pan := newTrainer(t, PAN, &p, s)
			want, _, _ := l.train(t, pan, &p, 4000, .05)
			want = append(want, pan.(Dual).Z().Eta)
			for _, alpha := range []float64{.01, .002} {
				n := newTrainer(t, "nsgdm", &p, s)
				x := make([]float64, len(l.a[0]))
				var off []float64
				l.walk(n, x, int(6/alpha), alpha, .9, func() []int {
					at := append(slices.Clone(x), n.(Dual).Z().Eta)
					addTo(at, -1, want)
					off = append(off, length(at)/alpha)
					return l.all()
				})
				off = off[len(off)-100:]
				if far := slices.Max(off); !(far <= 3) || !(far >= .5) {
					t.Errorf("%v, α = %v: up to %.3g α off the optimum, want ½ to 3", &p,
						alpha, far)
				}
			}
		}
	}
}
