package nn

import (
	"math"
	"slices"

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
		norm = n.norm()
		if norm > s.Clip {
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

// AdamWName is the name of the optimiser of Adapt.
const AdamWName = "adamw"

// Optimizers returns the names of the optimisers, the customary one first.
func Optimizers() []string { return []string{"sgd", AdamWName} }

// AdamW holds the settings of one update that SGD does not have (Loshchilov and Hutter 2019, arXiv
// 1711.05101, Algorithm 2, in PyTorch's form): with g the gradient and t the update's number,
//
//	m ← β1·m + (1−β1)g, v ← β2·v + (1−β2)g²,
//	w ← (1 − lr·weightDecay)w − lr·m/(1−β1^t) / (√(v/(1−β2^t)) + eps).
type AdamW struct{ Beta1, Beta2, Eps float64 }

// adam is the optimiser's state beside the mean gradients, which lie where SGD has its velocities.
type adam struct {
	kernel  kern.AdamW
	memory  []float32
	tensors []Tensor  // the mean squares in memory, and updates
	updates []float32 // their number since the start, in digits of base countBase, lowest first
}

const countBase = 1 << 24 // below it a float32 counts by ones

func newAdam(parameters []slot) *adam {
	list := slices.Clone(parameters)
	for i := range list {
		list[i].Name += ".square"
	}
	a := new(adam)
	count := slot{Tensor: Tensor{Name: "updates", Shape: []int{2}}}
	a.memory, a.tensors = arena(append(list, count))
	a.updates = a.tensors[len(parameters)].Data
	return a
}

// countUpdate counts an update and returns its number, from 1.
func (a *adam) countUpdate() float64 {
	a.updates[0]++
	if a.updates[0] == countBase {
		a.updates[0], a.updates[1] = 0, a.updates[1]+1
	}
	return float64(a.updates[0]) + countBase*float64(a.updates[1])
}

// Adapt takes one step of AdamW along the last Gradient, at the step size, weight decay and clip of
// s, and returns the gradient's norm as Update does.
func (n *Net) Adapt(s SGD, a AdamW) (norm float64) {
	n.SetUpdates(n.updates + 1)
	t := n.adam.countUpdate()
	norm = n.norm()
	c := kern.AdamWConfig{
		Beta1: a.Beta1, Beta2: a.Beta2, Eps: a.Eps,
		Rate: s.LR / (1 - math.Pow(a.Beta1, t)), Root: math.Sqrt(1 - math.Pow(a.Beta2, t)),
		Keep: 1 - s.LR*s.WeightDecay, Scale: 1,
	}
	if s.Clip > 0 && norm > s.Clip {
		c.Scale = s.Clip / norm
	}
	squares := n.adam.memory[:len(n.weights)]
	n.adam.kernel.Step(n.graph.team, n.weights, n.velocity, squares, n.gradient, c)
	return norm
}
