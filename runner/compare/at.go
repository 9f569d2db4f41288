package compare

import (
	"slices"
	"strings"
)

// Which step of the runs a table is of.
const (
	Last     = "last"
	Selected = "selected" // by the validation split: see the setting select
)

// chooseAt decides which step of the runs is compared. Unless asked, it is the
// selected one where all runs have one, by the same rule: mixing a run's best
// step with another's last would be no comparison.
func (t *Table) chooseAt(members []member, ask string) {
	var without []member
	var rules []string
	for _, m := range members {
		if m.summary.Selected == nil {
			without = append(without, m)
		} else {
			rules = append(rules, m.summary.Selected.By)
		}
	}
	slices.Sort(rules)
	rules = slices.Compact(rules)
	all := len(members) > 0 && len(without) == 0
	switch t.At = Last; {
	case ask == Selected && !all:
		t.note(Selection, without, "some runs have selected no step: the last ones are compared")
	case ask == Selected && len(rules) > 1:
		t.note(Selection, nil, "runs select by different rules: %s", strings.Join(rules, ", "))
		t.At = Selected
	case ask != Last && all && len(rules) == 1:
		t.At = Selected
	}
	if t.At == Selected {
		t.Select = strings.Join(rules, ", ")
	}
	for i := range members {
		members[i].selected = t.At == Selected
	}
}
