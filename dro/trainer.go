package dro

import "fmt"

// Task holds what a Trainer needs to start.
type Task struct {
	Problem *Problem // the uncertainty set, its radius and the box of z
	Samples int      // number of training samples
	Classes []int    // training samples of each class
	Groups  []int    // training samples of each group; the classes where no groups are given
	Val     []int    // validation samples of each group; nil: there is no validation split
	// Keys has a number for each training sample: samples with the same one, such as those of a
	// patient, stay together where a method divides them. Nil: it may divide them in any way.
	Keys []uint32
	// Ungrouped says that no training sample's group is known, though those of other samples are.
	// The groups with training samples then stand for a missing value.
	Ungrouped bool
	ByGroup   bool   // batches draw each group equally often, not each sample
	Seed      uint64 // of the run
	// Settings holds the method's own settings and those that it Reads, by key.
	Settings map[string]Auto
}

// Number returns the setting of that key; 0 where it is "auto".
func (t *Task) Number(key string) float64 { return t.Settings[key].Or(0) }

// Batch is what a method may look at: n samples at the present x, with one value for each sample.
// Correct is nil during a step, since only a pass over the training split fills it.
type Batch struct {
	Losses  []float64
	Labels  []int
	Groups  []int
	Index   []int // in the training split
	Correct []bool
}

// Step describes a training step after x has moved.
type Step struct {
	T        int64   // counted from 1
	Rate     float64 // the step size α of this step
	GradNorm float64 // ‖mean w_i ∇ℓ_i‖ of the x-batch, before clipping
}

// Trainer is a method at work on one run, and the owner of the method's state. A training step
// calls Before and Weights on the x-batch and then, once x has moved, After. None of the three
// allocates. A Trainer is not safe for concurrent use. Embed [Base] for the parts that a method
// does without.
type Trainer interface {
	// Before moves the state on a batch that is about to be weighed.
	Before(Batch)
	// Weights writes the weights of the x-step at the present state: n times the derivatives of the
	// batch's objective with respect to its losses (math.md §5). The gradient of the objective is
	// then mean w_i ∇ℓ_i. Weights changes nothing that State returns. So the training split as a
	// whole can be given as one batch at any time, and the weights are then those of the objective
	// over all samples.
	Weights(w []float64, b Batch)
	// Samplewise returns a function that writes the weights of any samples from their losses, and
	// that several threads may call at once. It returns nil unless a sample's weight follows from
	// its own loss and the present state, and Before does nothing. With such a function, the losses
	// and the gradient of a batch can be computed in one pass, and Weights is called after it.
	Samplewise() func(w, losses []float64)
	// Form returns the form of the next batch's weights, with its numbers appended to into. The
	// zero Form is none.
	Form(into []float64) Form
	// Fresh tells whether After wants samples drawn independently of the
	// x-batch, at the new x. Otherwise it gets the x-batch with the losses that
	// Weights saw.
	Fresh() bool
	// After moves the state.
	After(Batch, Step)
	// Report passes the measures of the last step that apply to record, by name.
	Report(record func(name string, value float64))
	// State returns all that the rest of the run depends on, and Restore sets it again, bit for
	// bit.
	State() State
	Restore(State) error
}

// State is a method's part of a checkpoint.
type State struct {
	// Numbers holds numbers by name. A number with the name of a setting (λ, η) starts at the value
	// of that setting, which a fork states anew.
	Numbers map[string]float64
	// Flags holds flags by name, one for each training sample.
	Flags map[string][]bool
	// Lists holds other lists of numbers by name, such as losses seen.
	Lists map[string][]float64
}

// numbers returns the named numbers in the order of names, or an error that names a missing one.
func (s State) numbers(names ...string) ([]float64, error) {
	values := make([]float64, len(names))
	for i, name := range names {
		v, ok := s.Numbers[name]
		if !ok {
			return nil, fmt.Errorf("the method's state has no %q", name)
		}
		values[i] = v
	}
	return values, nil
}

// Base implements the methods of Trainer other than Weights by doing nothing, for methods to embed.
// A method that embeds it weighs whole batches that Before does not prepare, and has no step of its
// own, no measures and no state.
type Base struct{}

// Before implements Trainer.
func (Base) Before(Batch) {}

// Samplewise implements Trainer.
func (Base) Samplewise() func(w, losses []float64) { return nil }

// Form implements Trainer.
func (Base) Form([]float64) Form { return Form{} }

// Fresh implements Trainer.
func (Base) Fresh() bool { return false }

// After implements Trainer.
func (Base) After(Batch, Step) {}

// Report implements Trainer.
func (Base) Report(func(string, float64)) {}

// State implements Trainer.
func (Base) State() State { return State{} }

// Restore implements Trainer.
func (Base) Restore(State) error { return nil }

// Interfaces that a Trainer may implement in addition.
type (
	// Dual is a Trainer with dual variables. F(x; z) and the dual gap are measured at Z, which is
	// in the problem's coordinates.
	Dual interface {
		Z() Z
		// Confine brings z into the box, after a setting was changed live.
		Confine()
	}

	// Warner is a Trainer that warns. Warning says what is suspicious, though usable, about the
	// last step, and gives the cure; "" is no warning. The text is one of a few, and a run tells
	// each of them once.
	Warner interface{ Warning() string }

	// Picker is a Trainer with an output rule, like that of the paper's Algorithm 1: the x after
	// one of its steps is kept beside the last x.
	Picker interface {
		// Picked returns the step chosen so far; its Step is 0 before the first.
		Picked() PaperIterate
	}

	// Mover is a Trainer with an x-step of its own. Its x-gradients are averaged, v ← βv + (1−β)g
	// with β the run's momentum, and Advance says how far x then goes along v.
	Mover interface {
		// Advance returns a in x ← x − a·v, given ‖v‖ and the step size α.
		Advance(norm, alpha float64) float64
	}

	// Epochal is a Trainer that acts between epochs.
	Epochal interface {
		// EndEpoch is called at the end of every epoch (1, 2, ...) but the last. split returns the
		// whole training split at the present x, in the order of the split, at the cost of a
		// forward pass. restart asks for x as it was initialised.
		EndEpoch(epoch int, split func() (Batch, error)) (restart bool, err error)
	}
)
