package nn

import (
	"cmp"
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
	losses  []float64
	weights []float64 // r_i/n: the gradient of the losses

	inputLayout *kern.Layout // of the input; nil where the first layer always takes rows
	direct      bool         // the first layer takes rows, except where operands are rounded
	logitLayout *kern.Layout // of the logits
	logits      []float32    // blocked, the last layer's memory
	plain       []float32    // [image][class], as logitLayout unpacks logits

	lastLayout *kern.Layout // of the last layer's input
	features   []float32    // the last layer's input, blocked; nil where it is the batch

	first   *kern.Rows // the first layer where it takes rows
	onePass *onePass   // nil: none

	lossNode, weightNode *G.Node
	parameters           G.Nodes // in the order of their tensors
	leaves               map[string]*G.Node
	gradients, buffers   map[string][]float32

	peak              *kern.Peak
	forward, backward float64            // FLOP of real work
	flop              map[string]float64 // FLOP of all directions, by stage
}

// newGraph writes a network's stages as a graph over its parameters and buffers, and the memory for
// its gradients.
func newGraph(isa kern.ISA, n *Net) (*graph, error) {
	c := n.Config
	g := &graph{
		backend: backend{
			isa: isa, batch: kern.NewBatch(c.Batch), team: kern.NewTeam(max(1, c.Threads)),
			labels: make([]int, 0, c.Batch), space: kern.NewScratch(max(1, c.Threads)),
			winograd: c.byWinograd(),
		},
		losses: make([]float64, c.Batch), weights: make([]float64, c.Batch),
		plain:     make([]float32, c.Batch*c.Classes),
		leaves:    map[string]*G.Node{},
		flop:      map[string]float64{},
		gradients: map[string][]float32{}, buffers: map[string][]float32{},
	}
	g.makeEnds(c, n.stages)
	e := G.NewGraph()
	g.bind(e, n)
	if err := g.build(e, c, n.stages); err != nil {
		g.team.Close()
		return nil, err
	}
	g.onePass = newOnePass(g, c, n.stages)
	return g, nil
}

// makeEnds makes the parts around the graph: the roofline, and the layouts of the input and the
// logits.
func (g *graph) makeEnds(c Config, list []stage) {
	if c.Precision == bf16 {
		g.workspace, g.products = new(kern.Workspace), kern.DetectBF16()
		if g.isa != kern.Detect() {
			g.products = kern.Rounded
		}
	}
	g.peak = kern.NewPeak(g.isa, g.products)
	g.sums = kern.NewSum(g.isa)
	in := kern.Shape{Channels: c.C, Height: c.H, Width: c.W}
	g.direct = takesRows(g.isa, list[0])
	if !g.direct || c.Precision == bf16 {
		g.inputLayout = kern.NewLayout(g.isa, g.batch, in)
	}
	logits := kern.Shape{Channels: c.Classes, Height: 1, Width: 1}
	g.logitLayout = kern.NewLayout(g.isa, g.batch, logits)
}

// takesRows reports whether a first layer can take the batch as it comes.
func takesRows(isa kern.ISA, first stage) bool {
	return first.kind == linear && kern.RowsFit(isa, first.config())
}

// bind makes leaves of the parameters, and notes by name the memory of gradients and buffers.
func (g *graph) bind(e *G.ExprGraph, n *Net) {
	for i, p := range n.parameters {
		g.leaves[p.Name] = leaf(e, p.Name, dense32(p.Data, p.Shape...))
		g.parameters = append(g.parameters, g.leaves[p.Name])
		g.gradients[p.Name] = n.gradients[i].Data
	}
	for _, b := range n.buffers {
		g.buffers[b.Name] = b.Data
	}
}

func (g *graph) build(e *G.ExprGraph, c Config, list []stage) (err error) {
	x := dense32(make([]float32, 1), 1) // a placeholder: the graph sees none of the rows of a batch
	if g.inputLayout != nil {
		x = g.activation(list[0].in)
		g.x = x.Data().([]float32)
	}
	nodes := G.Nodes{leaf(e, "x", x)}
	for _, s := range list {
		node, err := g.addStage(s, nodes)
		if err != nil {
			return fmt.Errorf("model: layer %s: %w", s.name, err)
		}
		nodes = append(nodes, node)
	}
	last := nodes[len(list)]
	g.logits = last.Op().(*op).out.Data().([]float32)
	end := list[len(list)-1]
	if o, ok := nodes[end.from+1].Op().(*op); ok {
		g.features = o.out.Data().([]float32)
		g.lastLayout = kern.NewLayout(g.isa, g.batch, end.in)
	}
	weights := tensor.New(tensor.WithShape(c.Batch), tensor.WithBacking(g.weights))
	g.weightNode = leaf(e, "weights", weights)
	g.lossNode, err = g.addLoss(cmp.Or(c.Loss, CrossEntropy), last, c.Classes, g.losses)
	return err
}

// addStage adds one stage of the model; before holds the nodes of the batch and of the stages
// before it.
func (g *graph) addStage(s stage, before G.Nodes) (*G.Node, error) {
	y, err := kinds[s.kind].node(g, s, before)
	if err == nil && s.pool {
		y, err = g.addPool(s.name+".pool", y, s.mid)
	}
	if err == nil && s.curve != "" {
		y, err = g.addCurve(s, y, uint64(len(before)))
	}
	return y, err
}

// addWeighted adds a convolution or a linear layer, with its batch normalisation.
func (g *graph) addWeighted(s stage, before G.Nodes) (*G.Node, error) {
	config, first := s.config(), s.from < 0
	exact, trained, err := g.kernels(config, first)
	if err != nil {
		return nil, err
	}
	o := &convOp{
		backend: &g.backend, name: s.name, exact: exact, trained: trained,
		in: s.in, out: s.mid, relu: config.ReLU, first: first,
		dw: g.gradients[s.name+".weight"], db: g.gradients[s.name+".bias"],
	}
	directions := 2.0 // forward, and the gradient of the weights
	if !first {
		directions++ // the gradient of the input
	}
	g.forward += o.exact.FLOPs()
	g.backward += (directions - 1) * o.exact.FLOPs()
	g.flop[s.name] = directions * o.exact.FLOPs()
	x := before[s.from+1]
	if !s.norm {
		return o.apply(x, g.leaves[s.name+".weight"], g.leaves[s.name+".bias"])
	}
	y, err := o.apply(x, g.leaves[s.name+".weight"])
	if err != nil {
		return nil, err
	}
	return g.addNorm(s, y, o)
}

// kernels returns the kernels of a convolution or a dense layer: exact for batches that are
// evaluated, and trained for the others.
func (g *graph) kernels(config kern.ConvConfig, first bool) (exact, trained convKernel, err error) {
	if first && g.direct {
		g.first, err = kern.NewRows(g.isa, g.batch, config)
		if err != nil {
			return nil, nil, err
		}
		exact = fromRows{g.first, &g.backend}
		if g.workspace == nil {
			return exact, exact, nil
		}
	}
	kernel, err := kern.NewConv(g.isa, g.batch, config)
	if err != nil {
		return nil, nil, err
	}
	if g.winograd && kern.WinogradFits(g.isa, config) {
		fast := kernel.Winograd(g.space)
		return fast, fast, nil
	}
	if g.winograd {
		kernel.SumByVectors(g.space)
	}
	kernel.CopyVectors(g.space)
	trained = kernel
	if g.workspace != nil {
		trained = kernel.BF16(g.products, g.workspace, !first)
	}
	if exact == nil {
		exact = kernel
	}
	return exact, trained, nil
}

// addNorm adds the batch normalisation of a stage, with its ReLU, behind its convolution.
func (g *graph) addNorm(s stage, x *G.Node, of *convOp) (*G.Node, error) {
	kernel := kern.NewBatchNorm(g.isa, g.batch, s.mid, s.relu)
	of.norm = kernel
	name := s.name + ".norm"
	o := &normOp{
		backend: &g.backend, name: name, kernel: kernel, shape: s.mid, relu: s.relu,
		mean: g.buffers[name+".running_mean"], variance: g.buffers[name+".running_var"],
		dgamma: g.gradients[name+".weight"], dbeta: g.gradients[name+".bias"],
	}
	return o.apply(x, g.leaves[name+".weight"], g.leaves[name+".bias"])
}

// makePlan differentiates the losses by every parameter, with the weights as the
// losses' gradient, and orders the ops.
func (g *graph) makePlan() (*plan, error) {
	gradients, err := G.Backpropagate(G.Nodes{g.lossNode}, G.Nodes{g.weightNode}, g.parameters)
	if err != nil {
		return nil, fmt.Errorf("model: %w", err)
	}
	return g.compile(g.lossNode, gradients)
}

// load makes x and labels the current batch.
func (g *graph) load(x kern.Images, labels []int, mode Mode) {
	g.labels, g.mode = append(g.labels[:0], labels...), mode
	g.rows = x
	if g.inputLayout != nil && !(g.direct && mode == Evaluate) {
		g.inputLayout.Pack(g.team, g.x, x.X)
	}
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
	g.logitLayout.Unpack(plain, g.logits)
	return plain
}

// leaf returns an input node of e that holds value.
func leaf(e *G.ExprGraph, name string, value *tensor.Dense) *G.Node {
	return G.NewTensor(e, value.Dtype(), value.Dims(),
		G.WithName(name), G.WithShape(value.Shape()...), G.WithValue(value))
}
