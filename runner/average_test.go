package runner

import (
	"encoding/json"
	"strings"
	"testing"

	"drolab/runner/measure"
)

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
	a := AverageOf(evals)
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
	if a := AverageOf(nil); a != nil {
		t.Errorf("AverageOf(nil) = %+v, want nil", a)
	}
	two := AverageOf(evals[:2])
	if two.Evaluations != 2 {
		t.Errorf("the average is over %d evaluations, want both", two.Evaluations)
	}
	if got := two.Named("test_accuracy").Float(); got != .5 {
		t.Errorf("test_accuracy of two evaluations is %v on average, want 0.5", got)
	}
}
