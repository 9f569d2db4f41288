package nn

import (
	"drolab/dro/internal/kern"

	G "gorgonia.org/gorgonia"
	"gorgonia.org/tensor"
)

// One convention holds between these ops: the gradient of a ReLU's output that
// an op hands down is masked already (0 where the ReLU was off), so that it is
// the gradient of what went into the ReLU. Whoever reads the output masks in
// the same pass; no op of its own is spent on it.

// backend is what all ops of a network share.
type backend struct {
	isa   kern.ISA
	team  *kern.Team
	batch kern.Batch
	add   bool // gradients of parameters are added to what is there
}

// dense returns a tensor over data with the given shape.
func dense32(data []float32, shape ...int) *tensor.Dense {
	return tensor.New(tensor.WithShape(shape...), tensor.WithBacking(data))
}

// activation returns memory for a batch of activations, as a tensor.
func (b *backend) activation(s kern.Shape) ([]float32, *tensor.Dense) {
	data := kern.Alloc(b.batch.Len(s))
	return data, dense32(data, len(data))
}

// convOp is a convolution or a dense layer with its bias and its ReLU.
type convOp struct {
	*backend
	name      string
	kernel    *kern.Conv
	in        kern.Shape
	first     bool      // the input is the batch itself: no one wants its gradient
	rectified bool      // the input is a ReLU's output: mask its gradient
	dw, db    []float32 // where the gradients of the parameters go
}

// apply adds the layer to the graph; w and b are its parameters' nodes.
func (c *convOp) apply(x, w, b *G.Node) (*G.Node, error) {
	y, out := c.activation(c.kernel.Out())
	return G.ApplyOp(&op{
		name: c.name, in: []input{flat(), {w.Dims(), tensor.Float32}, flat()}, out: out,
		run:  func(in []array) { c.kernel.Forward(c.team, y, in[0].F32, in[1].F32, in[2].F32) },
		diff: c.diff, wrt: []bool{!c.first, true, true},
	}, x, w, b)
}

func (c *convOp) diff(in G.Nodes, _, grad *G.Node) (G.Nodes, error) {
	x, w, b := in[0], in[1], in[2]
	dw, err := G.ApplyOp(&op{
		name: c.name + ".dw", in: []input{flat(), flat()}, out: dense32(c.dw, w.Shape()...),
		run: func(in []array) { c.weightGradients(in[0].F32, in[1].F32) },
	}, x, grad)
	if err != nil {
		return nil, err
	}
	// The kernel above fills db as well; this node only says so to Gorgonia.
	db, err := G.ApplyOp(&op{
		name: c.name + ".db", in: []input{{w.Dims(), tensor.Float32}}, out: dense32(c.db, b.Shape()...),
		run: func([]array) {},
	}, dw)
	if err != nil || c.first {
		return G.Nodes{nil, dw, db}, err
	}
	dx, err := c.dx(x, w, grad)
	return G.Nodes{dx, dw, db}, err
}

func (c *convOp) weightGradients(x, dy []float32) {
	if c.add {
		c.kernel.AddBackwardWeights(c.team, c.dw, c.db, x, dy)
	} else {
		c.kernel.BackwardWeights(c.team, c.dw, c.db, x, dy)
	}
}

func (c *convOp) dx(x, w, grad *G.Node) (*G.Node, error) {
	data, out := c.activation(c.in)
	return G.ApplyOp(&op{
		name: c.name + ".dx", in: []input{flat(), {w.Dims(), tensor.Float32}, flat()}, out: out,
		run: func(in []array) {
			var mask []float32
			if c.rectified {
				mask = in[0].F32
			}
			c.kernel.BackwardData(c.team, data, in[2].F32, in[1].F32, mask)
		},
	}, x, w, grad)
}

// pool adds 2×2 max-pooling of a ReLU's output.
func (b *backend) pool(name string, x *G.Node, shape kern.Shape) (*G.Node, error) {
	kernel, err := kern.NewMaxPool(b.isa, b.batch, shape, 2, true)
	if err != nil {
		return nil, err
	}
	y, out := b.activation(kernel.Out())
	dx, gradient := b.activation(shape)
	diff := func(in G.Nodes, y, grad *G.Node) (G.Nodes, error) {
		d, err := G.ApplyOp(&op{
			name: name + ".dx", in: []input{flat(), flat(), flat()}, out: gradient,
			run: func(in []array) { kernel.Backward(b.team, dx, in[0].F32, in[1].F32, in[2].F32) },
		}, in[0], y, grad)
		return G.Nodes{d}, err
	}
	return G.ApplyOp(&op{
		name: name, in: []input{flat()}, out: out,
		run:  func(in []array) { kernel.Forward(b.team, y, in[0].F32) },
		diff: diff, wrt: []bool{true},
	}, x)
}

// crossEntropy adds the softmax cross-entropy of each sample: a vector of
// float64 losses, whose gradient is the vector of weights r_i/n. labels gives
// the classes of the current batch; they are no numbers to differentiate by,
// so they do not enter as a node.
func (b *backend) crossEntropy(logits *G.Node, classes int, losses []float64, labels func() []int) (*G.Node, error) {
	kernel, err := kern.NewSoftmax(b.batch, classes)
	if err != nil {
		return nil, err
	}
	shape := kern.Shape{Channels: classes, Height: 1, Width: 1}
	probabilities := kern.Alloc(b.batch.Len(shape))
	dx, gradient := b.activation(shape)
	diff := func(in G.Nodes, y, grad *G.Node) (G.Nodes, error) {
		d, err := G.ApplyOp(&op{
			name: "cross-entropy.dx", in: []input{{1, tensor.Float64}, {1, tensor.Float64}}, out: gradient,
			run: func(in []array) { kernel.Gradient(dx, probabilities, labels(), in[1].F64[:len(labels())]) },
		}, y, grad)
		return G.Nodes{d}, err
	}
	return G.ApplyOp(&op{
		name: "cross-entropy", in: []input{flat()},
		out:  tensor.New(tensor.WithShape(len(losses)), tensor.WithBacking(losses)),
		run:  func(in []array) { kernel.Losses(losses[:len(labels())], probabilities, in[0].F32, labels()) },
		diff: diff, wrt: []bool{true},
	}, logits)
}
