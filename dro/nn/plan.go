package nn

import (
	"fmt"
	"hash"
	"hash/fnv"
	"slices"

	"drolab/dro/internal/kern"

	"github.com/chewxy/hm"
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
		name: "sum", out: dense32(data, n.Shape()...), part: adding{}, moves: true, over: true,
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

// pass is a training step of a network of one linear layer, from its samples to the gradient, which
// kern computes in one pass over the samples. Everything else uses Gorgonia's graph of the same
// network.
type pass struct {
	kernel *kern.RowsPass
	call   kern.PassCall
	weigh  func(ratios, losses []float64)
}

// newPass returns the pass, or nil if the network is not one linear layer that takes rows, or has
// too many units or too small a batch.
func newPass(g *graph, c Config, list []stage) *pass {
	if len(list) > 1 || !g.direct || g.layout != nil {
		return nil
	}
	loss := kern.NewLoss(g.isa, g.batch, c.Classes, lossKind(c.Loss))
	kernel, err := kern.NewRowsPass(g.first, loss)
	if err != nil {
		return nil
	}
	name := list[0].name
	p := &pass{kernel: kernel, call: kern.PassCall{
		W: g.leaves[name+".weight"].Value().Data().([]float32),
		B: g.leaves[name+".bias"].Value().Data().([]float32),
		Y: g.logits, DY: kern.Alloc(len(g.logits)),
		DW: g.gradients[name+".weight"], DB: g.gradients[name+".bias"],
	}}
	p.call.Weigh = p.weights
	return p
}

// weights computes the ratios of the samples [from, to) and turns them into weights, as graph.weigh
// does.
func (p *pass) weights(from, to int) {
	w := p.call.Weights[from:to]
	p.weigh(w, p.call.Losses[from:to])
	for i := range w {
		w[i] /= float64(len(p.call.Labels))
	}
}

// run computes losses and gradient of the graph's current batch.
func (p *pass) run(g *graph, losses []float64, next []int32, weigh func(ratios, losses []float64)) {
	p.call.Images, p.call.Next, p.call.Labels = g.rows, next, g.labels
	p.call.Losses, p.call.Weights = losses, g.weights[:len(g.labels)]
	p.weigh = weigh
	p.kernel.Run(g.team, p.call)
}

// op makes a kernel an operation of a Gorgonia graph. It owns its output
// tensor, so that a step of the network allocates nothing.
//
// It keeps the contract of any operation, in a graph of any shape. grad in diff is the gradient of
// its output, summed over all readers of the output, and diff returns the gradients of its inputs.
type op struct {
	name string    // unique within a graph: Gorgonia merges nodes whose ops hash alike
	in   []hm.Type // types of its inputs
	out  *tensor.Dense
	// run computes the output from the inputs and writes it to to. That is the memory of out, or
	// the place that a plan has found; it is nil for losses, which are float64.
	run func(to []float32, in []array)
	// moves says that the output is the gradient of an activation, which a plan may place anywhere.
	moves bool
	// over says that run may write to the memory of an input.
	over bool
	// diff writes the derivative as further nodes: one for each input, nil where wrt is false (nil:
	// none is). Without a diff an op is a derivative itself.
	diff func(in G.Nodes, out, grad *G.Node) (G.Nodes, error)
	wrt  []bool

	// of is set if the output is a gradient that can be masked in the pass that computes it. It is
	// the node whose gradient that is. backend.mask sets masked to make run mask.
	gradientOf *G.Node
	masked     bool

	part any // by which a plan can join the op with its neighbours, see graph.go
}

// apply adds o to the graph of its inputs. To Gorgonia, kern's layouts have one dimension.
func apply(o *op, inputs ...*G.Node) (*G.Node, error) {
	for _, n := range inputs {
		o.in = append(o.in, G.TensorType{Dims: n.Dims(), Of: n.Dtype()})
	}
	return G.ApplyOp(o, inputs...)
}

// array is the memory of one argument: F32 or F64, as its node's type says.
type array struct {
	F32 []float32
	F64 []float64
}

func arrayOf(v G.Value) (array, error) {
	switch data := v.Data().(type) {
	case []float32:
		return array{F32: data}, nil
	case []float64:
		return array{F64: data}, nil
	default:
		return array{}, fmt.Errorf("a value of %T, want floats", data)
	}
}

// Do implements gorgonia.Op, for Gorgonia's own machines; a plan calls run.
func (o *op) Do(values ...G.Value) (G.Value, error) {
	in := make([]array, len(values))
	for i, v := range values {
		var err error
		if in[i], err = arrayOf(v); err != nil {
			return nil, fmt.Errorf("%s: input %d: %w", o.name, i, err)
		}
	}
	o.run(o.memory(), in)
	return o.out, nil
}

// memory returns the memory of the output, or nil for losses, which are float64.
func (o *op) memory() []float32 {
	data, _ := o.out.Data().([]float32)
	return data
}

// Type implements gorgonia.Op.
func (o *op) Type() hm.Type {
	out := G.TensorType{Dims: o.out.Dims(), Of: o.out.Dtype()}
	return hm.NewFnType(append(slices.Clone(o.in), hm.Type(out))...)
}

// InferShape implements gorgonia.Op.
func (o *op) InferShape(...G.DimSizer) (tensor.Shape, error) { return o.out.Shape().Clone(), nil }

// DiffWRT implements gorgonia.SDOp.
func (o *op) DiffWRT(inputs int) []bool {
	if o.wrt != nil {
		return o.wrt
	}
	return slices.Repeat([]bool{o.diff != nil}, inputs)
}

// SymDiff implements gorgonia.SDOp.
func (o *op) SymDiff(in G.Nodes, out, grad *G.Node) (G.Nodes, error) {
	return o.diff(in, out, grad)
}

// Arity implements gorgonia.Op.
func (o *op) Arity() int { return len(o.in) }

// ReturnsPtr implements gorgonia.Op.
func (o *op) ReturnsPtr() bool { return true }

// CallsExtern implements gorgonia.Op.
func (o *op) CallsExtern() bool { return false }

// OverwritesInput implements gorgonia.Op.
func (o *op) OverwritesInput() int { return -1 }

// WriteHash implements gorgonia.Op.
func (o *op) WriteHash(h hash.Hash) { fmt.Fprint(h, "drolab ", o.name) }

func (o *op) String() string { return o.name }

// Hashcode implements gorgonia.Op.
func (o *op) Hashcode() uint32 {
	h := fnv.New32a()
	o.WriteHash(h)
	return h.Sum32()
}
