package compare

import (
	"strings"

	"drolab/runner/spec"
)

// KeyDiff is a key of the spec in which runs differ, with each run's value as
// a preset would state it, in the order of the specs.
type KeyDiff struct {
	Key    string   `json:"key"`
	Values []string `json:"values"`
}

// Diff returns the keys whose values differ, in the order of the settings. A
// setting that a run's method does not read is none of that run's, and its value
// empty: the others may still differ in it.
func Diff(specs []spec.Spec) []KeyDiff {
	var diffs []KeyDiff
	for _, t := range spec.AllSettings() {
		d := KeyDiff{Key: t.Key}
		first := ""
		differs := false
		for _, s := range specs {
			value := ""
			if t.ReadIn(&s) {
				value = strings.Trim(t.Text(&s), "[]")
				differs = differs || first != "" && value != first
				first = value
			}
			d.Values = append(d.Values, value)
		}
		if differs {
			diffs = append(diffs, d)
		}
	}
	return diffs
}
