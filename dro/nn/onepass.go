package nn

import "drolab/dro/internal/kern"

// onePass is a training step of a network of one linear layer, from its samples to the gradient,
// which kern computes in one pass over the samples. Everything else uses Gorgonia's graph of the
// same network.
type onePass struct {
	kernel *kern.RowsPass
	call   kern.PassCall
	weigh  func(ratios, losses []float64)
}

// newOnePass returns the pass, or nil if the network is not one linear layer that takes rows, or
// has too many units or too small a batch.
func newOnePass(g *graph, c Config, list []stage) *onePass {
	if len(list) > 1 || !g.direct || g.inputLayout != nil {
		return nil
	}
	loss := kern.NewLoss(g.isa, g.batch, c.Classes, lossKind(c.Loss))
	kernel, err := kern.NewRowsPass(g.first, loss)
	if err != nil {
		return nil
	}
	name := list[0].name
	p := &onePass{kernel: kernel, call: kern.PassCall{
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
func (p *onePass) weights(from, to int) {
	w := p.call.Weights[from:to]
	p.weigh(w, p.call.Losses[from:to])
	for i := range w {
		w[i] /= float64(len(p.call.Labels))
	}
}

// run computes losses and gradient of the graph's current batch.
func (p *onePass) run(
	g *graph, losses []float64, next []int32, weigh func(ratios, losses []float64),
) {
	p.call.Images, p.call.Next, p.call.Labels = g.rows, next, g.labels
	p.call.Losses, p.call.Weights = losses, g.weights[:len(g.labels)]
	p.weigh = weigh
	p.kernel.Run(g.team, p.call)
}
