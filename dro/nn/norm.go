package nn

import (
	"drolab/dro/internal/kern"

	G "gorgonia.org/gorgonia"
)

// Mode is what a batch is for. It selects the statistics that batch normalisation takes, and mode
// Evaluate leaves out dropout and the rounding of operands. A network without any of these does the
// same in every mode.
type Mode int

const (
	// Train normalises by the batch's own statistics, differentiates through them, and moves the
	// running ones towards them: for the batch that updates the parameters.
	Train Mode = iota
	// Probe is Train without moving the running statistics: for a batch that is only looked at, as
	// SFK's z-batch.
	Probe
	// Evaluate normalises by the running statistics, which are constants to the gradient: no
	// sample's loss then depends on the other samples of its batch.
	Evaluate
)

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
	y, out := o.activation(o.shape)
	return G.ApplyOp(&op{
		name: o.name, in: []input{flat(), flat(), flat()}, out: out, part: o,
		run:  func(in []array) { o.forward(y, in[0].F32, in[1].F32, in[2].F32, nil) },
		diff: o.diff, wrt: []bool{true, true, true},
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
	if o.relu {
		if grad, err = o.mask(out, grad); err != nil {
			return nil, err
		}
	}
	_, gradient := o.activation(o.shape)
	grads := make(G.Nodes, 3)
	if grads[0], err = G.ApplyOp(&op{
		name: o.name + ".dx", in: []input{flat(), flat(), flat()}, out: gradient,
		part: normBack{o.kernel}, over: true,
		into: func(to []float32, in []array) {
			x, gamma, dy := in[0].F32, in[1].F32, in[2].F32
			o.kernel.Backward(o.team, to, o.dgamma, o.dbeta, x, dy, gamma, o.add)
		},
	}, in[0], in[1], grad); err != nil {
		return nil, err
	}
	if grads[1], err = also(o.name+".dgamma", grads[0], o.dgamma, in[1].Shape()); err != nil {
		return nil, err
	}
	grads[2], err = also(o.name+".dbeta", grads[0], o.dbeta, in[2].Shape())
	return grads, err
}
