package compare

import (
	"slices"
	"strings"

	"drolab/runner/spec"
)

// KeyDiff is a key of the spec in which runs differ, with each run's value as
// a preset would state it, in the order of the specs.
type KeyDiff struct {
	Key    string   `json:"key"`
	Values []string `json:"values"`
}

// Diff returns the keys whose values differ, in the order of the settings. A setting that a run's
// method does not read has an empty value for that run; the other runs may still differ in it. A
// word such as auto does not differ from the value that it comes to.
func Diff(specs []spec.Spec) (diffs []KeyDiff) {
	varying := slices.DeleteFunc(spec.AllSettings(),
		func(t spec.Setting) bool { return t.SameIn(specs) })
	values, differ := make([][]string, len(varying)), make([]bool, len(varying))
	last := make([]string, len(varying))
	for i := range specs {
		s := specs[i].Settled()
		for k := range varying {
			t, value := &varying[k], ""
			if t.ReadIn(&s) {
				value = valueText(t, &s)
				differ[k] = differ[k] || last[k] != "" && value != last[k]
				last[k] = value
			}
			values[k] = append(values[k], value)
		}
	}
	for k, t := range varying {
		if differ[k] {
			diffs = append(diffs, KeyDiff{t.Key, values[k]})
		}
	}
	return diffs
}

// GroupDiff returns the keys of Diff that separate groups: not the seed, and none that decides only
// how often a run is looked at or saved.
func GroupDiff(specs []spec.Spec) []KeyDiff {
	return slices.DeleteFunc(Diff(specs), func(d KeyDiff) bool {
		t, ok := spec.FindSetting(d.Key)
		return d.Key == "seed" || ok && t.Viewed()
	})
}

// Value returns the value of a setting in the form of Diff: empty if no method of s reads it.
func Value(s *spec.Spec, key string) string {
	if t, ok := spec.FindSetting(key); ok && t.ReadIn(s) {
		return valueText(&t, s)
	}
	return ""
}

// valueText returns a setting's value as a preset would state it.
func valueText(t *spec.Setting, s *spec.Spec) string { return strings.Trim(t.Text(s), "[]") }
