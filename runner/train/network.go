package train

import (
	"drolab/dro"
	"drolab/dro/nn"
	"drolab/runner"
	"drolab/runner/data"
	"drolab/runner/data/loader"
	"drolab/runner/spec"
)

// Network is the model that drolab's loop trains. It is asked about samples, which are indices into
// a split, and holds everything that is learned. drolab's own network is in native.go; a network of
// another program is a second implementation. It belongs to the run's goroutine.
type Network interface {
	Learner
	Keeper
	Saver
	// Err returns the first failure of any method, such as a program that is gone, and keeps
	// returning it. After a failure, losses and norms are NaN and nothing else is done. So a run
	// needs to check Err only before it uses results, and not after every call.
	Err() error
	Close()
}

// Learner is the part of a Network that trains and predicts. A step calls Losses, Gradient and
// Step, in this order.
type Learner interface {
	// Feed sets in o how a loader makes this network's batches of a split in the given mode: on
	// which threads, how far ahead, and whether it leaves values where they lie in memory. A
	// network that reads its samples itself, by their indices, asks for batches without values.
	Feed(split string, mode nn.Mode, o *loader.Options)
	// Losses computes the loss of each sample of a batch, which has at most Spec.Batch samples. If
	// weigh is not nil, it computes the weights of any of these samples from their losses, on
	// several threads at once. The Gradient that follows uses these weights, so a network may
	// compute it in the same pass.
	Losses(losses []float64, b Batch, weigh func(weights, losses []float64))
	// Outputs fills in the requested predictions for the samples of the last Losses.
	Outputs(Outputs)
	// Gradient computes ∇ mean w_i ℓ_i over the batch of the last Losses, with the weights held
	// constant. It replaces the last gradient or, if add is set, adds to it.
	Gradient(weights []float64, add bool)
	// GradNorm returns the Euclidean norm of the last gradient.
	GradNorm() float64
	// Step moves along the last gradient and returns its norm, before clipping and without weight
	// decay. taken is false if the network skips the step because a gradient in half precision was
	// not finite; the norm may be anything then.
	Step(Rule) (norm float64, taken bool)
	// Restart restores the initialisation, to the bit.
	Restart()
}

// Keeper is the part of a Network that keeps the x which a method's output rule has chosen.
type Keeper interface {
	// Pick replaces the x that is kept by a copy of the present one.
	Pick()
	// Swap exchanges the present x with the one that is kept. A second Swap undoes the first.
	Swap()
}

// Saver holds what a run has learned: a Network, or the script in its place.
type Saver interface {
	// Save puts into a checkpoint what Load restores. Tensors are memory in use, and thus valid
	// until the next step. After an error, the checkpoint is worth nothing.
	Save(*runner.State) error
	// Load copies what Save has put there, and fails if the checkpoint belongs to another model.
	Load(*runner.State) error
}

// Parameters is implemented by a Network whose weights can be read. Code that needs the weights
// tests for it, and reports an error where it is missing.
type Parameters interface {
	// Tensors returns views of the learned parameters and the running statistics.
	Tensors() []nn.Tensor
}

// LastLayer is implemented by a Network whose last layer is linear and can be read and replaced,
// for methods that fit it again.
type LastLayer interface {
	// Width returns the number of features, which are the inputs of the last layer. It is 0 if the
	// network does not show the layer; then nothing below may be called.
	Width() int
	// Features writes the input of the last layer for the samples of the last Losses, which was in
	// mode nn.Evaluate.
	Features(rows [][]float32)
	Layer() dro.Layer
	SetLayer(dro.Layer)
}

// Batch is a batch of samples of a split: see SplitTrain and loader.Batch, whose Index names them.
// It holds values only if Network.Feed left the loader to read them. Its mode says how layers that
// look at their whole batch treat it.
//
// The samples belong to the loader, which makes its next batch in their memory. Batch holds a
// pointer, since a loader.Batch has 160 bytes to copy at every call.
type Batch struct {
	Split string
	Mode  nn.Mode
	*loader.Batch
}

// Part returns the samples from (included) to to (excluded) of a batch. The caller lends part as
// their memory, so that a step which takes its batch in pieces allocates nothing.
func (b Batch) Part(part *loader.Batch, from, to int) Batch {
	*part = loader.Batch{X: b.X, Labels: b.Labels[from:to], Groups: b.Groups[from:to],
		Index: b.Index[from:to], N: to - from, Epoch: b.Epoch}
	switch {
	case b.Offsets != nil:
		part.Offsets, part.Next = b.Offsets[from:to], b.Next
	case b.X != nil:
		size := len(b.X) / b.N
		part.X = b.X[from*size : to*size]
	}
	return Batch{b.Split, b.Mode, part}
}

// Outputs holds a network's predictions for samples. A nil slice was not requested.
type Outputs struct {
	Classes       []int     // the class of the greatest probability, the first among equals
	Confidences   []float64 // the probability of that class
	Probabilities []float32 // the probability of every class, [sample][class]
}

// Rule is the rule of an x-step: SGD, v ← momentum·v + g, x ← x − lr·v. If Advance is set, as by
// normalised momentum, the step averages the gradient instead, v ← momentum·v + (1 − momentum)·g,
// and moves by −Advance(‖v‖, lr)·v. If Adam is set, the step is AdamW's, without momentum; a
// program is never asked for that.
type Rule struct {
	nn.SGD
	Adam    *nn.AdamW
	Advance func(velocity, lr float64) (rate float64)
}

// NewNetwork builds the network of a run of s on d, with the given number of threads. The run
// closes it.
type NewNetwork func(s *spec.Spec, d *data.Dataset, threads int) (Network, error)
