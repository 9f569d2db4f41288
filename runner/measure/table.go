package measure

import (
	"slices"
	"sync/atomic"

	"drolab/dro"
	"drolab/runner/lists"
)

// measureTable holds every measure of the program, each under a name of its own. It is made once,
// and again after dro.Register or RegisterMeasure. All callers share its lists and must not change
// them; each is clipped, so that append makes a new list.
type measureTable struct {
	methods []dro.Method // whose measures are in steps

	evals     []Measure // of evaluations, in the order of the log, then the registered ones
	steps     []Measure // of steps, the measures of the paper's methods first
	summary   []Measure // of summaries
	decisions []Measure // the rows of decisions, of the test split
	selection []string  // names of the measures by which a run may select
	byName    map[string]*Measure
}

// latest is the table for the latest list of methods; nil where it is not made yet.
var latest atomic.Pointer[measureTable]

// registered holds the rows of RegisterMeasure. It has no lock, since it changes only while no run
// trains.
var registered []Measure

// measures returns the table.
func measures() *measureTable {
	methods := dro.Methods()
	t := latest.Load()
	if t != nil && len(t.methods) == len(methods) && &t.methods[0] == &methods[0] {
		return t
	}
	t = newTable(methods)
	latest.Store(t)
	return t
}

func newTable(methods []dro.Method) *measureTable {
	t := &measureTable{methods: methods, byName: map[string]*Measure{}}
	t.evals = slices.Clip(slices.Concat(evalRows(), registered))
	t.steps = slices.Clip(stepMeasures(methods))
	t.decisions = slices.Clip(lists.Map(decisionRows(), Measure.ofTest))
	t.summary = slices.Clone(t.evals)
	for _, m := range t.steps {
		if !m.Noisy {
			t.summary = append(t.summary, m)
		}
	}
	t.summary = slices.Clip(t.summary)
	for _, m := range t.evals {
		if m.val && !m.IsList() && m.Better != dro.Neither {
			t.selection = append(t.selection, m.Name)
		}
	}
	t.selection = slices.Clip(t.selection)
	for _, list := range [][]Measure{t.steps, t.evals} {
		for i := range list {
			t.byName[list[i].Name] = &list[i]
		}
	}
	return t
}

// stepMeasures returns the measures of steps of some methods. Several methods may declare the same
// measure.
func stepMeasures(methods []dro.Method) []Measure {
	first, last := stepRows()
	list := append(make([]Measure, 0, 2+len(methods)), first) // a method adds about one
	for _, m := range methods {
		for _, d := range m.Measures {
			if !slices.ContainsFunc(list, func(o Measure) bool { return o.Name == d.Name }) {
				list = append(list, Measure{Measure: d, Main: !d.Noisy})
			}
		}
	}
	return append(list, last)
}

// EvalMeasures lists the measures of evaluations, in the order of the log, with the registered ones
// last. Callers share the list and must not change it.
func EvalMeasures() []Measure { return measures().evals }

// StepMeasures lists the measures of steps of all methods, the measures of the paper's methods
// first. Callers share the list and must not change it.
func StepMeasures() []Measure { return measures().steps }

// SummaryMeasures lists the measures of a summary: the measures of the last evaluation and, of the
// last step, the measures that do not depend on its mini-batch. Callers share the list and must not
// change it.
func SummaryMeasures() []Measure { return measures().summary }

// Decisions lists the measures of decisions, as rows of the test split. Any split with labels can
// take the place of the test split in the Evaluation, since the rows need nothing else. Callers
// share the list and must not change it.
func Decisions() []Measure { return measures().decisions }

// Selections lists the names of the measures by which a run may select a step: the numbers of the
// validation split that have a better side. Nothing is ever selected on the test split. Callers
// share the list and must not change it.
func Selections() []string { return measures().selection }

// StepNames returns the names of the measures in the log of a method's steps: its own measures and
// the measures of the paper's methods, which are null where they do not apply.
func StepNames(method dro.Algorithm) []string {
	reported := append(dro.PaperMethods(), method)
	methods := slices.DeleteFunc(slices.Clone(dro.Methods()), func(m dro.Method) bool {
		return !slices.Contains(reported, m.Name)
	})
	return lists.Map(stepMeasures(methods), func(m Measure) string { return m.Name })
}

// FindMeasure returns the measure of that name. A measure of a program's own has no better side
// here, since only its run knows that.
func FindMeasure(name string) (Measure, bool) {
	if m, ok := measures().byName[name]; ok {
		return *m, true
	}
	if IsUser(name) {
		return UserMeasure(name, dro.Neither), true
	}
	return Measure{}, false
}

// RegisterMeasure adds a measure of evaluations to the table and returns a function that removes
// it. It is for the start of a program and for tests, and must not be called while runs train. It
// panics if the name is taken or nothing computes the measure.
func RegisterMeasure(m Measure) (remove func()) {
	_, taken := FindMeasure(m.Name)
	if taken || m.Name == "" || m.OfStep() || m.IsList() != (m.List != nil) {
		panic("measure: RegisterMeasure wants a new name and a Value, or an Axis and a List")
	}
	registered = append(slices.Clip(registered), m)
	latest.Store(nil)
	return func() {
		same := func(o Measure) bool { return o.Name == m.Name }
		registered = slices.DeleteFunc(slices.Clone(registered), same)
		latest.Store(nil)
	}
}
