package nn

import (
	"math"
	"math/rand/v2"
	"testing"
)

// batch draws n inputs and labels.
func batch(c Config, n int, seed uint64) (x []float32, labels []int, ratios []float64) {
	rng := rand.New(rand.NewPCG(seed, 0))
	x, labels, ratios = make([]float32, n*c.C*c.H*c.W), make([]int, n), make([]float64, n)
	for i := range x {
		x[i] = float32(rng.NormFloat64())
	}
	for i := range labels {
		labels[i] = rng.IntN(c.Classes)
		ratios[i] = 2 * rng.Float64()
	}
	return x, labels, ratios
}

func TestLearnsABatch(t *testing.T) {
	for _, model := range Models() {
		c := Config{Model: model, C: 3, H: 32, W: 32, Classes: 10, Batch: 16, Seed: 1, Threads: 2}
		n, err := New(c)
		if err != nil {
			t.Fatal(err)
		}
		x, labels, ratios := batch(c, 16, 1)
		losses := make([]float64, 16)
		n.Losses(losses, x, labels)
		first := mean(losses)
		for range 30 {
			n.Losses(losses, x, labels)
			n.Gradient(ratios)
			n.Update(SGD{LR: 0.01, Momentum: 0.9})
		}
		n.Losses(losses, x, labels)
		t.Log(model, first, mean(losses))
		if !(mean(losses) < first/2) {
			t.Errorf("%s: the loss of one batch went from %.3f to %.3f in 30 steps, want less than half", model, first, mean(losses))
		}
		n.Close()
	}
}

func mean(xs []float64) float64 {
	var s float64
	for _, x := range xs {
		s += x
	}
	return s / float64(len(xs))
}

var _ = math.Abs
