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
// tensor and returns it from every Do: a step of the network then allocates
// nothing (Gorgonia's own reuse of buffers is forgotten whenever its machine
// is reset, and costs more than the graph does).
type op struct {
	name string  // unique within a graph: Gorgonia merges nodes whose ops hash alike
	in   []input // what it takes
	out  *tensor.Dense
	// run computes the output, whose memory the closure holds, from the inputs.
	run func(in []array)
	// diff writes the derivative as further nodes: one for each input, nil
	// where wrt is false. Without a diff an op is a derivative itself.
	diff func(in G.Nodes, out, grad *G.Node) (G.Nodes, error)
	wrt  []bool

	values []G.Value // that args was taken from
	args   []array
}

// input is the type of one argument of an op.
type input struct {
	dims int
	of   tensor.Dtype
}

// array is the memory of one argument: F32 or F64, as its node's type says.
type array struct {
	F32 []float32
	F64 []float64
}

// flat is a blocked activation or a vector: kern's layouts are one dimension
// as far as Gorgonia is concerned.
func flat() input { return input{1, tensor.Float32} }

// Do implements gorgonia.Op.
func (o *op) Do(values ...G.Value) (G.Value, error) {
	if !o.holds(values) {
		if err := o.hold(values); err != nil {
			return nil, err
		}
	}
	o.run(o.args)
	return o.out, nil
}

// holds tells whether args are those of values: always, after the first Do.
func (o *op) holds(values []G.Value) bool {
	if len(o.values) != len(values) {
		return false
	}
	for i, v := range values {
		if o.values[i] != v {
			return false
		}
	}
	return true
}

func (o *op) hold(values []G.Value) error {
	o.values, o.args = append(o.values[:0], values...), o.args[:0]
	for i, v := range values {
		switch data := v.Data().(type) {
		case []float32:
			o.args = append(o.args, array{F32: data})
		case []float64:
			o.args = append(o.args, array{F64: data})
		default:
			return fmt.Errorf("%s: input %d holds a %T, want floats", o.name, i, data)
		}
	}
	return nil
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
func (o *op) SymDiff(in G.Nodes, out, grad *G.Node) (G.Nodes, error) { return o.diff(in, out, grad) }

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
