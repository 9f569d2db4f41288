package nn

import (
	"drolab/dro/internal/kern"

	G "gorgonia.org/gorgonia"
)

// Layer describes a layer of a model and its place, for code that writes the network in another
// format. Its tensors are Name + ".weight", ".bias" and, for batch normalisation, ".norm.weight",
// ".norm.bias", ".norm.running_mean" and ".norm.running_var", in the shapes that PyTorch has.
type Layer struct {
	Name string
	// Kind is conv, linear, average (over all positions) or sum (of the outputs of From and Plus).
	Kind string
	// From and Plus are the indices of the layers whose outputs it takes; −1 is the batch.
	From, Plus int
	In, Out    [3]int // channels, rows, columns
	// Kernel is the side of a convolution's window, Stride and Pad go with it.
	Kernel, Stride, Pad int
	// Norm, ReLU and Pool tell what follows, in this order: batch normalisation with NormEpsilon,
	// in place of the bias, ReLU, and 2×2 max-pooling.
	Norm, ReLU, Pool bool
	// Curve is tanh or gelu in the place of ReLU; empty: neither.
	Curve string
}

// NormEpsilon is the number that batch normalisation adds to a variance.
const NormEpsilon = 1e-5

// Layers returns the layers of a model as it is evaluated, the logits last. It fails as New does.
func Layers(c Config) ([]Layer, error) {
	stages, err := stages(c)
	if err != nil {
		return nil, err
	}
	list := make([]Layer, len(stages))
	for i, s := range stages {
		list[i] = Layer{
			Name: s.name, Kind: string(s.kind), From: s.from, Plus: s.plus,
			In:     [3]int{s.in.Channels, s.in.Height, s.in.Width},
			Out:    [3]int{s.out.Channels, s.out.Height, s.out.Width},
			Kernel: s.kernel, Stride: s.stride, Pad: s.pad,
			Norm: s.norm, ReLU: s.relu || s.curve == "relu", Pool: s.pool,
		}
		if !list[i].ReLU {
			list[i].Curve = s.curve
		}
	}
	return list, nil
}

// kind names what a layer computes.
type kind string

const (
	conv     kind = "conv"
	linear   kind = "linear"
	average  kind = "average" // over all positions
	sum      kind = "sum"     // of two layers' outputs
	residual kind = "block"   // the sum of its input and of a branch's output: several stages
)

// definition is all that the package knows of a kind of layer.
type definition struct {
	// shape returns the shape of the output, before pooling, of a stage that knows its input.
	shape func(s *stage, classes int) (kern.Shape, error)
	// slots lists the parameters and the buffers; nil where the kind has none.
	slots func(s stage, init string) (parameters, buffers []slot)
	// node adds a stage to the graph; before holds the nodes of the batch and of the stages before
	// it. Pooling is added behind it.
	node func(g *graph, s stage, before G.Nodes) (*G.Node, error)
}

// kinds defines the kinds of layers. A new one is a row here, its op (see ops.go), and a case in
// each writer of runner/publish, which refuses kinds that it does not know.
var kinds = map[kind]definition{
	conv:   {shape: (*stage).productShape, slots: weightedSlots, node: (*graph).addWeighted},
	linear: {shape: (*stage).productShape, slots: weightedSlots, node: (*graph).addWeighted},
	average: {
		shape: func(s *stage, _ int) (kern.Shape, error) {
			return kern.Shape{Channels: s.in.Channels, Height: 1, Width: 1}, nil
		},
		node: func(g *graph, s stage, before G.Nodes) (*G.Node, error) {
			return g.addAverage(s.name, before[s.from+1], s.in)
		},
	},
	sum: {
		shape: func(s *stage, _ int) (kern.Shape, error) { return s.in, nil },
		node: func(g *graph, s stage, before G.Nodes) (*G.Node, error) {
			return g.addSum(s.name, before[s.from+1], before[s.plus+1], s.in, s.relu)
		},
	},
}
