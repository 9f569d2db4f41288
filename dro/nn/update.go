package nn

import (
	"math"

	"drolab/dro/internal/kern"
)

// SGD holds the settings of one update (PyTorch's rule, dampening 0):
// v ← momentum·v + (g + weightDecay·w), w ← w − lr·v.
type SGD struct {
	LR, Momentum, WeightDecay float64
	// Clip is the Euclidean norm that a longer g is scaled down to; 0 is no bound.
	Clip float64
}

// Update takes one step of SGD along the last Gradient and returns the
// gradient's Euclidean norm, before clipping and without weight decay.
func (n *Net) Update(s SGD) (norm float64) {
	if s.Clip > 0 {
		if norm = n.norm(); norm > s.Clip {
			n.accumulate(s.Momentum, 0, s.WeightDecay, s.Clip/norm)
			n.Advance(s.LR)
			return norm
		}
	}
	n.SetUpdates(n.updates + 1)
	c := kern.SGDConfig{
		LearningRate: float32(s.LR),
		Momentum:     float32(s.Momentum),
		WeightDecay:  float32(s.WeightDecay),
	}
	return math.Sqrt(n.sgd.Step(n.graph.team, n.weights, n.velocity, n.gradient, c))
}

// Accumulate is the first half of an update that needs the new velocity before it moves the
// weights, as normalised momentum does. It sets
//
//	v ← momentum·v + (1 − dampening)·(g + weightDecay·w)
//
// with the last Gradient g, scaled down to the norm clip if it is longer (0 is no bound). It
// returns the Euclidean norms of g, before scaling, and of v.
func (n *Net) Accumulate(
	momentum, dampening, weightDecay, clip float64,
) (gradient, velocity float64) {
	gradient = n.norm()
	scale := 1.0
	if clip > 0 && gradient > clip {
		scale = clip / gradient
	}
	return gradient, n.accumulate(momentum, dampening, weightDecay, scale)
}

// Advance is the second half: w ← w − rate·v.
func (n *Net) Advance(rate float64) {
	n.SetUpdates(n.updates + 1)
	n.sgd.Advance(n.graph.team, n.weights, n.velocity, float32(rate))
}

// norm returns ‖g‖ with the bits of kern's SGD.Step; GradientNorm sums in another order.
func (n *Net) norm() float64 { return math.Sqrt(n.sgd.SquaredNorm(n.graph.team, n.gradient)) }

func (n *Net) accumulate(momentum, dampening, weightDecay, scale float64) (velocity float64) {
	c := kern.AccumulateConfig{
		Momentum:    float32(momentum),
		Keep:        float32(1 - dampening),
		Scale:       float32(scale),
		WeightDecay: float32(weightDecay),
	}
	return math.Sqrt(n.sgd.Accumulate(n.graph.team, n.weights, n.velocity, n.gradient, c))
}
