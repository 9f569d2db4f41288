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
	// KL says that the method trains by the set of KL, whatever the run's uncertainty set is.
	// Unless it is Penalised, it trains by the run's radius, too.
	KL bool
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

// builtIn returns the methods of this package, the paper's own first.
func builtIn() []Method {
	return []Method{sfk(), pgd(), pan(), erm(), groupDRO(), nsgdm(), jtt(),
		batchRisk(), dsgdc(), reweight(), balanced(), focal(), tilted(), sfkAuto(), doro(),
		subsample(), dfr(), afr(), scent(), scdro(), evals()}
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

// Place returns the place of a method in [Methods]; unknown ones come last. Where methods stand in
// a row, they are in this order, unless they are sorted by a figure or stand as a user wrote them.
func Place(a Algorithm) int {
	if i := slices.Index(Algorithms(), a); i >= 0 {
		return i
	}
	return len(registered)
}

// InOrder returns methods in the order of [Methods].
func InOrder(list []Algorithm) []Algorithm {
	return slices.SortedStableFunc(slices.Values(list), func(a, b Algorithm) int {
		return cmp.Compare(Place(a), Place(b))
	})
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
	return nil, fmt.Errorf("algorithm %.40q: expected one of %s", name,
		strings.Join(MethodNames(), ", "))
}

// Applies returns nil if the method is defined for the set, otherwise an error that says what is
// missing.
func (m *Method) Applies(set Set) error {
	if m.Lambda && !set.HasRadius() {
		return fmt.Errorf("algorithm %s on uncertainty %s: the set has no lambda; "+
			"expected another algorithm, or the set smoothed-cvar", m.Name, set.Name())
	}
	if err := checkDual(set); err != nil && m.ReadsKey("eta") { // it has a z
		return fmt.Errorf("algorithm %s on %w; expected batch, or another set", m.Name, err)
	}
	return nil
}

// groupsOfTrain is GroupsOf of a method that reads the groups of training samples.
func groupsOfTrain(*Task) string { return trainSplit }

// CheckGroups returns an error if the method reads groups of training samples that are not known,
// or that are all the same: it would then train as ERM.
func (m *Method) CheckGroups(t *Task) error {
	if m.GroupsOf == nil || m.GroupsOf(t) != trainSplit {
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
		return !m.Penalised && (m.KL || m.TrainsBy("uncertainty"))
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
