package runner

import (
	"fmt"
	"testing"

	"drolab/dro"
	"drolab/runner/measure"
)

// UserSides has the programs' own measures in the order of their names, and at most
// mostUserMeasures. The better side of a measure is the one on which all runs that give a side
// agree.
func TestUserSides(t *testing.T) {
	n := measure.Num(1)
	sided := func(s measure.Sides) *Meta { return &Meta{User: s} }
	runs := []struct {
		m *Meta
		v measure.Values
	}{
		{sided(measure.Sides{Higher: []string{"user.b", "user.a"}}),
			measure.Values{{Name: "loss", Number: n}, {Name: "user.b", Number: n}}},
		{sided(measure.Sides{Higher: []string{"user.a"}, Lower: []string{"user.b"}}),
			measure.Values{{Name: "user.b", Number: n}, {Name: "user.a", Number: n}}},
	}
	all := func() []measure.Measure {
		sides := UserSides{}
		for _, r := range runs {
			sides.Add(r.m, r.v)
		}
		return sides.Measures()
	}
	text := ""
	for _, m := range all() {
		text += fmt.Sprintf("%s%d%t%t ", m.Name, m.Better, m.Main, m.OfStep())
	}
	if want := fmt.Sprintf("user.a%dtruetrue user.b%dtruetrue ", dro.Higher,
		dro.Neither); text != want {
		t.Errorf("%s: want %s", text, want)
	}
	for i := range 1000 {
		runs[0].v.Set(fmt.Sprint("user.", i), n)
	}
	if got := len(all()); got != mostUserMeasures {
		t.Errorf("%d measures", got)
	}
}
