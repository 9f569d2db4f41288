package tuitest

import (
	"testing"

	"drolab/dro"
	"drolab/runner"
	"drolab/runner/lists"
	"drolab/runner/measure"
	"drolab/runner/spec"
)

// NewGroupScript is like NewScript, but the data of its runs have groups, one of them too small to
// be called the worst, and a validation split, by which the runs select.
func NewGroupScript(t testing.TB) *Script {
	t.Helper()
	return script(t, []dro.Algorithm{dro.ERM, "group", dro.SFK},
		func(m *runner.Meta, log []runner.Event) {
			m.Spec.ValFraction, m.Spec.Select = .2, spec.SelectValWorst
			m.ClassCounts.Val = make([]int, len(m.Classes))
			m.Groups = []string{"land, in the hills", "water, by the coast", "water, on an islet"}
			m.GroupCounts = measure.Counts{Train: []int{2920, 760, 40}, Val: []int{700, 190, 24},
				Test: []int{1500, 470, 12}}
			for _, e := range log {
				if e, ok := e.(*runner.EvalEvent); ok {
					group(e)
				}
			}
		})
}

// group adds the figures of the groups and of the validation split to an evaluation. The coast is
// the worst group, and the third epoch is the best.
func group(e *runner.EvalEvent) {
	mean := e.Named("test_accuracy").Float()
	list := func(of ...float64) []measure.Number { return lists.Map(of, measure.Num) }
	coast := mean - .1 - max(0, (e.Epoch-3)/20)
	e.ByGroup.Set("group_accuracy", list(mean+.04, coast, .25))
	e.ByGroup.Set("group_recall", list(mean, coast-.05, .25))
	e.ByGroup.Set("group_loss", list(.4, .8, 1.6))
	e.ByGroup.Set("group_ratio", list(.7, 1.9, 3.25))
	e.ByGroup.Set("val_group_accuracy", list(mean+.05, coast+.02, .375))
	e.ByGroup.Set("val_class_accuracy", e.ByGroup.Named("class_accuracy"))
	e.Set("worst_group_accuracy", measure.Num(coast))
	e.Set("val_worst_group_accuracy", measure.Num(coast+.02))
	e.Set("val_accuracy", measure.Num(mean+.01))
	e.Set("val_loss", measure.Num(e.Named("test_loss").Float()+.1))
	e.Selected = e.Epoch <= 3
}
