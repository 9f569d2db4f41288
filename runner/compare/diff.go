package compare

import (
	"fmt"
	"reflect"
	"slices"
	"strings"

	"drolab/runner"
)

// KeyDiff is a key of the spec in which runs differ, with each run's value as
// a preset would state it, in the order of the specs.
type KeyDiff struct {
	Key    string   `json:"key"`
	Values []string `json:"values"`
}

// Diff returns the keys whose values differ, in the order of Spec's fields.
func Diff(specs []runner.Spec) []KeyDiff {
	var diffs []KeyDiff
	for i, key := range specKeys() {
		d := KeyDiff{Key: key}
		for _, s := range specs {
			d.Values = append(d.Values, value(&s, i))
		}
		if slices.ContainsFunc(d.Values, func(v string) bool { return v != d.Values[0] }) {
			diffs = append(diffs, d)
		}
	}
	return diffs
}

// specKeys lists the keys of a spec by field.
func specKeys() []string {
	var keys []string
	for f := range reflect.TypeFor[runner.Spec]().Fields() {
		keys = append(keys, f.Tag.Get("json"))
	}
	return keys
}

// value formats a field of s: lists without brackets.
func value(s *runner.Spec, field int) string {
	return strings.Trim(fmt.Sprint(reflect.ValueOf(s).Elem().Field(field).Interface()), "[]")
}
