package presets

import (
	"slices"
	"strings"

	"drolab/runner/spec"
)

// Grid returns every combination of the values that assignments have, the last one changing
// fastest: a key that takes one value may be given several, with commas between (lists are written
// in brackets). Without any it is the assignments as they are.
func Grid(assignments []string) [][]string {
	all := [][]string{nil}
	for _, a := range assignments {
		var next [][]string
		for _, before := range all {
			for _, one := range alternatives(a) {
				next = append(next, append(slices.Clip(before), one))
			}
		}
		all = next
	}
	return all
}

// alternatives are the assignments that one of several values stands for.
func alternatives(assignment string) []string {
	key, text, ok := strings.Cut(assignment, "=")
	t, known := spec.FindSetting(strings.TrimSpace(key))
	if !ok || !known || !t.Single() || strings.Contains(text, spec.ProgramPrefix) || strings.ContainsAny(text, `[]{}"'`) {
		return []string{assignment}
	}
	var list []string
	for value := range strings.SplitSeq(text, ",") {
		list = append(list, key+"="+strings.TrimSpace(value))
	}
	return list
}
