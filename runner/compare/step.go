package compare

import (
	"slices"
	"strings"

	"drolab/runner"
)

// The steps of the runs that a table can compare.
const (
	Last     = "last"
	Selected = "selected" // by the validation split: see the setting select
	Mean     = "mean"     // of each run's last evaluations, as while runs go on: see Clock
)

// chooseStep decides which step of the runs is compared, by one rule for all methods. Unless ask
// says otherwise, it is the selected step if all runs have one by the same rule: to mix one run's
// best step with another's last would be no comparison.
//
// Methods that refit after training have no choice of a step. Their network is ERM's until the end,
// and a validation split that they refit to has nothing more to select by. They stand at their last
// step in every table, and their rows say so in a table of selected steps.
//
// Where some runs have selected a step and the last steps are compared all the same, a note says
// why, unless the last steps were asked for.
func (t *Table) chooseStep(members []member, ask string) {
	var without []member
	var rules []string
	for _, m := range members {
		switch {
		case m.refits():
		case m.summary.Selected == nil:
			without = append(without, m)
		default:
			rules = append(rules, m.summary.Selected.By)
		}
	}
	rules = sortUnique(rules)
	t.At = Last
	switch {
	case ask == Mean && len(members) > 0:
		t.At = Mean
	case ask == Last || len(members) == 0 || ask == "" && len(rules) == 0:
	case len(without) > 0:
		t.note(Selection, without, "some runs have selected no step (%s): the last ones are "+
			"compared", strings.Join(methodsOf(without), ", "))
	case len(rules) == 0:
		t.note(Selection, nil, "every method refits after training: the last steps are compared")
	case len(rules) > 1 && ask == "":
		t.note(Selection, nil, "runs select by different rules (%s): the last steps are compared",
			strings.Join(rules, ", "))
	case len(rules) > 1:
		t.note(Selection, nil, "runs select by different rules: %s", strings.Join(rules, ", "))
		t.At = Selected
	default:
		t.At = Selected
	}
	if t.At == Selected {
		t.Select = strings.Join(rules, ", ")
		t.noteTies(members)
	}
	for i := range members {
		m := &members[i]
		m.selected = t.At == Selected && !m.refits()
		switch {
		case m.meta.Predicted():
		case t.At == Last:
			t.Epochs = append(t.Epochs, m.summary.Epochs)
		case t.At == Mean && m.average.Evaluations > 0:
			t.Epochs = append(t.Epochs, m.average.FromEpoch, m.average.ToEpoch)
		}
	}
	t.Epochs = sortUnique(t.Epochs)
}

// noteTies adds a note if the selected runs have different rules for equal evaluations, since
// another program began some of them.
func (t *Table) noteTies(members []member) {
	selecting := slices.DeleteFunc(slices.Clone(members), member.refits)
	byLoss := func(m member) bool { return m.meta.Ties == runner.TiesByLoss }
	others := slices.DeleteFunc(slices.Clone(selecting), byLoss)
	if len(others) > 0 && len(others) < len(selecting) {
		t.note(Selection, others, "runs take different ones of evaluations that tie: %d of %d "+
			"take the first, as earlier programs did, and the others that with the lowest val_loss",
			len(others), len(selecting))
	}
}

// methodsOf returns the methods of runs, sorted.
func methodsOf(members []member) []string {
	return uniqueValues(members, func(m *runner.Meta) string {
		return string(m.Spec.Algorithm())
	})
}
