package publish

import (
	"io"
	"math"
	"strconv"

	"drolab/dro/nn"
)

// The numbers of fields and types are from github.com/onnx/onnx, onnx/onnx.proto. The operators are
// from opset 13, which every runtime of the last years has.
const (
	onnxVersion = 7
	onnxOpset   = 13
	onnxFloat   = 1
	onnxInt     = 2
	onnxInts    = 7
)

// onnxGraph collects the nodes and constants of a graph.
type onnxGraph struct {
	nodes, initializers []message
	next                int
}

// writeONNX writes the network with its input x [N, C, H, W] in [0, 1] for pictures (before
// normalisation), and its outputs logits and probabilities [N, classes].
func writeONNX(w io.Writer, r *Run) error {
	n, err := r.network()
	if err != nil {
		return err
	}
	g := &onnxGraph{}
	logits := g.network(n)
	g.node("Identity", "logits", nil, logits)
	g.node("Softmax", "probabilities", []message{intAttribute("axis", 1)}, "logits")

	var graph message
	for _, node := range g.nodes {
		graph.bytes(1, node)
	}
	graph.text(2, r.Meta.ID)
	for _, t := range g.initializers {
		graph.bytes(5, t)
	}
	shape, classes := r.Encoder.Shape, r.Encoder.Classes
	graph.bytes(11, valueInfo("x", shape.C, shape.H, shape.W))
	graph.bytes(12, valueInfo("logits", len(classes)))
	graph.bytes(12, valueInfo("probabilities", len(classes)))

	var opset, model message
	opset.text(1, "")
	opset.integer(2, onnxOpset)
	model.integer(1, onnxVersion)
	model.text(2, "drolab")
	model.bytes(7, graph)
	model.bytes(8, opset)
	for i, class := range classes {
		var p message
		p.text(1, "class_"+strconv.Itoa(i))
		p.text(2, class)
		model.bytes(14, p)
	}
	_, err = w.Write(model)
	return err
}

// network adds all layers and returns the name of the logits.
func (g *onnxGraph) network(n *network) string {
	x := "x"
	if n.mean != nil {
		g.tensor("input.mean", []int{1, len(n.mean), 1, 1}, n.mean)
		g.tensor("input.std", []int{1, len(n.std), 1, 1}, n.std)
		x = g.add("Div", nil, g.add("Sub", nil, x, "input.mean"), "input.std")
	}
	for _, t := range n.tensors {
		g.tensor(t.Name, t.Shape, t.Data)
	}
	out := []string{x}
	for _, l := range n.layers {
		out = append(out, g.layer(&l, out))
	}
	return out[len(out)-1]
}

func (g *onnxGraph) layer(l *nn.Layer, before []string) string {
	x := before[l.From+1]
	switch l.Kind {
	case "sum":
		x = g.add("Add", nil, x, before[l.Plus+1])
	case "average":
		return g.add("GlobalAveragePool", nil, x)
	case "linear":
		x = g.add("Flatten", []message{intAttribute("axis", 1)}, x)
		x = g.add("Gemm", []message{intAttribute("transB", 1)}, x, l.Name+".weight", l.Name+".bias")
	default:
		inputs := []string{x, l.Name + ".weight"}
		if !l.Norm {
			inputs = append(inputs, l.Name+".bias")
		}
		x = g.add("Conv", []message{
			intsAttribute("kernel_shape", l.Kernel, l.Kernel),
			intsAttribute("strides", l.Stride, l.Stride),
			intsAttribute("pads", l.Pad, l.Pad, l.Pad, l.Pad),
		}, inputs...)
	}
	if l.Norm {
		of := l.Name + ".norm."
		x = g.add("BatchNormalization", []message{floatAttribute("epsilon", nn.NormEpsilon)}, x,
			of+"weight", of+"bias", of+"running_mean", of+"running_var")
	}
	if l.ReLU {
		x = g.add("Relu", nil, x)
	}
	switch l.Curve {
	case "tanh":
		x = g.add("Tanh", nil, x)
	case "gelu": // x·Φ(x) = (x/2)(1 + erf(x/√2)); opset 13 has no Gelu
		erf := g.add("Erf", nil, g.add("Mul", nil, x, g.number(math.Sqrt2/2)))
		half := g.add("Mul", nil, x, g.number(.5))
		x = g.add("Mul", nil, half, g.add("Add", nil, erf, g.number(1)))
	}
	if l.Pool {
		x = g.add("MaxPool", []message{
			intsAttribute("kernel_shape", 2, 2),
			intsAttribute("strides", 2, 2),
		}, x)
	}
	return x
}

// add appends a node with one output and returns the name of the output.
func (g *onnxGraph) add(op string, attributes []message, inputs ...string) string {
	g.next++
	out := "t" + strconv.Itoa(g.next)
	g.node(op, out, attributes, inputs...)
	return out
}

func (g *onnxGraph) node(op, out string, attributes []message, inputs ...string) {
	var m message
	for _, in := range inputs {
		m.text(1, in)
	}
	m.text(2, out)
	m.text(3, out)
	m.text(4, op)
	for _, a := range attributes {
		m.bytes(5, a)
	}
	g.nodes = append(g.nodes, m)
}

// number appends a scalar constant and returns its name.
func (g *onnxGraph) number(v float32) string {
	g.next++
	name := "n" + strconv.Itoa(g.next)
	g.tensor(name, nil, []float32{v})
	return name
}

// tensor appends a constant.
func (g *onnxGraph) tensor(name string, shape []int, values []float32) {
	var m message
	for _, d := range shape {
		m.integer(1, int64(d))
	}
	m.integer(2, onnxFloat)
	m.floats(4, values)
	m.text(8, name)
	g.initializers = append(g.initializers, m)
}

func intAttribute(name string, v int64) (m message) {
	m.text(1, name)
	m.integer(3, v)
	m.integer(20, onnxInt)
	return m
}

func floatAttribute(name string, v float32) (m message) {
	m.text(1, name)
	m.float(2, v)
	m.integer(20, onnxFloat)
	return m
}

func intsAttribute(name string, list ...int) (m message) {
	m.text(1, name)
	for _, v := range list {
		m.integer(8, int64(v))
	}
	m.integer(20, onnxInts)
	return m
}

// valueInfo describes an input or output of any number of samples.
func valueInfo(name string, shape ...int) (m message) {
	var dims, n message
	n.text(2, "N")
	dims.bytes(1, n)
	for _, d := range shape {
		var dim message
		dim.integer(1, int64(d))
		dims.bytes(1, dim)
	}
	var tensor, kind message
	tensor.integer(1, onnxFloat)
	tensor.bytes(2, dims)
	kind.bytes(1, tensor)
	m.text(1, name)
	m.bytes(2, kind)
	return m
}
