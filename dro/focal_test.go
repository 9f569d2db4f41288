package dro

import (
	"math"
	"testing"

	"drolab/dro/testsize"
)

// The weights are the derivatives of (1 − e^{−ℓ})^γ ℓ, by finite differences of
// the source's form −(1 − p)^γ log p.
func TestFocalWeightsAreItsDerivative(t *testing.T) {
	for _, gamma := range []float64{1, 1.5, 2, 5} {
		trainer := newTrainer(t, "focal", nil, map[string]Auto{"focal_gamma": Fixed(gamma)})
		loss := func(l float64) float64 {
			p := math.Exp(-l)
			return -math.Pow(1-p, gamma) * math.Log(p)
		}
		losses, sum := []float64{.01, .3, 1, 2.3, 6, 12}, 0.0
		w := make([]float64, len(losses))
		trainer.Weights(w, Batch{Losses: losses})
		for i, l := range losses {
			h := 1e-5 * l
			if want := (loss(l+h) - loss(l-h)) / (2 * h); math.Abs(w[i]-want) > 1e-7 {
				t.Errorf("γ = %v, ℓ = %v: weight %v, the finite difference %v", gamma, l,
					w[i], want)
			}
			sum += loss(l) / float64(len(losses))
		}
		if got := reported(trainer)["focal_loss"]; !within(got, sum, 1e-12) {
			t.Errorf("γ = %v: loss %v, want %v", gamma, got, sum)
		}
	}
}

// A sample without loss weighs nothing, for every γ; a sample with a huge loss weighs as in ERM.
// Where 1 − e^{−ℓ} would cancel, the weight is (1 + γ) ℓ^γ.
func TestFocalAtTheEdges(t *testing.T) {
	for _, gamma := range []float64{1, 2, 3.5} {
		trainer := newTrainer(t, "focal", nil, map[string]Auto{"focal_gamma": Fixed(gamma)})
		w := make([]float64, 3)
		trainer.Weights(w, Batch{Losses: []float64{0, 1e-20, 1e4}})
		if w[0] != 0 {
			t.Errorf("γ = %v: a loss of 0 weighs %v, want 0", gamma, w[0])
		}
		if want := (1 + gamma) * math.Pow(1e-20, gamma); !within(w[1], want, 1e-12) {
			t.Errorf("γ = %v: a loss of 1e-20 weighs %v, want %v", gamma, w[1], want)
		}
		if w[2] != 1 {
			t.Errorf("γ = %v: a loss of 1e4 weighs %v, want 1", gamma, w[2])
		}
	}
}

// On logistic losses, focal converges to a point where the finite-difference gradient of its own
// mean loss is 0. That point is not ERM's.
func TestFocalReachesAStationaryPoint(t *testing.T) {
	testsize.NotShort(t, "takes 40,000 steps, as TestAlgorithmsReachTheOptimum does in small")
	l := newRegressionProblem(testRand(87), 100, 2, logistic,
		func(m float64) float64 { return math.Copysign(1, m) })
	trainer := newTrainer(t, "focal", nil, nil)
	x, erm := make([]float64, 2), make([]float64, 2)
	l.walk(trainer, x, 20_000, .5, 0, l.all)
	l.walk(newTrainer(t, ERM, nil, nil), erm, 20_000, .5, 0, l.all)
	objective := func(x []float64) (f float64) {
		values, slopes := make([]float64, 100), make([]float64, 100)
		l.losses(values, slopes, x, l.all())
		for _, v := range values {
			f += math.Pow(1-math.Exp(-v), 2) * v / 100
		}
		return f
	}
	for c, at := range x {
		x[c] = at + 1e-5
		up := objective(x)
		x[c] = at - 1e-5
		if slope := (up - objective(x)) / 2e-5; math.Abs(slope) > 1e-8 {
			t.Errorf("slope %d is %v", c, slope)
		}
		x[c] = at
	}
	if objective(x) >= objective(erm)-1e-4 {
		t.Errorf("focal loss %v, at ERM's x %v", objective(x), objective(erm))
	}
}
