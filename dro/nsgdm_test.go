package dro

import (
	"math"
	"slices"
	"testing"

	"drolab/dro/testsize"
)

// The steps are the method's source, written out for one vector (x, η), with the gradient of F by
// finite differences: m ← βm + (1−β)g, then α m/‖m‖.
func TestNormalisedMomentumIsItsAlgorithm(t *testing.T) {
	const alpha, beta, d, steps = .03, .8, 3, 40
	l := newRegressionProblem(testRand(71), 60, d, square, func(m float64) float64 { return m })
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
	n := newTrainer(t, "nsgdm", p, map[string]Auto{"eta": Fixed(.5)}).(*nsgdmTrainer)
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
	testsize.NotShort(t, "takes thousands of steps, as TestAlgorithmsReachTheOptimum does in small")
	rng := testRand(72)
	for _, l := range []*regressionProblem{
		newRegressionProblem(rng, 100, 1, square, func(m float64) float64 { return m }),
		newRegressionProblem(rng, 100, 3, logistic,
			func(m float64) float64 { return math.Copysign(1, m) }),
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
			for _, alpha := range testsize.Few(1, .01, .002) {
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
