package train

import (
	"errors"
	"math"
	"slices"

	"drolab/dro"
	"drolab/dro/nn"
	"drolab/runner"
	"drolab/runner/data"
	"drolab/runner/data/loader"
	"drolab/runner/lists"
	"drolab/runner/spec"
)

// native is drolab's own network from dro/nn, fed by the loaders of this process. It connects
// samples, which a run knows, with tensors, which nn knows.
type native struct {
	net    *nn.Net
	x      []nn.Tensor // parameters and buffers
	picked []nn.Tensor // a copy of x; nil before the first Pick
	passed bool        // the last Losses has also computed the gradient
}

// Native builds drolab's own network. It is a NewNetwork, and the default of a queue. The error is
// about a model, loss or precision that nn refuses.
func Native(s *spec.Spec, d *data.Dataset, threads int) (Network, error) {
	c := s.Network(d.Shape, len(d.Classes))
	c.Threads = threads
	net, err := nn.New(c)
	if err != nil {
		return nil, err
	}
	return &native{net: net, x: slices.Concat(net.Parameters(), net.Buffers())}, nil
}

// Feed implements Learner. With one thread there is no second thread to prepare batches ahead.
func (n *native) Feed(_ string, _ nn.Mode, o *loader.Options) {
	o.Ahead, o.RunOnThreads, o.InPlace = n.net.Threads > 1, n.net.RunEach, n.net.InPlace()
}

// Losses implements Learner. If network and data allow it, samples are read where they lie in
// memory, and their gradient is computed in the same pass.
func (n *native) Losses(losses []float64, b Batch, weigh func(weights, losses []float64)) {
	n.net.SetMode(b.Mode)
	n.passed = weigh != nil && b.Offsets != nil && n.net.OnePass()
	switch {
	case n.passed:
		n.net.Pass(losses, b.X, b.Offsets, b.Next, b.Labels, weigh)
	case b.Offsets != nil:
		n.net.LossesOf(losses, b.X, b.Offsets, b.Labels)
	default:
		n.net.Losses(losses, b.X, b.Labels)
	}
}

// Outputs implements Learner.
func (n *native) Outputs(o Outputs) {
	if o.Classes != nil {
		n.net.Predictions(o.Classes)
	}
	if o.Confidences != nil {
		n.net.Confidences(o.Confidences)
	}
	if o.Probabilities != nil {
		n.net.Logits(o.Probabilities)
		for sample := range slices.Chunk(o.Probabilities, n.net.Classes) {
			softmax(sample)
		}
	}
}

// softmax replaces the logits of one sample by probabilities. It subtracts the greatest logit
// first, since exp overflows from 710 on.
func softmax(x []float32) {
	most, sum := float64(slices.Max(x)), 0.0
	for _, v := range x {
		sum += math.Exp(float64(v) - most)
	}
	for i, v := range x {
		x[i] = float32(math.Exp(float64(v)-most) / sum)
	}
}

// Gradient implements Learner. If the last Losses computed the gradient in its pass, there is
// nothing left to do: the weights are those that it used.
func (n *native) Gradient(weights []float64, add bool) {
	switch {
	case n.passed:
	case add:
		n.net.AddGradient(weights)
	default:
		n.net.Gradient(weights)
	}
}

// GradNorm implements Learner.
func (n *native) GradNorm() float64 { return n.net.GradientNorm() }

// Step implements Learner.
func (n *native) Step(r Rule) (norm float64, taken bool) {
	switch {
	case r.Adam != nil:
		return n.net.Adapt(r.SGD, *r.Adam), true
	case r.Advance == nil:
		return n.net.Update(r.SGD), true
	}
	norm, velocity := n.net.Accumulate(r.Momentum, r.Momentum, r.WeightDecay, r.Clip)
	n.net.Advance(r.Advance(velocity, r.LR))
	return norm, true
}

// Restart implements Learner.
func (n *native) Restart() { n.net.Restart() }

// Pick implements Keeper. The first call allocates and later calls copy, since the output rule may
// choose thousands of steps in a run.
func (n *native) Pick() {
	if n.picked == nil {
		n.picked = runner.CloneTensors(n.x)
		return
	}
	for i, t := range n.x {
		copy(n.picked[i].Data, t.Data)
	}
}

// Swap implements Keeper. It exchanges values and not slices, since kernels hold the memory.
func (n *native) Swap() {
	for i, t := range n.x {
		for j, v := range t.Data {
			t.Data[j], n.picked[i].Data[j] = n.picked[i].Data[j], v
		}
	}
}

// Save implements Saver. It copies nothing: a caller that keeps the state calls Detach.
func (n *native) Save(s *runner.State) error {
	s.Parameters, s.Velocities, s.Buffers = n.net.Parameters(), n.net.Velocities(), n.net.Buffers()
	s.Picked = n.picked
	return nil
}

// Load implements Saver. It loads the picked tensors only if this network has picked: the
// checkpoint of a parent that trained with another method may have none.
func (n *native) Load(s *runner.State) error {
	err := errors.Join(
		runner.CopyTensors(n.net.Parameters(), s.Parameters),
		runner.CopyTensors(n.net.Velocities(), s.Velocities),
		runner.CopyTensors(n.net.Buffers(), s.Buffers))
	n.net.SetUpdates(s.Step) // every step of a run is one update
	if err == nil && n.picked != nil && len(s.Picked) > 0 {
		err = runner.CopyTensors(n.picked, s.Picked)
	}
	return err
}

// Width implements LastLayer.
func (n *native) Width() int {
	weight, bias := n.net.LastLayer()
	return len(weight.Data) / len(bias.Data)
}

// Features implements LastLayer.
func (n *native) Features(rows [][]float32) { n.net.Features(rows) }

// Layer implements LastLayer.
func (n *native) Layer() (l dro.Layer) {
	weight, bias := n.net.LastLayer()
	for row := range slices.Chunk(weight.Data, n.Width()) {
		l.Weights = append(l.Weights, widen(row))
	}
	l.Bias = widen(bias.Data)
	return l
}

// widen returns x in float64.
func widen(x []float32) []float64 {
	return lists.Map(x, func(v float32) float64 { return float64(v) })
}

// SetLayer implements LastLayer.
func (n *native) SetLayer(l dro.Layer) {
	weight, bias := n.net.LastLayer()
	width := n.Width()
	for k, row := range l.Weights {
		bias.Data[k] = float32(l.Bias[k])
		for j, v := range row {
			weight.Data[k*width+j] = float32(v)
		}
	}
}

// Tensors implements Parameters.
func (n *native) Tensors() []nn.Tensor { return n.x }

// Err implements Network: a computation in this process fails only by a panic.
func (n *native) Err() error { return nil }

// Close implements Network.
func (n *native) Close() { n.net.Close() }

// Kernel names the kernel of the run's training steps on data: the host's kernel or the kernel of
// another precision, with a suffix if sums have another order.
func Kernel(s *spec.Spec, host string, d *data.Dataset) string {
	if s.Precision != spec.Defaults().Precision {
		host = nn.Kernel(s.Precision)
	}
	if order := nn.Order(s.Network(d.Shape, len(d.Classes))); order != "" {
		return host + "-" + order
	}
	return host
}
