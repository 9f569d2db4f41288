package dro

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// Algorithm is the name of a method, as presets and files have it.
type Algorithm string

// The methods of the paper.
const (
	ERM Algorithm = "erm"
	SFK Algorithm = "sfk"
	PGD Algorithm = "pgd"
	PAN Algorithm = "pan"
)

// SFKAuto is our own relative of SFK.
const SFKAuto Algorithm = "sfk-auto"

// Method describes one way to train: what a step weighs the samples with, and
// what state of its own it moves. It is data; New makes a [Trainer] that works.
// What asks about a method asks these fields and never its name.
type Method struct {
	Name   Algorithm
	Doc    string // one line
	Source string // where it is from; "our reading" where a source leaves a choice

	// Baseline says that the method weighs nothing: what others are compared
	// with, and what step costs are counted in.
	Baseline bool
	// Lambda says that the method holds or moves λ, so that it is not defined
	// for a set that has none (CVaR).
	Lambda bool
	// Penalised says that λ stays where it starts: the problem is
	// sup { E_Q ℓ − λ D_φ(Q‖P0) } and not the constrained one.
	Penalised bool
	// Theorem1 says that the paper's theorem is of the method's steps.
	Theorem1 bool
	// OwnStep says that the Trainer is a Mover: its x-step is no optimizer's.
	OwnStep bool
	// Restarts says that the method trains twice, the second time from the start.
	Restarts bool
	// Refits says that the Trainer is a Refitter: it fits the last layer again at the end.
	Refits bool
	// Uses names what the weights depend on that an uncertainty set does not know,
	// "labels" or "groups"; "" is nothing. Comparisons say so.
	Uses string

	// Subsamples says that batches are of a training split in which every group is cut
	// to the smallest one's size, anew each time.
	Subsamples bool

	// CrossEntropy says that the method takes e^{−ℓ} for a probability, so that it
	// is not defined for another loss.
	CrossEntropy bool

	// Settings are the method's own. Reads names further settings that it reads
	// and not every method does; Live those of them that may be turned while a
	// run goes on.
	Settings []Setting
	Reads    []string
	Live     []string
	// Measures are what Report may put, beside loss and gradient norm, which
	// every step has.
	Measures []Measure

	// Clip is the length that a longer x-gradient is cut down to where the setting
	// clip is auto; 0 is no bound.
	Clip float64

	// Cost is what a step takes, in steps of ERM; 0 is 1.
	Cost float64

	New func(Task) (Trainer, error)
}

// Task is what a Trainer starts from.
type Task struct {
	Problem *Problem // the uncertainty set, its radius and the box of z
	Samples int      // of the training split
	Classes []int    // training samples of each class
	Groups  []int    // and of each group; the classes where none are given
	Val     []int    // validation samples, counted like Groups; nil: there is no such split
	ByGroup bool     // batches draw each group equally often, not each sample
	// Settings has the method's own and those that it Reads, by key.
	Settings map[string]Auto
}

// Number returns the setting of that key; 0 where it is "auto".
func (t *Task) Number(key string) float64 { return t.Settings[key].Or(0) }

// Batch is what a method may look at: n samples at the present x, one value a
// sample. Correct is nil during a step: only a pass over the training split
// knows it.
type Batch struct {
	Losses  []float64
	Labels  []int
	Groups  []int
	Index   []int // in the training split
	Correct []bool
}

// Step is what is known of a training step when x has moved.
type Step struct {
	T        int64   // counted from 1
	Rate     float64 // the method's step size α in this epoch
	GradNorm float64 // ‖mean w_i ∇ℓ_i‖ of the x-batch, before clipping
}

// Trainer is a method at work on one run, the owner of the method's state. A
// training step calls, in this order: Before and Weights on the x-batch, then,
// x having moved, After. None of the three allocates. It is not safe for
// concurrent use. Embed [Base] for the parts that a method does without.
type Trainer interface {
	// Before moves the state on a batch that is about to be weighed.
	Before(Batch)
	// Weights writes the weights of the x-step at the present state, n times the
	// derivatives of the objective of the batch in its losses (math.md §5): its
	// gradient is mean w_i ∇ℓ_i. It changes nothing that State returns, so that
	// at any time the training split as a whole can be given as one batch, and
	// the weights are then those of the objective over all samples.
	Weights(w []float64, b Batch)
	// Samplewise returns, where a sample's weight follows from its own loss and
	// the present state, and Before does nothing, what writes the weights of any
	// samples by their losses, on several threads at once; else nil. Then losses
	// and gradient of a batch can be computed in one pass, Weights coming after it.
	Samplewise() func(w, losses []float64)
	// Fresh tells whether After wants samples drawn independently of the
	// x-batch, at the new x. Otherwise it gets the x-batch with the losses that
	// Weights saw.
	Fresh() bool
	// After moves the state.
	After(Batch, Step)
	// Report puts the measures of the last step that apply, by name.
	Report(put func(name string, value float64))
	// State returns all that the rest of the run depends on, and Restore takes
	// it back, bit for bit.
	State() State
	Restore(State) error
}

// State is a method's part of a checkpoint.
type State struct {
	// Numbers by name. One that is called like a setting is where that setting
	// starts: a fork states it anew (λ, η).
	Numbers map[string]float64
	// Flags has one flag for each training sample.
	Flags map[string][]bool
	// Lists has what is neither, as losses seen.
	Lists map[string][]float64
}

// numbers returns the named numbers, in their order, or which one lacks.
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

// Base does nothing, for methods to embed: weights of whole batches that a Before
// does not prepare, no step of their own, no measures, no state.
type Base struct{}

// Before implements Trainer.
func (Base) Before(Batch) {}

// Samplewise implements Trainer.
func (Base) Samplewise() func(w, losses []float64) { return nil }

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

// What a Trainer may be beside.
type (
	// Dual has dual variables: F(x; z) and the dual gap are measured at Z, in
	// the problem's coordinates.
	Dual interface {
		Z() Z
		// Confine brings z into the box, after a setting was changed live.
		Confine()
	}

	// Warner says what of the last step is suspicious though usable, and the
	// cure; "" is nothing. The text is one of a few: each is told once.
	Warner interface{ Warning() string }

	// Picker has an output rule, as the paper's Algorithm 1: the x after one of
	// its steps is kept beside the last one.
	Picker interface {
		// Picked returns the step chosen so far; its Step is 0 before the first.
		Picked() PaperIterate
	}

	// Mover averages its x-gradients, v ← βv + (1−β)g with β the run's
	// momentum, and says how far x then goes along v.
	Mover interface {
		// Advance returns a in x ← x − a·v, given ‖v‖ and the step size α.
		Advance(norm, alpha float64) float64
	}

	// Epochal acts between epochs.
	Epochal interface {
		// EndEpoch is called when an epoch (1, 2, ...) is over, but for the last.
		// split gives the whole training split at the present x, in its order,
		// for the cost of a forward pass. restart asks for x as it was
		// initialised.
		EndEpoch(epoch int, split func() (Batch, error)) (restart bool, err error)
	}
)

// builtIn is the registry: one line a method, the paper's own first.
func builtIn() []Method {
	return []Method{sfk(), pgd(), pan(), erm(), groupDRO(), nsgdm(), jtt(),
		batchRisk(), dsgdc(), reweight(), balanced(), focal(), tilted(), sfkAuto(), doro(),
		subsample(), dfr(), afr()}
}

// registered are the methods of builtIn and those of Register.
var registered = builtIn()

// Register adds a method to the registry, so that presets, runs, tables and the
// interface know it, and returns what takes it out again. It is for the start
// of a program and for tests: not while runs go on. It panics where the name is
// taken or the method incomplete.
func Register(m Method) (remove func()) {
	if _, err := Find(m.Name); err == nil || m.Name == "" || m.New == nil {
		panic("dro: Register wants a new name and a New")
	}
	registered = append(slices.Clip(registered), m)
	return func() {
		registered = slices.DeleteFunc(slices.Clone(registered), func(o Method) bool {
			return o.Name == m.Name
		})
	}
}

// Methods lists every method, the paper's own first. Callers share the list and leave it as
// it is. After Register it is another one.
func Methods() []Method { return slices.Clip(registered) }

// Baseline names the method that others are compared with.
func Baseline() Algorithm {
	i := slices.IndexFunc(registered, func(m Method) bool { return m.Baseline })
	return registered[i].Name
}

// PaperMethods names those that the paper compares, and ERM.
func PaperMethods() []Algorithm { return []Algorithm{SFK, PGD, PAN, ERM} }

// Algorithms names every method, in the order of Methods.
func Algorithms() []Algorithm {
	names := make([]Algorithm, len(registered))
	for i := range registered {
		names[i] = registered[i].Name
	}
	return names
}

// MethodNames are the names of [Methods], in their order.
func MethodNames() (names []string) {
	for _, m := range registered {
		names = append(names, string(m.Name))
	}
	return names
}

// Find returns the method of that name.
func Find(name Algorithm) (*Method, error) {
	for i := range registered {
		if registered[i].Name == name {
			return &registered[i], nil
		}
	}
	return nil, fmt.Errorf("algorithm %.40q: want one of %s", name,
		strings.Join(MethodNames(), ", "))
}

// Applies returns nil where the method is defined for the set, otherwise what
// is missing.
func (m *Method) Applies(set Set) error {
	if m.Lambda && !set.HasRadius() {
		return fmt.Errorf("algorithm %s on uncertainty %s: the set has no lambda; "+
			"want another algorithm, or the set smoothed-cvar", m.Name, set.Name())
	}
	if err := checkDual(set); err != nil && m.ReadsKey("eta") { // it has a z
		return fmt.Errorf("algorithm %s on %w; want batch, or another set", m.Name, err)
	}
	return nil
}

// ReadsKey tells whether the method reads a setting that not every method does.
func (m *Method) ReadsKey(key string) bool {
	own := func(s Setting) bool { return s.Key == key }
	return slices.Contains(m.Reads, key) || slices.ContainsFunc(m.Settings, own)
}

// ReadBySome tells whether a setting is one that some methods read, so that the
// others do not.
func ReadBySome(key string) bool {
	return slices.ContainsFunc(registered, func(m Method) bool { return m.ReadsKey(key) })
}

// StepCost returns what a step takes, in steps of ERM.
func (m *Method) StepCost() float64 { return cmp.Or(m.Cost, 1) }
