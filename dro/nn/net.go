package nn

import (
	"fmt"
	"math"
	"math/rand/v2"

	"drolab/dro/internal/kern"
)

// Config says which network to build.
type Config struct {
	Model   string // one of Models
	C, H, W int    // an input's channels, height and width (a table: its columns, 1, 1)
	Classes int
	Batch   int    // the largest batch, in samples
	Seed    uint64 // of the initialisation
	Threads int    // that kernels may use; 0 is 1
}

// Tensor is a named array of the network, a view and not a copy.
type Tensor struct {
	Name  string // "conv1.weight", "conv1.bias", ...
	Shape []int  // [out, in, height, width] for a convolution, [out, in] for a dense layer
	Data  []float32
}

// SGD holds the settings of one update (PyTorch's rule, dampening 0):
// v ← momentum·v + (g + weightDecay·w), w ← w − lr·v.
type SGD struct {
	LR, Momentum, WeightDecay float64
}

// Net is one network with its parameters, its optimiser's velocities and the
// buffers of one batch. It has one owner: none of its methods may run at once.
type Net struct {
	Config
	graph *graph
	plan  *plan
	sgd   *kern.SGD

	// Each of these is one piece of memory, so that an update is one pass; the
	// tensors are views of it, each at the start of a cache line.
	weights, velocity, gradient       []float32
	parameters, velocities, gradients []Tensor
}

// Check says whether the model fits an input of c×h×w, and how many
// parameters it then has.
func Check(model string, c, h, w, classes int) (parameters int, err error) {
	list, err := stages(model, c, h, w, classes)
	for _, s := range list {
		parameters += s.outC * (s.fanIn() + 1)
	}
	return parameters, err
}

// Kernel names the implementation that networks run on here: avx512, avx2 or
// generic. Each gives the same bits on any number of threads; one kernel's
// last bits differ from another's.
func Kernel() string { return kern.Detect().String() }

// New builds the network with He-initialised weights (normal, variance
// 2/fan-in; the last layer 1/fan-in, for it has no ReLU) and zero biases:
// He et al., "Delving deep into rectifiers", 2015, eq. 10.
func New(c Config) (*Net, error) { return newNet(kern.Detect(), c) }

func newNet(isa kern.ISA, c Config) (*Net, error) {
	list, err := stages(c.Model, c.C, c.H, c.W, c.Classes)
	if err != nil {
		return nil, err
	}
	if c.Batch < 1 || c.Classes < 2 {
		return nil, fmt.Errorf("model: batch %d, classes %d: want at least 1 and 2", c.Batch, c.Classes)
	}
	n := &Net{Config: c}
	n.weights, n.parameters = arena(list)
	n.velocity, n.velocities = arena(list)
	n.gradient, n.gradients = arena(list)
	n.initialise(list)
	if n.sgd, err = kern.NewSGD(isa, len(n.weights)); err != nil {
		return nil, err
	}
	if n.graph, err = newGraph(isa, c, list, n.parameters, n.gradients); err != nil {
		return nil, err
	}
	if n.plan, err = n.graph.compile(); err != nil {
		n.Close()
		return nil, err
	}
	return n, nil
}

// arena returns memory for one value a parameter, and its tensors.
func arena(list []stage) (memory []float32, tensors []Tensor) {
	const line = 16 // float32s
	offset := 0
	place := func(name string, shape ...int) {
		size := 1
		for _, d := range shape {
			size *= d
		}
		tensors = append(tensors, Tensor{Name: name, Shape: shape, Data: memory[offset : offset+size : offset+size]})
		offset += (size + line - 1) / line * line
	}
	total := 0
	for _, s := range list {
		total += (s.outC*s.fanIn()+line-1)/line*line + (s.outC+line-1)/line*line
	}
	memory = kern.Alloc(total)
	for _, s := range list {
		if s.kernel > 0 {
			place(s.name+".weight", s.outC, s.inC, s.kernel, s.kernel)
		} else {
			place(s.name+".weight", s.outC, s.fanIn())
		}
		place(s.name+".bias", s.outC)
	}
	return memory, tensors
}

func (n *Net) initialise(list []stage) {
	rng := rand.New(rand.NewPCG(n.Seed, 0x696e6974)) // "init": a stream of its own
	for i, s := range list {
		gain := 2.0
		if i == len(list)-1 {
			gain = 1
		}
		scale := math.Sqrt(gain / float64(s.fanIn()))
		weight := n.parameters[2*i].Data
		for j := range weight {
			weight[j] = float32(scale * rng.NormFloat64())
		}
	}
}

// Losses runs the network on n = len(labels) ≤ Batch samples and writes their
// cross-entropies into losses (nats). x holds n×C×H×W values, sample after
// sample; a label is in 0..Classes−1.
func (n *Net) Losses(losses []float64, x []float32, labels []int) {
	if len(labels) > n.Batch || len(losses) < len(labels) || len(x) != len(labels)*n.C*n.H*n.W {
		panic("nn: Losses: lengths of losses, x and labels do not fit the network")
	}
	n.graph.load(x, labels)
	run(n.plan.forward)
	copy(losses, n.graph.losses[:len(labels)])
}

// Predictions writes the class of greatest logit for each sample of the last
// Losses into classes; the first of equals.
func (n *Net) Predictions(classes []int) {
	count := len(n.graph.labels)
	logits := n.graph.unpack(n.Classes)
	for i := range count {
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

// Update takes one step of SGD along the last Gradient and returns the
// gradient's Euclidean norm, without weight decay.
func (n *Net) Update(s SGD) (norm float64) {
	return math.Sqrt(n.sgd.Step(n.graph.team, n.weights, n.velocity, n.gradient,
		kern.SGDConfig{LearningRate: float32(s.LR), Momentum: float32(s.Momentum), WeightDecay: float32(s.WeightDecay)}))
}

// FLOPs returns the floating-point operations of Losses and of Gradient on a
// full batch that are real work: multiply-adds of the layers, those with
// padding zeros left out, each counted as two.
func (n *Net) FLOPs() (forward, backward float64) { return n.graph.forward, n.graph.backward }

// Peak runs multiply-adds on the network's threads, without memory, and
// returns how many operations those were: its rate is the most that FLOPs'
// can reach. It takes some milliseconds, on plain Go some tens.
func (n *Net) Peak() (flop float64) {
	n.graph.peak.Run(n.graph.team)
	return n.graph.peak.FLOPs()
}

// Parameters returns the weights and biases: views, for a checkpoint to read
// or fill.
func (n *Net) Parameters() []Tensor { return n.parameters }

// Velocities returns SGD's momentum buffers; see Parameters.
func (n *Net) Velocities() []Tensor { return n.velocities }

// Gradients returns the last Gradient; see Parameters.
func (n *Net) Gradients() []Tensor { return n.gradients }

// Close releases the network's threads.
func (n *Net) Close() { n.graph.team.Close() }
