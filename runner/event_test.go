package runner

import (
	"math"
	"reflect"
	"testing"

	"drolab/runner/measure"
)

func TestEventsSurviveTheLog(t *testing.T) {
	h := Head{Seq: 7, Step: 40}
	for _, e := range []Event{
		&StatusEvent{Head: h, Status: Failed, Cause: "step 40: loss is NaN"},
		&StepEvent{Head: h, Epoch: 1.5,
			Values: measure.Values{{Name: "loss", Number: measure.Num(.25)}, {Name: "lambda",
				Number: measure.Num(math.Inf(1))}, {Name: "tomorrow", Number: measure.Num(1)}},
			Min: measure.Values{{Name: "eta", Number: measure.Num(-2)}},
			Max: measure.Values{{Name: "eta", Number: measure.Number{}}}},
		&EvalEvent{Head: h,
			Values: measure.Values{
				{Name: "test_accuracy", Number: measure.Num(.5)}, {Name: "worst_class_accuracy",
					Number: measure.Num(1)}, {Name: "above_bound", Number: measure.Num(3)},
			},
			ByGroup: measure.Lists{{Name: "class_accuracy",
				Numbers: []measure.Number{measure.Num(1), {}}}},
			Heaviest: []Heavy{{12, 3.25, 4, 0}, {3, float64(float32(.1)), 1, 2}}},
		&WarningEvent{Head: h, Message: "look"}, &CheckpointEvent{Head: h, File: "step-40"},
		&ResumeEvent{Head: h}, &KnobEvent{Head: h, Key: "lr", Old: measure.Num(1),
			New: measure.Num(2)},
	} {
		line, err := EncodeEvent(e)
		if err != nil {
			t.Fatal(err)
		}
		back, err := DecodeEvent(line)
		if err != nil {
			t.Fatalf("DecodeEvent(%s): %v", line, err)
		}
		if !reflect.DeepEqual(e, back) {
			t.Errorf("%s\ncame back as %+v, want %+v", line, back, e)
		}
	}
	if e, err := DecodeEvent([]byte(`{"seq":1,"type":"of tomorrow"}`)); e != nil || err != nil {
		t.Errorf("an unknown event gave %v, %v, want neither", e, err)
	}
	if _, err := DecodeEvent([]byte(`{"seq":`)); err == nil {
		t.Error("half a line was read as an event")
	}
}
