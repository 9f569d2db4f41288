package dro

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"
)

// Algorithm is the name of a method in presets and files.
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

// Method describes one way to train: the weights that a step gives the samples, and the state that
// the method moves. It is data; New makes a [Trainer] that does the work. Code that depends on the
// method reads these fields and never the name.
type Method struct {
	Name   Algorithm
	Doc    string // one line
	Source string // where it is from; "our reading" where a source leaves a choice

	// Baseline says that the method weighs all samples alike. Other methods are compared with it,
	// and step costs are counted in its steps.
	Baseline bool
	// Lambda says that the method needs λ, so that it is not defined for a set that has none
	// (CVaR).
	Lambda bool
	// Penalised says that λ stays where it starts: the problem is
	// sup { E_Q ℓ − λ D_φ(Q‖P0) } and not the constrained one.
	Penalised bool
	// Adversarial says that the weights follow from the uncertainty set. Methods that read eta need
	// not say so.
	Adversarial bool
	// Theorem1 says that the paper's theorem covers the method's steps.
	Theorem1 bool
	// OwnStep says that the Trainer is a Mover: its x-step is its own and not an optimizer's.
	OwnStep bool
	// Restarts says that the method trains twice, the second time from the start.
	Restarts bool
	// Refits says that the Trainer is a Refitter: it fits the last layer again at the end.
	Refits bool
	// Uses names the information that the weights depend on and that an uncertainty set does not
	// have, "labels" or "groups"; "" is none. Comparisons mention it.
	Uses string
	// GroupsOf returns the split whose groups the method reads in a task, by their names or as the
	// parts that it balances: "train" or "val". It is nil for a method that reads none. What a
	// method does with groups is in Uses, too.
	GroupsOf func(*Task) string

	// Subsamples says that batches are drawn from a training split in which every group is cut to
	// the size of the smallest, anew in each pass.
	Subsamples bool

	// CrossEntropy says that the method takes e^{−ℓ} for a probability, so that it
	// is not defined for another loss.
	CrossEntropy bool

	// Settings are the method's own settings. Reads has the keys of further settings that the
	// method reads and not every method does. Live has the keys of those that may be changed while
	// a run goes on.
	Settings []Setting
	Reads    []string
	Live     []string
	// Measures are the measures that Report may record. Every step has a loss and a gradient norm,
	// too.
	Measures []Measure

	// Clip is the length that a longer x-gradient is cut down to where the setting
	// clip is auto; 0 is no bound.
	Clip float64

	// Cost is the cost of a step in steps of ERM; 0 stands for 1.
	Cost float64

	New func(Task) (Trainer, error)
}

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

// builtIn returns the methods of this package, the paper's own first.
func builtIn() []Method {
	return []Method{sfk(), pgd(), pan(), erm(), groupDRO(), nsgdm(), jtt(),
		batchRisk(), dsgdc(), reweight(), balanced(), focal(), tilted(), sfkAuto(), doro(),
		subsample(), dfr(), afr()}
}

// registered holds the methods of builtIn and those that Register added.
var registered = builtIn()

// Register adds a method to the registry, so that presets, runs, tables and the interface know it,
// and returns a function that removes it again. Call it at the start of a program or in tests, not
// while runs go on. It panics if the name is taken or the method is incomplete.
func Register(m Method) (remove func()) {
	if _, err := Find(m.Name); err == nil || m.Name == "" || m.New == nil {
		panic("dro: Register wants a new name and a New")
	}
	return register(&registered, m, func(o Method) bool { return o.Name == m.Name })
}

// register adds an item to a list, and returns a function that removes it again. It makes new
// lists, because others may hold the list.
func register[T any](list *[]T, item T, is func(T) bool) (remove func()) {
	*list = append(slices.Clip(*list), item)
	return func() { *list = slices.DeleteFunc(slices.Clone(*list), is) }
}

// Methods returns every method, the paper's own first. Callers share the list and must not change
// it. Register makes a new list.
func Methods() []Method { return slices.Clip(registered) }

// Baseline returns the name of the method that others are compared with.
func Baseline() Algorithm {
	i := slices.IndexFunc(registered, func(m Method) bool { return m.Baseline })
	return registered[i].Name
}

// PaperMethods returns the names of the methods that the paper compares, and ERM.
func PaperMethods() []Algorithm { return []Algorithm{SFK, PGD, PAN, ERM} }

// Algorithms returns the name of every method, in the order of Methods.
func Algorithms() []Algorithm {
	names := make([]Algorithm, len(registered))
	for i := range registered {
		names[i] = registered[i].Name
	}
	return names
}

// MethodNames returns the names of [Methods] as strings, in their order.
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
	for _, known := range MethodNames() {
		if strings.EqualFold(known, string(name)) {
			return nil, fmt.Errorf("algorithm %q: did you mean %s?", name, known)
		}
	}
	return nil, fmt.Errorf("algorithm %.40q: want one of %s", name,
		strings.Join(MethodNames(), ", "))
}

// Applies returns nil if the method is defined for the set, otherwise an error that says what is
// missing.
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

// ofTrain is GroupsOf of a method that reads the groups of training samples.
func ofTrain(*Task) string { return refitTrain }

// CheckGroups returns an error if the method reads groups of training samples that are not known,
// or that are all the same: it would then train as ERM.
func (m *Method) CheckGroups(t *Task) error {
	if m.GroupsOf == nil || m.GroupsOf(t) != refitTrain {
		return nil
	}
	if t.Ungrouped {
		return errors.New("it reads the groups of training samples, and none of these has a " +
			"known group: fill them in, or take a method that does not read them, such as dfr " +
			"with dfr_split=val")
	}
	groups := 0
	for _, samples := range t.Groups {
		if samples > 0 {
			groups++
		}
	}
	if groups == 1 {
		return errors.New("it reads the groups of training samples, and all of these are in one " +
			"group: name other groups, or take erm")
	}
	return nil
}

// ReadsKey reports whether the method reads the setting of that key, other than as one of those
// that every method reads.
func (m *Method) ReadsKey(key string) bool {
	own := func(s Setting) bool { return s.Key == key }
	return slices.Contains(m.Reads, key) || slices.ContainsFunc(m.Settings, own)
}

// TrainsBy reports whether the steps of the method depend on a setting that the method reads.
// Reports measure the worst case over the uncertainty set for every method, but not every method
// trains by it. Where λ stays at its start, its bounds do not matter, and the radius no more than
// derives a bound of η that lies below every loss.
func (m *Method) TrainsBy(key string) bool {
	switch key {
	case "rho", "lambda0", "lambda_max":
		return !m.Penalised && m.TrainsBy("uncertainty")
	case "uncertainty", "k", "mu":
		return m.Adversarial || m.ReadsKey("eta")
	}
	return true
}

// ReadBySome reports whether only some methods read the setting of that key.
func ReadBySome(key string) bool {
	return slices.ContainsFunc(registered, func(m Method) bool { return m.ReadsKey(key) })
}

// StepCost returns the cost of a step in steps of ERM.
func (m *Method) StepCost() float64 { return cmp.Or(m.Cost, 1) }
