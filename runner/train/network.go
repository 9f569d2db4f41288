package train

import (
	"drolab/dro"
	"drolab/dro/nn"
	"drolab/runner"
	"drolab/runner/data"
	"drolab/runner/spec"
)

// Network is the model that a run trains. It is asked about samples, which are indices of a
// split, and holds all that is learned. drolab's own network is native.go's; a
// network of another program is a second implementation. It belongs to the run's
// goroutine.
//
// A step asks for Losses, Gradient and Step, in this order.
type Network interface {
	// Feed says how the loaders of this network's batches work, which are of a split
	// and looked at in a mode: on which threads, how far ahead, whether they leave
	// values where these lie, or have none, for a network that reads its samples
	// itself, by their indices.
	Feed(split string, mode nn.Mode, o *data.LoaderOptions)
	// Losses computes the loss of each sample of a batch, at most Spec.Batch of
	// them. Where weigh is not nil it gives the weights of any of these samples by
	// their losses, on several threads at once, and the Gradient that follows is
	// of these weights: a network may compute it in the same pass.
	Losses(losses []float64, b Batch, weigh func(weights, losses []float64))
	// Outputs fills in what is asked for about the samples of the last Losses.
	Outputs(Outputs)
	// Gradient computes ∇ mean w_i ℓ_i over the batch of the last Losses, the
	// weights held constant, in place of the last gradient or added to it.
	Gradient(weights []float64, add bool)
	// GradNorm is the Euclidean norm of the last gradient.
	GradNorm() float64
	// Step moves along the last gradient and returns its norm, before clipping and
	// without weight decay. It is not taken where the network skips it, since a
	// gradient in half precision was not finite; then the norm may be anything.
	Step(Rule) (norm float64, taken bool)
	// Pick keeps a copy of the network as it is, and Swap exchanges the two.
	Pick()
	Swap()
	// Save puts what Load takes up into a checkpoint. It is the network's own
	// memory, and thus valid until the next Step. Load copies, and fails where the
	// checkpoint is of another model. Of nil, it goes back to the initialisation, to
	// the bit.
	Save(*runner.State)
	Load(*runner.State) error
	// Err is the first failure of anything above, as of a program that is gone, and
	// stays. From there on losses and norms are NaN and nothing else is done, so that
	// a run asks where it would use what it was given, and not at every call.
	Err() error
	Close()
}

// Parameters is implemented by a Network whose weights are at hand. What needs
// them asks for it, and says so where it is missing.
type Parameters interface {
	// Tensors are views of what is learned and of running statistics.
	Tensors() []nn.Tensor
}

// LastLayer is implemented by a Network whose last layer is linear and at hand, for methods
// that fit it again.
type LastLayer interface {
	// Features writes what the last layer takes of the samples of the last Losses, in mode
	// nn.Evaluate.
	Features(rows [][]float32)
	Layer() dro.Layer
	SetLayer(dro.Layer)
}

// Batch is samples of a split: see SplitTrain and data.Batch, whose Index names
// them. It has values only where Network.Feed left the loader to read them. Its mode
// says how layers that look at their whole batch treat it.
//
// The samples belong to the loader, which makes its next batch in their memory. They
// are pointed at, since a copy of a data.Batch is 160 bytes at every call.
type Batch struct {
	Split string
	Mode  nn.Mode
	*data.Batch
}

// Part returns the samples from (included) to to (excluded) of a batch. The caller
// lends the memory for them, part, so that a step which takes its batch in pieces
// allocates nothing.
func (b Batch) Part(part *data.Batch, from, to int) Batch {
	*part = data.Batch{X: b.X, Labels: b.Labels[from:to], Groups: b.Groups[from:to],
		Index: b.Index[from:to], N: to - from, Epoch: b.Epoch}
	switch {
	case b.At != nil:
		part.At, part.Next = b.At[from:to], b.Next
	case b.X != nil:
		size := len(b.X) / b.N
		part.X = b.X[from*size : to*size]
	}
	return Batch{b.Split, b.Mode, part}
}

// Outputs are a network's predictions for samples. A slice that is nil is not asked for.
type Outputs struct {
	Classes       []int     // of the greatest probability, the first of equals
	Confidences   []float64 // those probabilities
	Probabilities []float32 // of every class, [sample][class]
}

// Rule is a step of SGD, v ← momentum·v + g, x ← x − lr·v. Where Advance is set,
// as by normalised momentum, the step averages the gradient instead,
// v ← momentum·v + (1 − momentum)·g, and moves by −Advance(‖v‖, lr)·v. Where Adam is set it is
// AdamW's, without momentum; a program is never asked for that.
type Rule struct {
	nn.SGD
	Adam    *nn.AdamW
	Advance func(velocity, lr float64) (rate float64)
}

// NewNetwork builds the network of a run of s on d, with so many threads. The run
// closes it.
type NewNetwork func(s *spec.Spec, d *data.Dataset, threads int) (Network, error)
