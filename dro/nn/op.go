package nn

import (
	"fmt"
	"hash"
	"hash/fnv"
	"slices"

	"github.com/chewxy/hm"
	G "gorgonia.org/gorgonia"
	"gorgonia.org/tensor"
)

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

	// gradientOf is set if the output is a gradient that can be masked in the pass that computes
	// it. It is the node whose gradient that is. backend.mask sets masked to make run mask.
	gradientOf *G.Node
	masked     bool

	part any // by which a plan can join the op with its neighbours, see fuse.go
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
		return array{}, fmt.Errorf("a value of %T, expected floats", data)
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
