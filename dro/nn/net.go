package nn

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"drolab/dro/internal/kern"
)

// Config says which network to build.
type Config struct {
	Model   string // one of Models
	C, H, W int    // an input's channels, height and width (a table: its columns, 1, 1)
	Classes int
	Batch   int    // the largest batch, in samples
	Init    string // one of Inits; empty: the first
	Seed    uint64 // of the initialisation and of dropout
	Threads int    // number of threads that kernels may use; 0 is 1

	// Precision is one of Precisions, the first if empty: the format that the operands of products
	// are rounded to, in batches of modes Train and Probe. All else, and all of mode Evaluate, is
	// float32.
	Precision string

	// Convolution is one of Convolutions, the first if empty: how 3×3 convolutions are computed in
	// fp32.
	Convolution string

	Loss string // one of Losses; empty: the first

	// Hidden and Activation belong to the model mlp. They are the units of its hidden layers
	// (empty: 256 and 128) and their activation (one of Activations; empty: the first). Dropout
	// belongs to mlp and to alexnet. It is the probability that a batch of mode Train or Probe has
	// a value of mlp's hidden layers, or of the input of alexnet's last layer, as 0. The others are
	// scaled up to make up for it.
	Hidden     []int
	Activation string
	Dropout    float64

	// Optimizer is one of Optimizers; empty: the first. Adapt needs adamw.
	Optimizer string
}

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

// Check returns the number of parameters of the model, and an error if the model does not fit its
// input. A table's columns are no pixels: a model of convolutions is for pictures, even where it
// would take a picture of one pixel.
func Check(c Config) (parameters int, err error) {
	if Known(c.Model) && c.H == 1 && c.W == 1 && models(c)[c.Model][0].kind == conv {
		return 0, fmt.Errorf("model: %s is for pictures, and a table of %d columns is too small "+
			"for its convolutions: choose the model %s", c.Model, c.C,
			strings.Join(anyInput(), " or "))
	}
	list, err := stages(c)
	weights, _ := slots(list, "")
	for _, s := range weights {
		parameters += s.len()
	}
	return parameters, err
}

// Kernel returns the name of the implementation that networks of a precision run on here: avx512,
// avx2 or generic. In bf16 it is amx-bf16 or avx512-bf16. Without instructions for bf16 it is one
// of the first three with operands rounded beforehand, as avx2-bf16-rounded. See Order, too. Each
// gives the same bits on any number of threads; the last bits of two kernels differ.
func Kernel(precision string) string {
	if precision == bf16 {
		return kern.DetectBF16().On(kern.Detect())
	}
	return kern.Detect().String()
}

const bf16 = "bf16"

// Precisions returns the formats that the operands of products can be rounded to, the customary one
// first. fp32 does not round. bf16 rounds to 8 significant bits, with sums, weights and all else in
// fp32, and is faster where the processor has instructions for it.
func Precisions() []string { return []string{"fp32", bf16} }

// CheckPrecision refuses bf16 for a model of one linear layer: its step takes as long as reading
// the batch, and rounding the batch is a pass more. New still makes such networks, because there
// are runs of them.
func CheckPrecision(model, precision string) error {
	if precision == bf16 && Convex(model) {
		return fmt.Errorf("precision: bf16 makes a step of %s slower, for it takes as long as "+
			"reading its batch, and rounding is a pass more: want fp32, or a model with hidden "+
			"layers", model)
	}
	return nil
}

const winograd = "winograd"

// Convolutions returns the ways to compute 3×3 convolutions, the customary one first. direct
// multiplies by the definition. winograd computes convolutions of many channels in squares of 2×2
// with 4/9 of the multiplications, and rounds in another order (kern.Winograd).
func Convolutions() []string { return []string{"direct", winograd} }

func (c Config) byWinograd() bool { return c.Convolution == winograd && c.Precision != bf16 }

// CheckConvolution refuses winograd where it computes nothing: in bf16, and in a model without
// convolutions.
func CheckConvolution(model, convolution, precision string) error {
	convolves := func(l layer) bool { return l.kind == conv || l.kind == residual }
	switch {
	case convolution != winograd:
		return nil
	case precision == bf16:
		return errors.New("convolution: winograd is for precision fp32: want direct in bf16")
	case !slices.ContainsFunc(models(Config{})[model], convolves):
		return fmt.Errorf("convolution: %s has no convolutions: want direct", model)
	}
	return nil
}

// The losses of a sample.
const (
	CrossEntropy     = "cross-entropy"
	Squared          = "squared"
	ErrorProbability = "error-probability"
)

// Losses returns the losses of a sample, the kinds of kern in their order. Cross-entropy is −log of
// the label's probability (nats), with the outputs as logits. Squared is half the squared distance
// of the outputs from the label's unit vector, which makes a linear model a least-squares
// regression. ErrorProbability is 1 minus the label's probability; it alone is bounded, and it
// alone is not convex in the outputs.
func Losses() []string { return []string{CrossEntropy, Squared, ErrorProbability} }

// lossKind returns the kind of a loss; without a name it is cross-entropy.
func lossKind(name string) kern.LossKind {
	return kern.LossKind(max(0, slices.Index(Losses(), name)))
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
			"model: batch %d, classes %d: want at least 1 and 2", c.Batch, c.Classes)
	}
	for _, choice := range []struct {
		key, value string
		allowed    []string
	}{
		{"init", c.Init, Inits()}, {"precision", c.Precision, Precisions()},
		{"convolution", c.Convolution, Convolutions()}, {"loss", c.Loss, Losses()},
	} {
		if choice.value != "" && !slices.Contains(choice.allowed, choice.value) {
			return nil, fmt.Errorf("%s: %.40q: want one of %s", choice.key, choice.value,
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
func (n *Net) InPlace() bool { return n.graph.direct && n.graph.layout == nil }

// LossesOf is Losses of samples that begin at the indices at in x.
func (n *Net) LossesOf(losses []float64, x []float32, at []int32, labels []int) {
	n.checkBatch(losses, labels, len(at) == len(labels) && n.InPlace())
	n.computeLosses(losses, kern.Images{X: x, At: at}, labels)
}

// OnePass reports whether Pass can be called: the network is InPlace and one linear layer of few
// units.
func (n *Net) OnePass() bool { return n.graph.pass != nil }

// Pass does what LossesOf and then Gradient do, to the bit, in one pass over the samples. weigh
// sets the ratios of some samples from their losses; several threads call it at once. next holds
// where the samples of the next batch begin, as far as known, for memory to bring them meanwhile.
func (n *Net) Pass(
	losses []float64, x []float32, at, next []int32, labels []int,
	weigh func(ratios, losses []float64),
) {
	n.checkBatch(losses, labels, len(at) == len(labels) && n.OnePass())
	n.load(kern.Images{X: x, At: at}, labels)
	n.graph.pass.run(n.graph, losses[:len(labels)], next, weigh)
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
