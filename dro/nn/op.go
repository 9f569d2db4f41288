package nn

import (
	"fmt"
	"hash"
	"hash/fnv"

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
	name string  // unique within a graph: Gorgonia merges nodes whose ops hash alike
	in   []input // types of its inputs
	out  *tensor.Dense
	// run computes the output, whose memory the closure holds, from the inputs.
	run func(in []array)
	// into takes the place of run where the output is the gradient of an activation, which a plan
	// may place anywhere.
	into func(to []float32, in []array)
	// over says that into may write to the memory of an input.
	over bool
	// diff writes the derivative as further nodes: one for each input, nil
	// where wrt is false. Without a diff an op is a derivative itself.
	diff func(in G.Nodes, out, grad *G.Node) (G.Nodes, error)
	wrt  []bool

	// of is set if the output is a gradient that can be masked in the pass that computes it. It is
	// the node whose gradient that is. backend.mask sets masked to make run mask.
	of     *G.Node
	masked bool

	part any // by which a plan can join the op with its neighbours, see fuse.go
}

// input is the type of one argument of an op.
type input struct {
	dims int
	of   tensor.Dtype
}

// flat returns the type of a blocked activation or a vector: to Gorgonia, kern's layouts have one
// dimension.
func flat() input { return input{1, tensor.Float32} }

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
	o.do(o.memory(), in)
	return o.out, nil
}

// memory returns the memory of the output, or nil for losses, which are float64.
func (o *op) memory() []float32 {
	data, _ := o.out.Data().([]float32)
	return data
}

func (o *op) do(to []float32, in []array) {
	if o.into != nil {
		o.into(to, in)
	} else {
		o.run(in)
	}
}

// Type implements gorgonia.Op.
func (o *op) Type() hm.Type {
	types := make([]hm.Type, 0, len(o.in)+1)
	for _, in := range o.in {
		types = append(types, G.TensorType{Dims: in.dims, Of: in.of})
	}
	return hm.NewFnType(append(types, G.TensorType{Dims: o.out.Dims(), Of: o.out.Dtype()})...)
}

// InferShape implements gorgonia.Op.
func (o *op) InferShape(...G.DimSizer) (tensor.Shape, error) { return o.out.Shape().Clone(), nil }

// DiffWRT implements gorgonia.SDOp.
func (o *op) DiffWRT(inputs int) []bool {
	if o.wrt == nil {
		return make([]bool, inputs)
	}
	return o.wrt
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
