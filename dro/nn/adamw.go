package nn

import (
	"math"
	"slices"

	"drolab/dro/internal/kern"
)

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
	call    kern.AdamWConfig
	memory  []float32
	tensors []Tensor  // the mean squares in memory, and taken
	taken   []float32 // updates since the start: their number in digits of base digit, lowest first
}

const digit = 1 << 24 // below it a float32 counts by ones

func newAdam(parameters []slot) *adam {
	list := slices.Clone(parameters)
	for i := range list {
		list[i].Name += ".square"
	}
	a := new(adam)
	count := slot{Tensor: Tensor{Name: "updates", Shape: []int{2}}}
	a.memory, a.tensors = arena(append(list, count))
	a.taken = a.tensors[len(parameters)].Data
	return a
}

// count counts an update and returns its number, from 1.
func (a *adam) count() float64 {
	if a.taken[0]++; a.taken[0] == digit {
		a.taken[0], a.taken[1] = 0, a.taken[1]+1
	}
	return float64(a.taken[0]) + digit*float64(a.taken[1])
}

// Adapt takes one step of AdamW along the last Gradient, at the step size, weight decay and clip of
// s, and returns the gradient's norm as Update does.
func (n *Net) Adapt(s SGD, a AdamW) (norm float64) {
	n.SetUpdates(n.updates + 1)
	t := n.adam.count()
	norm = n.norm()
	n.adam.call = kern.AdamWConfig{
		Beta1: a.Beta1, Beta2: a.Beta2, Eps: a.Eps,
		Rate: s.LR / (1 - math.Pow(a.Beta1, t)), Root: math.Sqrt(1 - math.Pow(a.Beta2, t)),
		Keep: 1 - s.LR*s.WeightDecay, Scale: 1,
	}
	if s.Clip > 0 && norm > s.Clip {
		n.adam.call.Scale = s.Clip / norm
	}
	squares := n.adam.memory[:len(n.weights)]
	n.adam.kernel.Step(n.graph.team, n.weights, n.velocity, squares, n.gradient, &n.adam.call)
	return norm
}
