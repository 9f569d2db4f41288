package dro

import (
	"math"
	"slices"
	"testing"
)

// The tilted loss is the penalised problem of KL at λ = 1/t with the best η, whose exact solver
// computes the weights and the value independently.
func TestTiltedIsThePenalisedProblemOfKL(t *testing.T) {
	rng := testRand(88)
	for _, tilt := range []float64{.01, 1, 30} {
		trainer := newTrainer(t, "tilted", nil, map[string]Auto{"tilt": Fixed(tilt)})
		for _, n := range []int{1, 2, 50} {
			losses := exponential(rng, n)
			w, want := make([]float64, n), make([]float64, n)
			worst, err := Penalised(KL{}, want, losses, 1/tilt)
			if err != nil {
				t.Fatal(err)
			}
			trainer.Weights(w, Batch{Losses: losses})
			for i := range w {
				if math.Abs(w[i]-want[i]) > 1e-9*(1+want[i]) {
					t.Errorf("t = %v, n = %d: weight %d is %v, want %v", tilt, n, i, w[i], want[i])
				}
			}
			got := reported(trainer)
			if value := worst.Risk - worst.Divergence/tilt; !within(got["tilted_loss"],
				value, 1e-9) ||
				!within(got["effective_batch"], worst.EffectiveSampleSize, 1e-9) {
				t.Errorf("t = %v, n = %d: %v, want %v and %v", tilt, n, got, value,
					worst.EffectiveSampleSize)
			}
		}
	}
}

// The weights stay exact for losses whose exponentials overflow or vanish.
func TestTiltedIsStable(t *testing.T) {
	trainer := newTrainer(t, "tilted", nil, map[string]Auto{"tilt": Fixed(100)})
	w := make([]float64, 4)
	for _, base := range []float64{0, 1e6} {
		trainer.Weights(w, Batch{Losses: []float64{base, base + 1e4, base + 1e4, base + 5e3}})
		if !slices.Equal(w, []float64{0, 2, 2, 0}) {
			t.Errorf("from %v: weights %v, want 0 2 2 0", base, w)
		}
		got, want := reported(trainer)["tilted_loss"], base+1e4-math.Log(2)/100
		if !within(got, want, 1e-12) {
			t.Errorf("from %v: tilted loss %v, want %v", base, got, want)
		}
	}
}

// With full batches, the method comes to the minimum of the tilted loss, where finite differences
// of log-sum-exp vanish. It lies between the mean of the points, at .2, and the middle of the
// outermost points, at .75.
func TestTiltedReachesTheOptimum(t *testing.T) {
	l := points([]int{90, 10}, []float64{0, 2}, []float64{.5, 0})
	before := .2
	for _, tilt := range []float64{1e-6, .5, 2, 20} {
		x := []float64{0}
		l.walk(newTrainer(t, "tilted", nil, map[string]Auto{"tilt": Fixed(tilt)}), x, 4000, .05,
			0, l.all)
		objective := func(x float64) float64 {
			values, slopes, sum := make([]float64, 100), make([]float64, 100), 0.0
			l.losses(values, slopes, []float64{x}, l.all())
			for _, v := range values {
				sum += math.Exp(tilt*v) / 100
			}
			return math.Log(sum) / tilt
		}
		if slope := (objective(x[0]+1e-3) - objective(x[0]-1e-3)) / 2e-3; math.Abs(slope) > 1e-5 {
			t.Errorf("t = %v: x = %v, where the slope is %v", tilt, x[0], slope)
		}
		if x[0] < before-1e-6 || x[0] > .75 {
			t.Errorf("t = %v: x = %v, want more than at the tilt before, %v, and below .75", tilt,
				x[0], before)
		}
		before = x[0]
	}
}
