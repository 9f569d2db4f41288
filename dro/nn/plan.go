package nn

import (
	"fmt"

	G "gorgonia.org/gorgonia"
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

// instruction is one op with its inputs in place.
type instruction struct {
	op G.Op
	in []G.Value
}

// compile orders the ops that losses and gradients need, and runs them once to
// learn where each leaves its output. Every input node must have a value bound.
func compile(losses *G.Node, gradients G.Nodes) (*plan, error) {
	c := compiler{values: map[*G.Node]G.Value{}}
	forward, err := c.visit(nil, losses)
	if err != nil {
		return nil, err
	}
	var backward []instruction
	for _, g := range gradients {
		if backward, err = c.visit(backward, g); err != nil {
			return nil, err
		}
	}
	return &plan{forward, backward}, nil
}

type compiler struct{ values map[*G.Node]G.Value }

// visit appends the ops below n that have no value yet, children first, then n's.
func (c *compiler) visit(list []instruction, n *G.Node) ([]instruction, error) {
	if _, ok := c.values[n]; ok {
		return list, nil
	}
	if n.Op() == nil {
		if n.Value() == nil {
			return nil, fmt.Errorf("nn: input node %s has no value", n.Name())
		}
		c.values[n] = n.Value()
		return list, nil
	}
	var in []G.Value
	var err error
	for children := n.Graph().From(n.ID()); children.Next(); {
		child := children.Node().(*G.Node)
		if list, err = c.visit(list, child); err != nil {
			return nil, err
		}
		in = append(in, c.values[child])
	}
	if c.values[n], err = n.Op().Do(in...); err != nil {
		return nil, fmt.Errorf("nn: %v: %w", n.Op(), err)
	}
	return append(list, instruction{n.Op(), in}), nil
}

// run executes the instructions. Our ops cannot fail once compiled, so that an
// error here is a broken program, not a broken input.
func run(list []instruction) {
	for _, i := range list {
		if _, err := i.op.Do(i.in...); err != nil {
			panic("nn: an op failed after it was compiled: " + err.Error())
		}
	}
}
