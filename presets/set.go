package presets

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"drolab/runner/lists"
	"drolab/runner/spec"
)

// Set changes one setting as the assignment "key=value" says. The value is written as in a preset
// file; a list may also be typed without its brackets, as in algorithms=sfk,erm. If Set fails, it
// changes nothing.
func Set(settings *spec.Spec, assignment string) error {
	key, text, ok := strings.Cut(assignment, "=")
	if !ok {
		return fmt.Errorf("%.60q: expected key=value, as in rho=0.5", assignment)
	}
	if t, known := spec.FindSetting(strings.TrimSpace(key)); known {
		text = inBrackets(&t, text)
	}
	entries, err := mapping([]byte("value: " + text))
	if bounds := new(LineError); errors.As(err, &bounds) {
		return &spec.KeyError{Key: key, Value: quoteValue(text),
			Want: "one value: " + bounds.Error()}
	}
	if err != nil || len(entries) != 1 || strings.ContainsAny(text, "\n\r") {
		return &spec.KeyError{Key: key, Value: quoteValue(text),
			Want: "one value, as in rho=0.5 or algorithms=[sfk, erm]"}
	}
	value, err := valueOf(entries[0].Value)
	if err != nil {
		return fmt.Errorf("%s: %w", key, err)
	}
	return assign(settings, strings.TrimSpace(key), value)
}

// Keys returns the names of all settings, in the order in which they are listed.
func Keys() []string {
	return lists.Map(spec.AllSettings(), func(t spec.Setting) string { return t.Key })
}

// inBrackets puts brackets around a list that was typed without them.
func inBrackets(t *spec.Setting, text string) string {
	isOpen := strings.TrimSpace(text) != "" && !strings.ContainsAny(text, `[]{}"'`)
	if isOpen && (t.IsList() || t.MayBeList() && strings.Contains(text, ",")) {
		return "[" + text + "]"
	}
	return text
}

// Assignments splits a typed line at the blanks between its assignments. A word without = goes on
// with the value before it, as in "hidden=64, 32 rho=.5".
func Assignments(line string) (list []string) {
	for _, word := range strings.Fields(line) {
		if len(list) > 0 && !strings.Contains(word, "=") {
			list[len(list)-1] += " " + word
		} else {
			list = append(list, word)
		}
	}
	return list
}

// Grid returns every combination of the values in assignments; the last one changes fastest. A key
// that takes one value may be given several, with commas between (lists are written in brackets).
// If no key has several values, Grid returns the assignments as they are.
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

// alternatives returns the assignments of one value that an assignment of several stands for.
func alternatives(assignment string) []string {
	key, text, ok := strings.Cut(assignment, "=")
	t, known := spec.FindSetting(strings.TrimSpace(key))
	program := strings.Contains(text, spec.ProgramPrefix)
	if !ok || !known || !t.Single() || program || strings.ContainsAny(text, `[]{}"'`) {
		return []string{assignment}
	}
	var list []string
	for value := range strings.SplitSeq(text, ",") {
		list = append(list, key+"="+strings.TrimSpace(value))
	}
	return list
}
