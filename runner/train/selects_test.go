package train

import (
	"math"
	"slices"
	"testing"

	"drolab/runner"
	"drolab/runner/measure"
	"drolab/runner/spec"
)

// A value that is not a number is never better, and of equal values the first stays selected.
func TestNotANumberIsNeverSelected(t *testing.T) {
	s := spec.Defaults()
	s.Select = "val_loss"
	r := &Run{Plan: Plan{Meta: &runner.Meta{Spec: s}}}
	var got []bool
	for _, x := range []measure.Number{{}, measure.Num(math.NaN()), measure.Num(3),
		measure.Num(math.NaN()), measure.Num(3), measure.Num(2), {}, measure.Num(2.5)} {
		e := &runner.EvalEvent{Values: measure.Values{{Name: "val_loss", Number: x}}}
		r.selectIfBetter(e)
		got = append(got, e.Selected)
	}
	if want := []bool{false, false, true, false, false, true, false,
		false}; !slices.Equal(got, want) {
		t.Errorf("selected %v, want %v", got, want)
	}
}
