package dro

import (
	"fmt"
	"math"
	"testing"

	"drolab/dro/testsize"
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
	l := newRegressionProblem(testRand(85), 80, 2, square, func(m float64) float64 { return m })
	for _, set := range testsize.Few[Set](1, CressieRead{1.5}, CressieRead{2}, KL{},
		SmoothedCVaR{.2}) {
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
			t.Errorf("%v: ‖∇_x F‖ = %v at the end, want at most 1e-6", set, length(gradient))
		}
	}
}
