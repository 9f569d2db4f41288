package nn

import (
	"drolab/dro/internal/kern"

	G "gorgonia.org/gorgonia"
	"gorgonia.org/tensor"
)

// backend is the state that all ops of a network share.
type backend struct {
	isa    kern.ISA
	team   *kern.Team
	batch  kern.Batch
	labels []int  // of the current batch
	mode   Mode   // of the current batch
	add    bool   // gradients of parameters are added to what is there
	noise  uint64 // the key of the current batch's dropout

	rows kern.Images // the current batch as it came, for a first layer that takes it so

	sums *kern.Sum // adds activations and masks them

	space    *kern.Scratch // memory of convolutions
	winograd bool          // convolutions that can are computed by Winograd's algorithm

	workspace *kern.Workspace // memory of products of bf16 operands; nil in fp32
	products  kern.BF16       // the kernel of these products
}

// dense32 returns a tensor over data with the given shape.
func dense32(data []float32, shape ...int) *tensor.Dense {
	return tensor.New(tensor.WithShape(shape...), tensor.WithBacking(data))
}

// activation returns memory for a batch of activations, as a tensor.
func (b *backend) activation(s kern.Shape) *tensor.Dense {
	data := kern.Alloc(b.batch.Len(s))
	return dense32(data, len(data))
}

// mask returns the gradient of the input of the ReLU that ends the op of y, from y's gradient: it
// is 0 where the ReLU was off. If one op alone computes y's gradient, that op masks it in the same
// pass, which saves a pass here. A gradient that is a sum, or has another use, stays as it is and
// is masked into memory of its own. Without a ReLU, it returns y's gradient.
func (b *backend) mask(relu bool, y, grad *G.Node) (*G.Node, error) {
	if !relu {
		return grad, nil
	}
	if o, ok := grad.Op().(*op); ok && o.gradientOf == y {
		o.masked = true
		return grad, nil
	}
	data := kern.Alloc(y.Shape().TotalSize())
	return apply(&op{
		name: y.Op().String() + ".mask", out: dense32(data, len(data)),
		part: maskPart{}, moves: true, over: true,
		run: func(to []float32, in []array) { b.sums.Run(b.team, to, in[0].F32, nil, in[1].F32) },
	}, grad, y)
}

// sideGradient returns a node for a gradient that the op of the node by writes to memory on its
// way.
func sideGradient(name string, by *G.Node, memory []float32, shape tensor.Shape) (*G.Node, error) {
	return apply(&op{
		name: name, out: dense32(memory, shape...),
		run: func([]float32, []array) {},
	}, by)
}

// convOp is a convolution or a dense layer, with its bias if it has one and its ReLU.
type convOp struct {
	*backend
	name    string
	exact   convKernel // for batches that are evaluated
	trained convKernel // for the others, at the network's precision
	in, out kern.Shape
	relu    bool
	first   bool      // the input is the batch itself, whose gradient nobody needs
	dw, db  []float32 // where the gradients of the parameters go; db is nil without a bias

	norm *kern.BatchNorm // normalises the output; nil: none
}

// convKernel is a convolution of package kern, on operands as they are or rounded.
type convKernel interface {
	FLOPs() float64
	SumMoments(n *kern.BatchNorm, y []float32, images int)
	Forward(t *kern.Team, y, x, w, bias []float32)
	BackwardData(t *kern.Team, dx, dy, w, act, plus []float32)
	BackwardWeights(t *kern.Team, dw, db, x, dy []float32, add bool)
}

// fromRows is the kernel of a first layer that takes the batch as it came.
type fromRows struct {
	*kern.Rows
	batchOf *backend
}

// Forward implements convKernel.
func (f fromRows) Forward(t *kern.Team, y, _, w, bias []float32) {
	f.Rows.Forward(t, y, f.batchOf.rows, w, bias)
}

// SumMoments implements convKernel.
func (f fromRows) SumMoments(*kern.BatchNorm, []float32, int) {
	panic("nn: rows are not normalised")
}

// BackwardData implements convKernel.
func (f fromRows) BackwardData(_ *kern.Team, _, _, _, _, _ []float32) {
	panic("nn: a batch has no gradient")
}

// BackwardWeights implements convKernel.
func (f fromRows) BackwardWeights(t *kern.Team, dw, db, _, dy []float32, add bool) {
	f.Rows.BackwardWeights(t, dw, db, f.batchOf.rows, dy, add)
}

// kernel returns the kernel for the current batch.
func (c *convOp) kernel() convKernel {
	if c.mode == Evaluate {
		return c.exact
	}
	return c.trained
}

// apply adds the layer to the graph; parameters are the nodes of its weights and its bias.
func (c *convOp) apply(x *G.Node, parameters ...*G.Node) (*G.Node, error) {
	return apply(&op{
		name: c.name, out: c.activation(c.out), part: forwardPart(c),
		run: func(y []float32, in []array) {
			var bias []float32
			if c.db != nil {
				bias = in[2].F32
			}
			if c.norm != nil && c.mode != Evaluate {
				c.kernel().SumMoments(c.norm, y, len(c.labels))
			}
			c.kernel().Forward(c.team, y, in[0].F32, in[1].F32, bias)
		},
		diff: c.diff, wrt: []bool{!c.first, true, true}[:1+len(parameters)],
	}, append(G.Nodes{x}, parameters...)...)
}

func (c *convOp) diff(in G.Nodes, out, grad *G.Node) (_ G.Nodes, err error) {
	x, w := in[0], in[1]
	if grad, err = c.mask(c.relu, out, grad); err != nil {
		return nil, err
	}
	grads := make(G.Nodes, len(in))
	if grads[1], err = apply(&op{
		name: c.name + ".dw", out: dense32(c.dw, w.Shape()...),
		part: weightGradPart(c),
		run: func(_ []float32, in []array) {
			c.kernel().BackwardWeights(c.team, c.dw, c.db, in[0].F32, in[1].F32, c.add)
		},
	}, x, grad); err != nil {
		return nil, err
	}
	if c.db != nil {
		if grads[2], err = sideGradient(c.name+".db", grads[1], c.db, in[2].Shape()); err != nil {
			return nil, err
		}
	}
	if !c.first {
		grads[0], err = c.dx(x, w, grad)
	}
	return grads, err
}

func (c *convOp) dx(x, w, grad *G.Node) (*G.Node, error) {
	o := &op{
		name: c.name + ".dx", out: c.activation(c.in), gradientOf: x,
		part: dataGradPart(c), moves: true,
	}
	o.run = func(to []float32, in []array) {
		var act []float32
		if o.masked {
			act = in[0].F32
		}
		c.kernel().BackwardData(c.team, to, in[2].F32, in[1].F32, act, nil)
	}
	return apply(o, x, w, grad)
}

// addPool adds 2×2 max-pooling.
func (b *backend) addPool(name string, x *G.Node, shape kern.Shape) (*G.Node, error) {
	kernel := kern.NewMaxPool(b.isa, b.batch, shape)
	diff := func(in G.Nodes, y, grad *G.Node) (G.Nodes, error) {
		o := &op{
			name: name + ".dx", out: b.activation(shape),
			gradientOf: in[0], moves: true,
		}
		o.run = func(to []float32, in []array) {
			kernel.Backward(b.team, to, in[0].F32, in[1].F32, in[2].F32, o.masked)
		}
		d, err := apply(o, in[0], y, grad)
		if err != nil {
			return nil, err
		}
		return G.Nodes{d}, nil
	}
	return apply(&op{
		name: name, out: b.activation(kernel.Out()),
		run:  func(to []float32, in []array) { kernel.Forward(b.team, to, in[0].F32) },
		diff: diff,
	}, x)
}

// addCurve adds the activation of a stage, in a pass of its own. layer makes the draws of its
// dropout differ from the draws of other layers.
func (b *backend) addCurve(s stage, x *G.Node, layer uint64) (*G.Node, error) {
	kernel, err := kern.NewPointwise(s.curve, s.drop, b.batch.Len(s.out))
	if err != nil {
		return nil, err
	}
	forward := func(t *kern.Team, y, x []float32) {
		kernel.Forward(t, y, x, kern.Mix(b.noise+layer), b.mode != Evaluate)
	}
	return b.addUnary(s.name+"."+s.curve, x, s.out, s.out, forward, kernel.Backward)
}

// addAverage adds the mean of each channel over all positions.
func (b *backend) addAverage(name string, x *G.Node, shape kern.Shape) (*G.Node, error) {
	kernel := kern.NewAveragePool(b.isa, b.batch, shape)
	return b.addUnary(name, x, shape, kernel.Out(), kernel.Forward, kernel.Backward)
}

// addUnary adds an op on one activation, from shape in to shape out, whose backward pass needs the
// gradient of its output alone.
func (b *backend) addUnary(
	name string, x *G.Node, in, out kern.Shape,
	forward, backward func(t *kern.Team, to, from []float32),
) (*G.Node, error) {
	diff := func(_ G.Nodes, _, grad *G.Node) (G.Nodes, error) {
		d, err := apply(&op{
			name: name + ".dx", out: b.activation(in), moves: true,
			run: func(to []float32, in []array) { backward(b.team, to, in[0].F32) },
		}, grad)
		if err != nil {
			return nil, err
		}
		return G.Nodes{d}, nil
	}
	return apply(&op{
		name: name, out: b.activation(out),
		run:  func(to []float32, in []array) { forward(b.team, to, in[0].F32) },
		diff: diff,
	}, x)
}

// addSum adds the sum of two activations of one shape, and its ReLU.
func (b *backend) addSum(
	name string, x, plus *G.Node, shape kern.Shape, relu bool,
) (*G.Node, error) {
	diff := func(_ G.Nodes, y, grad *G.Node) (G.Nodes, error) {
		grad, err := b.mask(relu, y, grad)
		if err != nil {
			return nil, err
		}
		return G.Nodes{grad, grad}, nil
	}
	return apply(&op{
		name: name, out: b.activation(shape), part: sumPart{relu: relu},
		run: func(y []float32, in []array) {
			var mask []float32
			if relu {
				mask = y
			}
			b.sums.Run(b.team, y, in[0].F32, in[1].F32, mask)
		},
		diff: diff,
	}, x, plus)
}

// addLoss adds the loss of each sample, one of Losses: a vector of float64 losses, whose gradient
// is the vector of weights r_i/n. Labels are no numbers to differentiate by, so they do not enter
// as a node.
func (b *backend) addLoss(
	name string, outputs *G.Node, classes int, losses []float64,
) (*G.Node, error) {
	kernel := kern.NewLoss(b.isa, b.batch, classes, lossKind(name))
	shape := kern.Shape{Channels: classes, Height: 1, Width: 1}
	predictions := kern.Alloc(b.batch.Len(shape))
	diff := func(_ G.Nodes, y, grad *G.Node) (G.Nodes, error) {
		d, err := apply(&op{
			name: name + ".dx", out: b.activation(shape),
			run: func(dx []float32, in []array) {
				kernel.Gradient(dx, predictions, b.labels, in[1].F64[:len(b.labels)])
			},
		}, y, grad)
		if err != nil {
			return nil, err
		}
		return G.Nodes{d}, nil
	}
	return apply(&op{
		name: name, out: tensor.New(tensor.WithShape(len(losses)), tensor.WithBacking(losses)),
		run: func(_ []float32, in []array) {
			kernel.Losses(b.team, losses[:len(b.labels)], predictions, in[0].F32, b.labels)
		},
		diff: diff,
	}, outputs)
}

// normOp is batch normalisation with its ReLU.
type normOp struct {
	*backend
	name           string
	kernel         *kern.BatchNorm
	shape          kern.Shape
	relu           bool
	mean, variance []float32 // running
	dgamma, dbeta  []float32 // where the gradients of the parameters go
}

func (o *normOp) apply(x, gamma, beta *G.Node) (*G.Node, error) {
	return apply(&op{
		name: o.name, out: o.activation(o.shape), part: o,
		run: func(y []float32, in []array) {
			o.forward(y, in[0].F32, in[1].F32, in[2].F32, nil)
		},
		diff: o.diff,
	}, x, gamma, beta)
}

// forward sets y. If plus is not nil, it is added to y and a ReLU follows.
func (o *normOp) forward(y, x, gamma, beta, plus []float32) {
	if o.mode == Evaluate {
		o.kernel.ForwardBy(o.team, y, x, gamma, beta, plus, len(o.labels), o.mean, o.variance)
		return
	}
	o.kernel.Forward(o.team, y, x, gamma, beta, plus, len(o.labels))
	if o.mode == Train {
		o.kernel.Track(o.mean, o.variance)
	}
}

func (o *normOp) diff(in G.Nodes, out, grad *G.Node) (_ G.Nodes, err error) {
	if grad, err = o.mask(o.relu, out, grad); err != nil {
		return nil, err
	}
	grads := make(G.Nodes, 3)
	if grads[0], err = apply(&op{
		name: o.name + ".dx", out: o.activation(o.shape),
		part: normGradPart{o.kernel}, moves: true, over: true,
		run: func(to []float32, in []array) {
			x, gamma, dy := in[0].F32, in[1].F32, in[2].F32
			o.kernel.Backward(o.team, to, o.dgamma, o.dbeta, x, dy, gamma, o.add)
		},
	}, in[0], in[1], grad); err != nil {
		return nil, err
	}
	dx := grads[0]
	if grads[1], err = sideGradient(o.name+".dgamma", dx, o.dgamma, in[1].Shape()); err != nil {
		return nil, err
	}
	grads[2], err = sideGradient(o.name+".dbeta", dx, o.dbeta, in[2].Shape())
	return grads, err
}
