package compare

import (
	"fmt"
	"slices"

	"drolab/dro"
	"drolab/runner"
	"drolab/runner/measure"
)

// rowsByQuestion returns sets of rows that answer the same question with a measure, in the order of
// the rows. Only among such rows can one value be better than another: R_ρ grows with ρ for one and
// the same network, and a loss on other data says nothing. Rows that are not tested are in no set.
func rowsByQuestion(
	asks dro.Question, groups []*group, tested func(*runner.Meta) bool,
) (rows [][]int) {
	var keys []string
	for i, g := range groups {
		if tested != nil && !tested(g.members[0].meta) {
			continue
		}
		key := Question(asks, g.members[0].meta)
		at := slices.Index(keys, key)
		if at < 0 {
			at, keys, rows = len(keys), append(keys, key), append(rows, nil)
		}
		rows[at] = append(rows[at], i)
	}
	return rows
}

// Question returns a key that is the same for runs that answer the same question. Between runs with
// different keys no value is better or worse.
func Question(asks dro.Question, m *runner.Meta) string {
	data := m.Spec.Dataset + "\n" + m.Checksum + "\n"
	set, err := m.Spec.Set()
	switch {
	case asks == dro.OfNetwork:
		return data
	case asks == dro.OfLoss:
		return data + m.Spec.Loss
	case asks == dro.OfObjective, err != nil:
		return data + m.ID
	case asks == dro.OfProblem && set.HasRadius():
		return fmt.Sprintf("%s%s %#v %v", data, m.Spec.Loss, set, m.Spec.Rho)
	}
	return fmt.Sprintf("%s%s %#v", data, m.Spec.Loss, set) // exact, where a label rounds
}

// problemLabel names set and radius exactly, as tables in JSON have it: "χ², ρ=0.5". Pages write
// what spec.Spec.Radius returns.
func problemLabel(m *runner.Meta) string {
	set, err := m.Spec.Set()
	switch {
	case err != nil:
		return m.Spec.Uncertainty
	case !set.HasRadius():
		return set.Label()
	}
	return fmt.Sprintf("%s, ρ=%g", set.Label(), m.Spec.Rho)
}

// Uses names what a run's method weighs samples by that an uncertainty set does not know: "groups",
// "classes" (which stand for the groups if none were given) or "labels". It is "" if there is
// nothing.
func Uses(m *runner.Meta) string {
	method, err := dro.Find(m.Spec.Algorithm())
	switch {
	case err != nil:
		return ""
	case method.Uses == "groups" && m.Main() == measure.PerClass:
		return "classes"
	}
	return method.Uses
}
