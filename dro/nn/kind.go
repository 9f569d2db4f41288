package nn

import (
	"cmp"

	"drolab/dro/internal/kern"

	G "gorgonia.org/gorgonia"
)

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
	conv:   {shape: (*stage).product, slots: weightedSlots, node: (*graph).weighted},
	linear: {shape: (*stage).product, slots: weightedSlots, node: (*graph).weighted},
	average: {
		shape: func(s *stage, _ int) (kern.Shape, error) {
			return kern.Shape{Channels: s.in.Channels, Height: 1, Width: 1}, nil
		},
		node: func(g *graph, s stage, before G.Nodes) (*G.Node, error) {
			return g.average(s.name, before[s.from+1], s.in)
		},
	},
	sum: {
		shape: func(s *stage, _ int) (kern.Shape, error) { return s.in, nil },
		node: func(g *graph, s stage, before G.Nodes) (*G.Node, error) {
			return g.sum(s.name, before[s.from+1], before[s.plus+1], s.in, s.relu)
		},
	},
}

// product returns the shape of the output of a convolution or a linear layer. A layer without a
// number of units gets one unit for each class.
func (s *stage) product(classes int) (kern.Shape, error) {
	s.layer.out = cmp.Or(s.layer.out, classes)
	return s.config().OutShape()
}
