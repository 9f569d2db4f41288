package nn

import (
	"fmt"

	"drolab/dro/internal/kern"

	G "gorgonia.org/gorgonia"
	"gorgonia.org/tensor"
)

// graph is a model as a Gorgonia expression graph for batches of one size, and
// the memory at its two ends.
type graph struct {
	backend
	x       []float32 // input, blocked
	labels  []int     // of the current batch
	losses  []float64
	weights []float64 // r_i/n: the gradient of the losses

	layout *kern.Layout // of the input
	spread *kern.Layout // of the logits
	logits []float32    // blocked, the last layer's memory
	plain  []float32    // [image][class], as spread unpacks logits

	lossNode, weightNode *G.Node
	parameters           G.Nodes

	peak              *kern.Peak
	forward, backward float64 // FLOP of real work
}

// newGraph writes the model as a graph over the given parameters and the
// memory for their gradients: weight, bias, weight, bias, ...
func newGraph(isa kern.ISA, c Config, list []stage, parameters, gradients []Tensor) (*graph, error) {
	g := &graph{backend: backend{isa: isa, batch: kern.NewBatch(c.Batch), team: kern.NewTeam(max(1, c.Threads))}}
	if err := g.build(c, list, parameters, gradients); err != nil {
		g.team.Close()
		return nil, err
	}
	return g, nil
}

func (g *graph) build(c Config, list []stage, parameters, gradients []Tensor) (err error) {
	in := kern.Shape{Channels: c.C, Height: c.H, Width: c.W}
	out := kern.Shape{Channels: c.Classes, Height: 1, Width: 1}
	if g.peak, err = kern.NewPeak(g.isa); err != nil {
		return err
	}
	if g.layout, err = kern.NewLayout(g.isa, g.batch, in); err != nil {
		return err
	}
	if g.spread, err = kern.NewLayout(g.isa, g.batch, out); err != nil {
		return err
	}
	g.plain = make([]float32, c.Batch*c.Classes)
	g.losses, g.weights, g.labels = make([]float64, c.Batch), make([]float64, c.Batch), make([]int, 0, c.Batch)

	e := G.NewGraph()
	var x *tensor.Dense
	g.x, x = g.activation(in)
	node := leaf(e, "x", x)
	for i, s := range list {
		if node, err = g.layer(e, node, s, i > 0 && list[i-1].relu && !list[i-1].pool, i == 0,
			parameters[2*i:2*i+2], gradients[2*i:2*i+2]); err != nil {
			return fmt.Errorf("model: layer %s: %w", s.name, err)
		}
	}
	g.logits = node.Op().(*op).out.Data().([]float32)
	g.weightNode = leaf(e, "weights", tensor.New(tensor.WithShape(c.Batch), tensor.WithBacking(g.weights)))
	g.lossNode, err = g.crossEntropy(node, c.Classes, g.losses, func() []int { return g.labels })
	return err
}

// layer adds one stage of the model.
func (g *graph) layer(e *G.ExprGraph, x *G.Node, s stage, rectified, first bool, p, d []Tensor) (*G.Node, error) {
	in := kern.Shape{Channels: s.inC, Height: s.inH, Width: s.inW}
	cfg := kern.Linear(in, s.outC, s.relu)
	if s.kernel > 0 {
		cfg = kern.ConvConfig{In: in, Out: s.outC, KernelHeight: s.kernel, KernelWidth: s.kernel, Stride: s.stride, Pad: s.pad, ReLU: s.relu}
	}
	kernel, err := kern.NewConv(g.isa, g.batch, cfg)
	if err != nil {
		return nil, err
	}
	g.forward += kernel.FLOPs()
	g.backward += kernel.FLOPs() // of the weights
	if !first {
		g.backward += kernel.FLOPs() // of the input
	}
	w, b := leaf(e, p[0].Name, dense32(p[0].Data, p[0].Shape...)), leaf(e, p[1].Name, dense32(p[1].Data, p[1].Shape...))
	g.parameters = append(g.parameters, w, b)
	layer := &convOp{backend: &g.backend, name: s.name, kernel: kernel, in: in, first: first, rectified: rectified, dw: d[0].Data, db: d[1].Data}
	y, err := layer.apply(x, w, b)
	if err != nil || !s.pool {
		return y, err
	}
	return g.pool(s.name+".pool", y, kernel.Out())
}

// compile differentiates the losses by every parameter, with the weights as
// the losses' gradient, and orders the ops.
func (g *graph) compile() (*plan, error) {
	g.labels = g.labels[:len(g.losses)] // any labels do for the one run that compiling takes
	gradients, err := G.Backpropagate(G.Nodes{g.lossNode}, G.Nodes{g.weightNode}, g.parameters)
	if err != nil {
		return nil, fmt.Errorf("model: %w", err)
	}
	return compile(g.lossNode, gradients)
}

// load makes x and labels the current batch.
func (g *graph) load(x []float32, labels []int) {
	g.labels = append(g.labels[:0], labels...)
	g.layout.Pack(g.team, g.x, x)
}

// weigh sets the gradient of the losses for the objective mean r_i ℓ_i.
func (g *graph) weigh(ratios []float64) {
	for i, r := range ratios {
		g.weights[i] = r / float64(len(ratios))
	}
}

// unpack returns the logits of the current batch as [image][class].
func (g *graph) unpack(classes int) []float32 {
	plain := g.plain[:len(g.labels)*classes]
	g.spread.Unpack(plain, g.logits)
	return plain
}

// leaf returns an input node of e that holds value.
func leaf(e *G.ExprGraph, name string, value *tensor.Dense) *G.Node {
	return G.NewTensor(e, value.Dtype(), value.Dims(), G.WithName(name), G.WithShape(value.Shape()...), G.WithValue(value))
}
