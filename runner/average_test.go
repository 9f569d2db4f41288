package runner

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"drolab/dro"
	"drolab/runner/measure"
	"drolab/runner/spec"
)

// newOf returns a run of a method.
func newOf(a dro.Algorithm) *Meta {
	return &Meta{Spec: spec.Spec{Algorithms: []dro.Algorithm{a}}, Steps: 8}
}

func evalAt(epoch float64, accuracy float64, class ...float64) *EvalEvent {
	e := &EvalEvent{Epoch: epoch}
	e.Set("test_accuracy", measure.Num(accuracy))
	var list []measure.Number
	for _, c := range class {
		list = append(list, measure.Num(c))
	}
	e.ByGroup.Set("class_accuracy", list)
	return e
}

func TestAverageIsOverTheLastFive(t *testing.T) {
	var evals []*EvalEvent
	for i := range 8 {
		evals = append(evals, evalAt(float64(i+1), float64(i), float64(i), 2*float64(i)))
	}
	evals[6].Set("full_grad_norm", measure.Num(1)) // missing in the last: no row
	evals[7].Set("dual_gap", measure.Num(1))       // only in the last: no average
	a := AverageOf(newOf(dro.ERM), evals)
	if a.Evaluations != 5 {
		t.Errorf("the average is over %d evaluations, want 5", a.Evaluations)
	}
	if a.FromEpoch != 4 || a.ToEpoch != 8 {
		t.Errorf("the average is over the epochs %v to %v, want 4 to 8", a.FromEpoch, a.ToEpoch)
	}
	if got := a.Named("test_accuracy").Float(); got != 5 { // the mean of 3 4 5 6 7
		t.Errorf("accuracy %v, want 5", got)
	}
	if got := a.ByGroup.Named("class_accuracy"); got[0].Float() != 5 || got[1].Float() != 10 {
		t.Errorf("accuracies %v, want 5 and 10", got)
	}
	for _, name := range []string{"dual_gap", "full_grad_norm"} {
		if n := a.Named(name); n.Applies() {
			t.Errorf("%s, which some evaluations lack, has the average %v, want none", name, n)
		}
	}
	text, err := json.Marshal(a)
	if err != nil {
		t.Fatal(err)
	}
	want := `"evaluations":5,"from_epoch":4,"to_epoch":8,"test_accuracy":5`
	if !strings.Contains(string(text), want) {
		t.Errorf("the JSON is %s, want %s in it", text, want)
	}
	if a := AverageOf(newOf(dro.ERM), nil); a != nil {
		t.Errorf("AverageOf(nil) = %+v, want nil", a)
	}
	two := AverageOf(newOf(dro.ERM), evals[:2])
	if two.Evaluations != 2 {
		t.Errorf("the average is over %d evaluations, want both", two.Evaluations)
	}
	if got := two.Named("test_accuracy").Float(); got != .5 {
		t.Errorf("test_accuracy of two evaluations is %v on average, want 0.5", got)
	}
}

// TestAveraged: the averages of a run are over its own last five evaluations. The evaluations that
// a fork has from its parent are not its own. Of a method that refits only the last one counts.
func TestAveraged(t *testing.T) {
	var evals []*EvalEvent
	for i := range 8 {
		e := evalAt(float64(i+1), 0)
		e.Step = int64(i + 1)
		evals = append(evals, e)
	}
	for _, c := range []struct {
		name, parent string
		of           dro.Algorithm
		want         []*EvalEvent
	}{
		{"a run", "", dro.ERM, evals[3:]},
		{"a fork", "x@6", dro.ERM, evals[6:]},
		{"a fork that has not begun", "x@8", dro.ERM, nil},
		{"a method that refits", "", "dfr", evals[7:]},
		{"a fork that refits", "x@8", "dfr", evals[7:]},
	} {
		m := newOf(c.of)
		m.Parent = c.parent
		if got := m.Averaged(evals); !slices.Equal(got, c.want) {
			t.Errorf("%s is averaged over %d evaluations, want %d", c.name, len(got), len(c.want))
		}
	}
}
