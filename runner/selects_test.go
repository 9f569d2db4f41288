package runner

import (
	"math"
	"slices"
	"testing"
)

// A value that is not a number is never better, and the first of equals stays.
func TestNotANumberIsNeverSelected(t *testing.T) {
	s := Defaults()
	s.Select = "val_loss"
	r := &Run{Plan: Plan{Meta: &Meta{Spec: s}}}
	var got []bool
	for _, x := range []Number{{}, Num(math.NaN()), Num(3), Num(math.NaN()), Num(3), Num(2), {}, Num(2.5)} {
		e := &EvalEvent{Values: Values{{"val_loss", x}}}
		r.selects(e)
		got = append(got, e.Selected)
	}
	if want := []bool{false, false, true, false, false, true, false, false}; !slices.Equal(got, want) {
		t.Errorf("selected %v, want %v", got, want)
	}
}
