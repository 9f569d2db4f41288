package runner

import (
	"math"
	"reflect"
	"testing"
)

func TestEventsSurviveTheLog(t *testing.T) {
	h := Head{Seq: 7, Step: 40}
	for _, e := range []Event{
		&StatusEvent{Head: h, Status: Failed, Cause: "step 40: loss is NaN"},
		&StepEvent{Head: h, Epoch: 1.5,
			Values: Values{{"loss", Num(.25)}, {"lambda", Num(math.Inf(1))}, {"tomorrow", Num(1)}},
			Min:    Values{{"eta", Num(-2)}}, Max: Values{{"eta", Number{}}}},
		&EvalEvent{Head: h,
			Values: Values{
				{"test_accuracy", Num(.5)}, {"worst_class_accuracy", Num(1)}, {"above_bound", Num(3)},
			},
			ByGroup: Lists{{"class_accuracy", []Number{Num(1), {}}}}},
		&WarningEvent{Head: h, Message: "look"}, &CheckpointEvent{Head: h, File: "step-40"},
		&ResumeEvent{Head: h}, &KnobEvent{Head: h, Key: "lr", Old: Num(1), New: Num(2)},
	} {
		line, err := EncodeEvent(e)
		if err != nil {
			t.Fatal(err)
		}
		back, err := DecodeEvent(line)
		if err != nil || !reflect.DeepEqual(e, back) {
			t.Errorf("%s\ncame back as %+v, error %v", line, back, err)
		}
	}
	if e, err := DecodeEvent([]byte(`{"seq":1,"type":"of tomorrow"}`)); e != nil || err != nil {
		t.Errorf("an unknown event gave %v, %v, want neither", e, err)
	}
	if _, err := DecodeEvent([]byte(`{"seq":`)); err == nil {
		t.Error("half a line was read as an event")
	}
}
