package runner

import (
	"slices"

	"drolab/dro/nn"
	"drolab/runner/data"
)

// Network is what a run trains: dro/nn's, or another backend's. It belongs to
// the run's goroutine. See nn.Net for what each method does.
type Network interface {
	// Losses runs the network on a batch of at most Config.Batch samples.
	Losses(losses []float64, x []float32, labels []int)
	// InPlace tells whether LossesOf can be called, which takes samples that begin in x
	// where at says.
	InPlace() bool
	LossesOf(losses []float64, x []float32, at []int32, labels []int)
	// OnePass tells whether Pass can be called, which is LossesOf and then Gradient.
	OnePass() bool
	Pass(losses []float64, x []float32, at, next []int32, labels []int, weigh func(weights, losses []float64))
	// Predictions gives the classes of the last Losses.
	Predictions(classes []int)
	// Confidences gives the probabilities of those classes.
	Confidences(probabilities []float64)
	// Logits gives what the last layer does, [sample][class].
	Logits(logits []float32)
	// Gradient computes ∇ mean w_i ℓ_i over the batch of the last Losses,
	// AddGradient adds it to the last one.
	Gradient(weights []float64)
	AddGradient(weights []float64)
	GradientNorm() float64
	// Update takes a step of SGD along the last gradient and returns its norm.
	Update(nn.SGD) (norm float64)
	// Accumulate averages the last gradient into the velocities, and Advance
	// moves along these.
	Accumulate(momentum, dampening, weightDecay, clip float64) (norm, velocity float64)
	Advance(rate float64)
	// SetMode says what a layer that looks at its whole batch does.
	SetMode(nn.Mode)
	// Restart goes back to the initialisation.
	Restart()
	// Parameters, Velocities and Buffers are views, for checkpoints.
	Parameters() []nn.Tensor
	Velocities() []nn.Tensor
	Buffers() []nn.Tensor
	// Each runs f(0) to f(n-1) on the threads that the rest runs on.
	Each(n int, f func(i int))
	Close()
}

// NewNetwork builds a network; nn.New where nothing else is asked for.
type NewNetwork func(nn.Config) (Network, error)

func standardNetwork(c nn.Config) (Network, error) {
	n, err := nn.New(c)
	if err != nil {
		return nil, err
	}
	return n, nil
}

// lossesOf runs a network on the samples from to to of a batch.
func lossesOf(net Network, losses []float64, b *data.Batch, from, to int) {
	if b.At != nil {
		net.LossesOf(losses, b.X, b.At[from:to], b.Labels[from:to])
		return
	}
	size := len(b.X) / b.N
	net.Losses(losses, b.X[from*size:to*size], b.Labels[from:to])
}

func (r *run) addNetwork(build NewNetwork, threads int) (err error) {
	s := &r.meta.Spec
	if r.net, err = build(networkConfig(s, r.data, threads)); err != nil {
		return err
	}
	r.losses, r.weights = make([]float64, s.Batch), make([]float64, s.Batch)
	r.x = slices.Concat(r.net.Parameters(), r.net.Buffers())
	return nil
}

func (r *run) addPicked() {
	if r.picker != nil {
		r.picked = cloneTensors(r.x)
	}
}
