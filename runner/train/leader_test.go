package train

import (
	"errors"
	"slices"
	"testing"
	"time"

	"drolab/dro"
	"drolab/runner"
	"drolab/runner/data"
	"drolab/runner/measure"
	"drolab/runner/spec"
)

// closedLog is a log that takes no event, and remembers the kinds of those that it was given.
type closedLog struct {
	nullRecorder
	kinds []string
}

func (r *closedLog) Append(e runner.Event) error {
	r.kinds = append(r.kinds, e.Kind())
	return errors.New("the log is closed")
}

// scriptRun returns a run of a script with two classes, before its first step.
func scriptRun(t *testing.T, log runner.Recorder, l Leader) *Run {
	t.Helper()
	s := spec.Defaults()
	s.Algorithms = []dro.Algorithm{dro.ERM}
	classes, counts := []string{"a", "b"}, []int{1, 1}
	parts := measure.Parts{Classes: classes,
		ClassCounts: measure.Counts{Train: counts, Test: counts}}
	r := newEmptyRun(Plan{Meta: &runner.Meta{Spec: s, Parts: parts, StepsPerEpoch: 1, Steps: 2},
		Data: &data.Dataset{Classes: classes}, Record: log, Gate: &Gate{Retry: time.Second}})
	r.leader, r.saver = l, l
	var err error
	if r.Method, err = newMethod(&s, &parts, nil); err != nil {
		t.Fatal(err)
	}
	r.meter = newMeter(dro.ERM)
	return r
}

// TestNothingFollowsALostEvaluation: if the log does not take a script's evaluation, the event of
// the values that the script has logged is not tried.
func TestNothingFollowsALostEvaluation(t *testing.T) {
	log := &closedLog{}
	r := scriptRun(t, log, struct{ Leader }{})
	r.setCurrent("loss", 1)
	r.last = &runner.StepEvent{}
	if err := r.Log("temperature", 1); err != nil {
		t.Fatal(err)
	}
	r.AddPass(runner.SplitTest, &measure.Pass{Losses: []float64{1, 2}, Correct: []bool{true, false},
		Labels: []int{0, 1}, Groups: []int{0, 1}, Predictions: []int{0, 0},
		Confidences: []float64{.5, .5}})
	if err := r.Report(); err == nil {
		t.Error("Report() = nil, want the error of the log")
	}
	if slices.Contains(log.kinds, "step") {
		t.Errorf("the log was given %v, want no step event", log.kinds)
	}
}
