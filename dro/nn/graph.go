package nn

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

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

	layout *kern.Layout // of the input; nil where the first layer always takes rows
	direct bool         // the first layer takes rows, except of batches whose operands are rounded
	spread *kern.Layout // of the logits
	logits []float32    // blocked, the last layer's memory
	plain  []float32    // [image][class], as spread unpacks logits

	last     *kern.Layout // of the last layer's input
	features []float32    // the last layer's input, blocked; nil where it is the batch

	first *kern.Rows // the first layer where it takes rows
	pass  *pass      // nil: none

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
			labels: make([]int, 0, c.Batch),
		},
		losses: make([]float64, c.Batch), weights: make([]float64, c.Batch),
		plain:     make([]float32, c.Batch*c.Classes),
		leaves:    map[string]*G.Node{},
		flop:      map[string]float64{},
		gradients: map[string][]float32{}, buffers: map[string][]float32{},
	}
	if c.byWinograd() {
		g.space = kern.NewScratch(g.team.Size())
	}
	g.makeEnds(c, n.stages)
	e := G.NewGraph()
	g.bind(e, n)
	if err := g.build(e, c, n.stages); err != nil {
		g.team.Close()
		return nil, err
	}
	g.pass = newPass(g, c, n.stages)
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
		g.layout = kern.NewLayout(g.isa, g.batch, in)
	}
	logits := kern.Shape{Channels: c.Classes, Height: 1, Width: 1}
	g.spread = kern.NewLayout(g.isa, g.batch, logits)
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
	if g.layout != nil {
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
		g.last = kern.NewLayout(g.isa, g.batch, end.in)
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
		exact = fromRows{g.first, &g.backend}
		if err != nil || g.workspace == nil {
			return exact, exact, err
		}
	}
	kernel, err := kern.NewConv(g.isa, g.batch, config)
	if err != nil {
		return nil, nil, err
	}
	if g.space != nil && kern.WinogradFits(config) {
		fast := kernel.Winograd(g.space)
		return fast, fast, nil
	}
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
	of.next = kernel
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
	if g.rows = x; g.layout != nil && !(g.direct && mode == Evaluate) {
		g.layout.Pack(g.team, g.x, x.X)
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
	g.spread.Unpack(plain, g.logits)
	return plain
}

// leaf returns an input node of e that holds value.
func leaf(e *G.ExprGraph, name string, value *tensor.Dense) *G.Node {
	return G.NewTensor(e, value.Dtype(), value.Dims(),
		G.WithName(name), G.WithShape(value.Shape()...), G.WithValue(value))
}

// Order returns the words, joined by "-", that name the order of sums where it differs from the
// order of the kernels' first release. The first layer has a word of its own. It is "rows" if
// training steps take a batch as it comes: the layer is linear, of few units and a multiple of 16
// features, in fp32 on a kernel in assembly. It is "parts" if they also sum its gradient over runs
// of images. In bf16 it is "strips" if tiles of operands hold all that an output sees (few
// channels), and "runs" if rows of the kernel are the channels of products. "taps" is for a
// convolution's gradient on large maps, "pairs" for products that read roundings (kern.BF16Pairs),
// and "winograd" for convolutions by Winograd.
func Order(c Config) string {
	list, err := stages(c)
	if err != nil {
		return ""
	}
	isa, kind, batch := kern.Detect(), kern.Rounded, kern.NewBatch(c.Batch)
	if c.Precision == bf16 {
		kind = kern.DetectBF16()
	}
	var words []string
	first, rows := list[0].config(), c.Precision != bf16 && takesRows(isa, list[0])
	switch {
	case kern.BF16Runs(kind, batch, first):
		words = append(words, "runs")
	case kern.BF16Strips(kind, first):
		words = append(words, "strips")
	case rows && kern.RowsParts(batch, first) > 1:
		words = append(words, "parts")
	case rows:
		words = append(words, "rows")
	}
	some := func(is func(s stage) bool) bool {
		return slices.ContainsFunc(list, func(s stage) bool { return s.kind == conv && is(s) })
	}
	if kind == kern.Rounded && some(func(s stage) bool { return kern.GradTaps(isa, s.config()) }) {
		words = append(words, "taps")
	}
	if some(func(s stage) bool { return kern.BF16Pairs(kind, batch, s.config()) }) {
		words = append(words, "pairs")
	}
	if c.byWinograd() && some(func(s stage) bool { return kern.WinogradFits(s.config()) }) {
		words = append(words, "winograd")
	}
	return strings.Join(words, "-")
}

// A plan joins neighbours whose results would only pass through memory. It joins batch
// normalisation with the sum of a residual block, and the sum of two gradients with the mask of a
// ReLU. The sum and its mask may also join the convolution that computes one of the two gradients.
// The bits stay the same.

// masking, adding, normBack and normSum are values of op.part, which tell what an op does; so are
// *normOp and product.
type (
	masking  struct{}
	adding   struct{ relu bool }
	normBack struct{ kernel *kern.BatchNorm }
	normSum  struct{ kernel *kern.BatchNorm }
)

// fuser knows, for each piece of memory, the instruction that makes it and the number of its
// readers.
type fuser struct {
	*backend
	makers  map[*float32]*instruction
	readers map[*float32]int
}

// fuse returns a plan of the two lists, with neighbours joined.
func (b *backend) fuse(forward, backward []instruction) *plan {
	f := &fuser{b, map[*float32]*instruction{}, map[*float32]int{}}
	p := &plan{forward, backward}
	p.visit(f.enter)
	visitUnjoined(forward, f.addNorm)
	visitUnjoined(backward, f.maskSum)
	gone := func(i instruction) bool { return i.op == nil }
	p.forward, p.backward = slices.DeleteFunc(forward, gone), slices.DeleteFunc(backward, gone)
	b.round(p)
	shareMemory(p.backward)
	return p
}

// shareMemory makes gradients of activations take over memory that is not read any more. With as
// few pieces as possible, the pieces stay in the caches.
func shareMemory(list []instruction) {
	last := map[*float32]int{} // the last reader of a piece, by its place before any sharing
	for k, i := range list {
		for _, in := range i.in {
			if len(in.F32) > 0 {
				last[&in.F32[0]] = k
			}
		}
	}
	held, free := map[*float32][]float32{}, map[int][][]float32{} // by piece, by length
	release := func(k int, pieces []*float32) {
		for _, piece := range pieces {
			if m := held[piece]; m != nil && last[piece] == k {
				free[len(m)] = append(free[len(m)], m)
				delete(held, piece)
			}
		}
	}
	for k := range list {
		i := &list[k]
		var read []*float32
		i.in = slices.Clone(i.in)
		for n, in := range i.in {
			if len(in.F32) == 0 {
				continue
			}
			piece := &in.F32[0]
			if read = append(read, piece); held[piece] != nil {
				i.in[n].F32 = held[piece]
			}
		}
		if i.over {
			release(k, read)
		}
		if i.moves {
			piece, unused := &i.to[0], free[len(i.to)]
			if n := len(unused); n > 0 {
				i.to, free[len(i.to)] = unused[n-1], unused[:n-1]
			}
			held[piece] = i.to
		}
		release(k, read)
	}
}

// visitUnjoined runs f on the instructions of a list that are not joined to others yet.
func visitUnjoined(list []instruction, f func(*instruction)) {
	for i := range list {
		if list[i].op != nil {
			f(&list[i])
		}
	}
}

// enter notes the memory that i makes and reads.
func (f *fuser) enter(i *instruction) {
	if made, ok := i.out.Data().([]float32); ok && i.part != nil {
		f.makers[&made[0]] = i
	}
	for _, in := range i.in {
		if len(in.F32) > 0 {
			f.readers[&in.F32[0]]++
		}
	}
}

// maker returns the instruction that makes an input which nothing else reads, or nil.
func (f *fuser) maker(in array) *instruction {
	if i := f.makers[&in.F32[0]]; i != nil && i.op != nil && f.readers[&in.F32[0]] == 1 {
		return i
	}
	return nil
}

// addNorm joins the sum i, and its ReLU, to a batch normalisation whose output nothing else reads.
func (f *fuser) addNorm(i *instruction) {
	if sum, ok := i.part.(adding); !ok || !sum.relu {
		return
	}
	for k, in := range i.in {
		before := f.maker(in)
		if before == nil {
			continue
		}
		if norm, ok := before.part.(*normOp); ok && !norm.relu {
			joined := &op{name: i.name, out: i.out, part: normSum{norm.kernel}}
			joined.run = func(to []float32, in []array) {
				norm.forward(to, in[0].F32, in[1].F32, in[2].F32, in[3].F32)
			}
			in := append(slices.Clone(before.in), i.in[1-k])
			*i, *before = instruction{joined, in, i.to}, instruction{}
			return
		}
	}
}

// maskSum joins the mask i to a sum that nothing else reads.
func (f *fuser) maskSum(i *instruction) {
	if _, ok := i.part.(masking); !ok {
		return
	}
	sum := f.maker(i.in[0])
	if sum == nil {
		return
	}
	if _, ok := sum.part.(adding); ok && !f.sumInConv(i, sum) {
		joined := &op{name: i.name, out: i.out, moves: true, over: true}
		joined.run = func(to []float32, in []array) {
			f.sums.Run(f.team, to, in[0].F32, in[1].F32, in[2].F32)
		}
		*i, *sum = instruction{joined, append(slices.Clone(sum.in), i.in[1]), i.to}, instruction{}
	}
}

// sumInConv joins the sum and the mask i to a convolution whose gradient the sum adds and nothing
// else reads, the convolution of the most work. It reports whether there is one.
func (f *fuser) sumInConv(i, sum *instruction) bool {
	best, most, plus := (*instruction)(nil), 0.0, array{}
	for k, in := range sum.in {
		before := f.maker(in)
		if before == nil {
			continue
		}
		if p, ok := before.part.(product); ok && p.sums() && p.conv.exact.FLOPs() > most {
			best, most, plus = before, p.conv.exact.FLOPs(), sum.in[1-k]
		}
	}
	if best == nil {
		return false
	}
	conv := best.part.(product).conv
	joined := &op{name: best.name, out: i.out, part: best.part, moves: true}
	joined.run = func(to []float32, in []array) {
		conv.kernel().BackwardData(f.team, to, in[2].F32, in[1].F32, in[3].F32, in[4].F32)
	}
	in := append(slices.Clone(best.in), i.in[1], plus)
	*i, *sum, *best = instruction{joined, in, i.to}, instruction{}, instruction{}
	return true
}
