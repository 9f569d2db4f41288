package compare

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"drolab/runner/record"
	"drolab/runner/spec"
)

// here is the box of a run of this machine.
const here = "here"

// NoMatch says that a filter selects none of the runs. Where no run has the value that a term gives
// for a key such as status, preset or box, it names the values that runs have, or of boxes those
// that are shown.
func NoMatch(filter string, runs []*record.Run, boxes []string) string {
	_, terms, _ := parseFilter(filter) // a filter that cannot be parsed has no terms
	for _, t := range terms {
		if known := t.known(runs, boxes); len(known) > 0 {
			few := spec.FirstFew(known)
			return fmt.Sprintf("No runs match %s%s%s: expected %s", t.key, t.op, t.value,
				strings.Join(few, ", "))
		}
	}
	return "No runs match"
}

// known returns the values of a term's key, the nearest first, if the term asks for a value that is
// none of them.
func (t *term) known(runs []*record.Run, boxes []string) []string {
	asks := t.op == ":" || t.op == "="
	isFree := t.key == "id" || t.key == "note" || t.key == startedKey
	if !asks || isFree || t.not || t.isNum || t.value == "" {
		return nil
	}
	values := map[string]bool{}
	for _, r := range runs {
		if value := t.fact(r); value != "" {
			values[value] = true
		}
	}
	if t.key == "box" {
		values[here] = true
		for _, name := range boxes {
			values[name] = true
		}
	}
	for value := range values {
		if lower := strings.ToLower(value); lower == t.value ||
			t.op == ":" && strings.Contains(lower, t.value) {
			return nil
		}
	}
	return slices.SortedFunc(maps.Keys(values), func(a, b string) int {
		return cmp.Or(cmp.Compare(spec.Distance(t.value, a), spec.Distance(t.value, b)),
			cmp.Compare(a, b))
	})
}
