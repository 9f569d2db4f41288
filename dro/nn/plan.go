package nn

import (
	"fmt"
	"slices"

	"drolab/dro/internal/kern"

	G "gorgonia.org/gorgonia"
	"gorgonia.org/tensor"
)

// plan is a differentiated Gorgonia graph in the order of execution.
//
// Gorgonia's tape machine runs a graph from its inputs to its last gradient in
// one go. A step of DRO has to stop in the middle: the losses leave the graph,
// package dro turns them into likelihood ratios, and those enter as the
// gradient of the losses. It also has to run the first half alone (the z-batch,
// evaluation). The plan is the same list of ops in two parts.
type plan struct {
	forward  []instruction // up to the losses
	backward []instruction // from the ratios to the gradients
}

// visit calls f for all instructions, in their order.
func (p *plan) visit(f func(*instruction)) {
	for _, list := range [][]instruction{p.forward, p.backward} {
		for i := range list {
			f(&list[i])
		}
	}
}

// instruction is one op with its inputs in place: memory of leaves and of other
// ops' outputs, none of which ever moves.
type instruction struct {
	*op
	in []array
	to []float32 // where it writes the gradient of an activation
}

// compile orders the ops that losses and gradients need. Every input node must have a value bound.
// Of Gorgonia's own operations it takes the sum alone, by which Gorgonia adds up the gradients of a
// node that several ops read, and runs it as a kernel. It refuses all others: they allocate their
// outputs anew at every run, or reuse them as only Gorgonia's machines know.
func (b *backend) compile(losses *G.Node, gradients G.Nodes) (*plan, error) {
	c := compiler{backend: b, outputs: map[*G.Node]array{}}
	forward, err := c.visit(nil, losses)
	if err != nil {
		return nil, err
	}
	var backward []instruction
	// The last layer's gradients come first: the values that they need have then just been
	// computed.
	for _, g := range slices.Backward(gradients) {
		if backward, err = c.visit(backward, g); err != nil {
			return nil, err
		}
	}
	return b.fuse(forward, backward), nil
}

type compiler struct {
	*backend
	outputs map[*G.Node]array
}

// visit appends the ops below n that are not in a list yet, children first, and then the op of n.
func (c *compiler) visit(list []instruction, n *G.Node) ([]instruction, error) {
	if _, ok := c.outputs[n]; ok {
		return list, nil
	}
	if n.Op() == nil {
		return list, c.leaf(n)
	}
	var in []array
	var children G.Nodes
	var err error
	for from := n.Graph().From(n.ID()); from.Next(); {
		child := from.Node().(*G.Node)
		if list, err = c.visit(list, child); err != nil {
			return nil, err
		}
		children, in = append(children, child), append(in, c.outputs[child])
	}
	o, ok := n.Op().(*op)
	if !ok {
		if o, err = c.sumOf(n, children); err != nil {
			return nil, err
		}
	}
	if c.outputs[n], err = arrayOf(o.out); err != nil {
		return nil, fmt.Errorf("nn: %v: %w", o, err)
	}
	return append(list, instruction{o, in, o.memory()}), nil
}

func (c *compiler) leaf(n *G.Node) (err error) {
	if n.Value() == nil {
		return fmt.Errorf("nn: input node %s has no value", n.Name())
	}
	if c.outputs[n], err = arrayOf(n.Value()); err != nil {
		return fmt.Errorf("nn: input node %s: %w", n.Name(), err)
	}
	return nil
}

// sumOf returns the op that replaces Gorgonia's own sum of float32s at n.
func (c *compiler) sumOf(n *G.Node, children G.Nodes) (*op, error) {
	if !isSum(n, children) {
		return nil, fmt.Errorf("nn: %v is an operation of Gorgonia's that a plan cannot run: "+
			"only sums of two float32 tensors of one shape are", n.Op())
	}
	data := kern.Alloc(n.Shape().TotalSize())
	return &op{
		name: "sum", out: dense32(data, n.Shape()...), part: sumPart{}, moves: true, over: true,
		run: func(to []float32, in []array) {
			c.sums.Run(c.team, to, in[0].F32, in[1].F32, nil)
		},
	}, nil
}

// isSum reports whether n's op is the op that Gorgonia makes for the sum of two tensors like n's
// children.
func isSum(n *G.Node, children G.Nodes) bool {
	if len(children) != 2 || !children[0].Shape().Eq(children[1].Shape()) {
		return false
	}
	like := make(G.Nodes, 2)
	e := G.NewGraph()
	for i, child := range children {
		if child.Dims() == 0 || child.Dtype() != tensor.Float32 {
			return false
		}
		like[i] = G.NewTensor(e, tensor.Float32, child.Dims(),
			G.WithShape(child.Shape()...), G.WithName(fmt.Sprint(i)))
	}
	model, err := G.Add(like[0], like[1])
	return err == nil && model.Op() == n.Op()
}

func run(list []instruction) {
	for _, i := range list {
		i.run(i.to, i.in)
	}
}
