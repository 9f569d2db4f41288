package nn

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"drolab/dro/internal/kern"
)

// Net is one network with its parameters, its optimiser's velocities and the
// memory for one batch. It has one owner: none of its methods may run at once.
type Net struct {
	Config
	stages []stage
	mode   Mode
	graph  *graph
	plan   *plan
	sgd    *kern.SGD

	// Each of these vectors is one piece of memory, so that an update is one pass; the tensors are
	// views.
	weights, velocity, gradient                []float32
	parameters, velocities, gradients, buffers []Tensor

	inTurn []int32 // where the samples of a batch begin if they follow each other

	adam    *adam // nil: the optimiser is SGD
	updates int64 // number of updates taken, which dropout is drawn by
	probes  int64 // batches of mode Probe since the last update
}

// New builds the network, initialised as Inits says. Batch normalisation starts with weights 1,
// biases 0, running means 0 and running variances 1.
func New(c Config) (*Net, error) {
	list, err := stages(c)
	if err != nil {
		return nil, err
	}
	return newNet(kern.Detect(), c, list)
}

func newNet(isa kern.ISA, c Config, list []stage) (_ *Net, err error) {
	if c.Batch < 1 || c.Classes < 2 {
		return nil, fmt.Errorf(
			"model: batch %d, classes %d: expected at least 1 and 2", c.Batch, c.Classes)
	}
	for _, choice := range []struct {
		key, value string
		allowed    []string
	}{
		{"init", c.Init, Inits()}, {"precision", c.Precision, Precisions()},
		{"convolution", c.Convolution, Convolutions()}, {"loss", c.Loss, Losses()},
	} {
		if choice.value != "" && !slices.Contains(choice.allowed, choice.value) {
			return nil, fmt.Errorf("%s: %.40q: expected one of %s", choice.key, choice.value,
				strings.Join(choice.allowed, ", "))
		}
	}
	n := &Net{Config: c, stages: list}
	parameters, buffers := slots(list, c.Init)
	n.weights, n.parameters = arena(parameters)
	n.velocity, n.velocities = arena(parameters)
	n.gradient, n.gradients = arena(parameters)
	_, n.buffers = arena(buffers)
	if c.Optimizer == AdamWName {
		n.adam = newAdam(parameters)
	}
	n.Restart()
	n.sgd = kern.NewSGD(isa, len(n.weights))
	if n.graph, err = newGraph(isa, n); err != nil {
		return nil, err
	}
	if n.plan, err = n.graph.makePlan(); err != nil {
		n.Close()
		return nil, err
	}
	for i := range c.Batch {
		n.inTurn = append(n.inTurn, int32(i*c.C*c.H*c.W))
	}
	return n, nil
}

// Restart sets parameters, velocities and buffers to what they are after New with the same Config,
// to the bit, and clears the last gradient.
func (n *Net) Restart() {
	parameters, buffers := slots(n.stages, n.Init)
	initialise(n.parameters, parameters, n.Seed)
	initialise(n.buffers, buffers, n.Seed)
	clear(n.velocity)
	clear(n.gradient)
	if n.adam != nil {
		clear(n.adam.memory)
	}
}

// Mode is what a batch is for. It selects the statistics that batch normalisation takes, and mode
// Evaluate leaves out dropout and the rounding of operands. A network without any of these does the
// same in every mode.
type Mode int

const (
	// Train normalises by the batch's own statistics, differentiates through them, and moves the
	// running ones towards them: for the batch that updates the parameters.
	Train Mode = iota
	// Probe is Train without moving the running statistics: for a batch that is only looked at, as
	// SFK's z-batch.
	Probe
	// Evaluate normalises by the running statistics, which are constants to the gradient: no
	// sample's loss then depends on the other samples of its batch.
	Evaluate
)

// SetMode sets the mode of the batches of further Losses; a new network is in mode Train. Gradient
// uses the mode of the Losses before it.
func (n *Net) SetMode(m Mode) { n.mode = m }

// Losses runs the network on n = len(labels) samples, 1 to Batch, and writes their losses
// (Config.Loss) into losses. x holds n×C×H×W values, sample after sample, and must stay as it is
// until the Gradient of this batch; a label is in 0..Classes−1.
func (n *Net) Losses(losses []float64, x []float32, labels []int) {
	n.checkBatch(losses, labels, len(x) == len(labels)*n.C*n.H*n.W)
	n.computeLosses(losses, kern.Images{X: x, At: n.inTurn[:len(labels)]}, labels)
}

// checkBatch panics if losses or labels do not fit the network, or the samples do not.
func (n *Net) checkBatch(losses []float64, labels []int, samplesFit bool) {
	if count := len(labels); count < 1 || count > n.Batch || len(losses) < count || !samplesFit {
		panic("nn: lengths of losses, samples and labels do not fit the network, or it does not " +
			"take samples so")
	}
}

// InPlace reports whether LossesOf can be called: the network takes samples wherever they lie.
func (n *Net) InPlace() bool { return n.graph.direct && n.graph.inputLayout == nil }

// LossesOf is Losses of samples that begin at the indices at in x.
func (n *Net) LossesOf(losses []float64, x []float32, at []int32, labels []int) {
	n.checkBatch(losses, labels, len(at) == len(labels) && n.InPlace())
	n.computeLosses(losses, kern.Images{X: x, At: at}, labels)
}

// OnePass reports whether Pass can be called: the network is InPlace and one linear layer of few
// units.
func (n *Net) OnePass() bool { return n.graph.onePass != nil }

// Pass does what LossesOf and then Gradient do, to the bit, in one pass over the samples. weigh
// sets the ratios of some samples from their losses; several threads call it at once. next holds
// where the samples of the next batch begin, as far as known, for memory to bring them meanwhile.
func (n *Net) Pass(
	losses []float64, x []float32, at, next []int32, labels []int,
	weigh func(ratios, losses []float64),
) {
	n.checkBatch(losses, labels, len(at) == len(labels) && n.OnePass())
	n.load(kern.Images{X: x, At: at}, labels)
	n.graph.onePass.run(n.graph, losses[:len(labels)], next, weigh)
}

// load makes x and labels the current batch. Its dropout is drawn by the seed, the number of
// updates and, in mode Probe, the number of the batch since the last update.
func (n *Net) load(x kern.Images, labels []int) {
	batch := uint64(0)
	if n.mode == Probe {
		n.probes++
		batch = uint64(n.probes)
	}
	n.graph.noise = kern.Mix(kern.Mix(n.Seed+dropStream) + uint64(n.updates)<<20 + batch)
	n.graph.load(x, labels, n.mode)
}

const dropStream = 0x64726f70 // "drop": a stream of its own

// SetUpdates sets the number of updates taken, for a network that goes on from a checkpoint.
func (n *Net) SetUpdates(updates int64) { n.updates, n.probes = updates, 0 }

func (n *Net) computeLosses(losses []float64, x kern.Images, labels []int) {
	n.load(x, labels)
	run(n.plan.forward)
	copy(losses, n.graph.losses[:len(labels)])
}

// Predictions writes the class of the largest logit of each sample of the last Losses into classes,
// the first class of equals.
func (n *Net) Predictions(classes []int) {
	logits := n.graph.unpack(n.Classes)
	for i := range n.graph.labels {
		row := logits[i*n.Classes:][:n.Classes]
		best := 0
		for c, v := range row {
			if v > row[best] {
				best = c
			}
		}
		classes[i] = best
	}
}

// Confidences writes the probability that the network gives to each class of Predictions: the
// largest of its softmax, in [1/Classes, 1]. A network trained on the squared loss does not aim at
// probabilities.
func (n *Net) Confidences(probabilities []float64) {
	logits := n.graph.unpack(n.Classes)
	for i := range n.graph.labels {
		row := logits[i*n.Classes:][:n.Classes]
		most, sum := slices.Max(row), 0.0
		for _, v := range row {
			sum += math.Exp(float64(v - most))
		}
		probabilities[i] = 1 / sum
	}
}

// Logits writes the outputs of the last layer for each sample of the last Losses, [sample][class].
func (n *Net) Logits(logits []float32) { copy(logits, n.graph.unpack(n.Classes)) }

// Features writes the input of the last layer for each sample of the last Losses.
func (n *Net) Features(rows [][]float32) {
	last := n.stages[len(n.stages)-1]
	size := last.in.Len()
	if last.from < 0 {
		for i := range n.graph.labels {
			copy(rows[i], n.graph.rows.X[n.graph.rows.At[i]:][:size])
		}
		return
	}
	plain := make([]float32, len(n.graph.labels)*size)
	n.graph.lastLayout.Unpack(plain, n.graph.features)
	for i := range n.graph.labels {
		copy(rows[i], plain[i*size:])
	}
}

// LastLayer returns the last layer's weights, [class][feature], and biases: views.
func (n *Net) LastLayer() (weight, bias Tensor) {
	first := len(n.parameters) - 2
	return n.parameters[first], n.parameters[first+1]
}

// Gradient computes ∇ (1/n) Σ r_i ℓ_i over the batch of the last Losses, with
// ratios held constant (math.md §2: ∂F/∂ℓ_i = r_i/n).
func (n *Net) Gradient(ratios []float64) {
	n.graph.weigh(ratios[:len(n.graph.labels)])
	run(n.plan.backward)
}

// AddGradient is Gradient that adds to the last one instead of replacing it,
// so that a gradient over many batches needs no memory of its own.
func (n *Net) AddGradient(ratios []float64) {
	n.graph.add = true
	n.Gradient(ratios)
	n.graph.add = false
}

// GradientNorm returns the Euclidean norm of the last Gradient.
func (n *Net) GradientNorm() float64 {
	var square float64
	for _, g := range n.gradient {
		square += float64(g) * float64(g)
	}
	return math.Sqrt(square)
}

// FLOPs returns the floating-point operations of Losses and of Gradient on a
// full batch that are real work: multiply-adds of convolutions and dense layers,
// those with padding zeros left out, each counted as two.
func (n *Net) FLOPs() (forward, backward float64) { return n.graph.forward, n.graph.backward }

// Peak runs multiply-adds on the network's threads, without memory, and returns their number of
// operations. Its rate is the most that the operations of FLOPs can reach. It takes some
// milliseconds, in plain Go some tens.
func (n *Net) Peak() (flop float64) {
	n.graph.peak.Run(n.graph.team)
	return n.graph.peak.FLOPs()
}

// Parameters returns the learned tensors, weights before biases, as views for a checkpoint to read
// or fill.
func (n *Net) Parameters() []Tensor { return n.parameters }

// Velocities returns the state of the optimiser. For SGD it is the momentum, one value per
// parameter. For AdamW it is the mean gradients, followed by the mean squares and the number of
// updates. See Parameters.
func (n *Net) Velocities() []Tensor {
	if n.adam != nil {
		return slices.Concat(n.velocities, n.adam.tensors)
	}
	return n.velocities
}

// Gradients returns the last Gradient; see Parameters.
func (n *Net) Gradients() []Tensor { return n.gradients }

// Buffers returns the tensors that are neither learned nor constant: the running statistics of
// batch normalisation, if the model has any. See Parameters.
func (n *Net) Buffers() []Tensor { return n.buffers }

// RunEach runs f(0) to f(count-1) on the network's threads, which wait for work while it trains,
// and returns when all are done. Any thread may run any of them.
func (n *Net) RunEach(count int, f func(i int)) { n.graph.team.RunEach(count, f) }

// Close releases the network's threads. A second Close does nothing.
func (n *Net) Close() { n.graph.team.Close() }
