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
	if a.Evaluations != 5 || a.FromEpoch != 4 || a.ToEpoch != 8 {
		t.Errorf("%+v", a)
	}
	if got := a.Named("test_accuracy").Float(); got != 5 { // the mean of 3 4 5 6 7
		t.Errorf("accuracy %v, want 5", got)
	}
	if got := a.ByGroup.Named("class_accuracy"); got[0].Float() != 5 || got[1].Float() != 10 {
		t.Errorf("accuracies %v, want 5 and 10", got)
	}
	if a.Named("dual_gap").Applies() || a.Named("full_grad_norm").Applies() {
		t.Error("a measure of some evaluations has an average")
	}
	text, err := json.Marshal(a)
	if err != nil || !strings.Contains(string(text),
		`"evaluations":5,"from_epoch":4,"to_epoch":8,"test_accuracy":5`) {
		t.Errorf("%s, %v", text, err)
	}
	if AverageOf(nil) != nil {
		t.Error("an average of nothing")
	}
	if a := AverageOf(evals[:2]); a.Evaluations != 2 || a.Named("test_accuracy").Float() != .5 {
		t.Errorf("of two: %+v", a)
	}
}
