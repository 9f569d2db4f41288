package lab

import (
	"reflect"
	"slices"
	"testing"

	"drolab/runner"
)

// fill gives every Number below v a value of its own.
func fill(v reflect.Value, next *float64) {
	if n, ok := v.Addr().Interface().(*runner.Number); ok {
		*next++
		*n = runner.Num(*next)
		return
	}
	switch v.Kind() {
	case reflect.Struct:
		for i := range v.NumField() {
			if v.Field(i).CanSet() {
				fill(v.Field(i), next)
			}
		}
	case reflect.Slice:
		v.Set(reflect.MakeSlice(v.Type(), 2, 2))
		for i := range v.Len() {
			fill(v.Index(i), next)
		}
	}
}

// TestMeasuresAreRead has a value of its own for every measure in the tables.
func TestMeasuresAreRead(t *testing.T) {
	var next float64
	var step runner.StepEvent
	var eval runner.EvalEvent
	var summary runner.Summary
	fill(reflect.ValueOf(&step).Elem(), &next)
	fill(reflect.ValueOf(&eval).Elem(), &next)
	fill(reflect.ValueOf(&summary).Elem(), &next)
	seen := map[float64]string{}
	note := func(what string, m Measure, n runner.Number) {
		t.Helper()
		if v := n.Float(); !n.Applies() || seen[v] != "" || m.Title == "" || m.Doc == "" {
			t.Errorf("%s %s: %v, which is %q; title %q", what, m.Name, n, seen[v], m.Title)
		} else {
			seen[v] = what + " " + m.Name
		}
	}
	for _, m := range StepMeasures() {
		v, low, high := OfStep(&step, m.Name)
		note("step", m, v)
		if m.Name != speed().Name {
			note("least", m, low)
			note("greatest", m, high)
		}
	}
	for _, m := range EvalMeasures() {
		note("evaluation", m, OfEval(&eval, m.Name))
	}
	for _, m := range ClassMeasures() {
		list := OfClasses(&eval, m.Name)
		note("classes", m, list[1])
	}
	for _, m := range SummaryMeasures() {
		note("summary", m, OfSummary(&summary, m.Name))
	}
	all := slices.Concat(StepMeasures(), EvalMeasures(), ClassMeasures())
	names := map[string]bool{}
	for _, m := range all {
		if names[m.Name] {
			t.Errorf("two measures are called %s", m.Name)
		}
		names[m.Name] = true
	}
}
