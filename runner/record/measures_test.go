package record

import (
	"testing"

	"drolab/runner"
	"drolab/runner/measure"
)

// TestAverage reads the last evaluations from the log's end. Evaluations that a resume has
// discarded do not count, and none counts twice.
func TestAverage(t *testing.T) {
	s := newStore(t)
	m := newMeta(1)
	r := create(t, s, m)
	run, err := Find(s.Dir(), m.ID)
	must(t, err)
	a, err := run.Average()
	must(t, err)
	if a != nil {
		t.Errorf("before the first evaluation: %+v, want none", a)
	}
	eval := func(step int64, accuracy float64) {
		e := evalEvent(step)
		e.Epoch = float64(step) / 10
		e.Set("test_accuracy", measure.Num(accuracy))
		must(t, r.Append(e))
	}
	for i := int64(1); i <= 6; i++ {
		must(t, r.Append(stepEvent(10*i)))
		eval(10*i, float64(i))
	}
	eval(70, 1000)
	must(t, r.Append(&runner.ResumeEvent{Head: head(60)}))
	eval(60, 6) // again, as a resume from the very last step does
	eval(70, 7)
	a, err = run.Average()
	must(t, err)
	if a.Evaluations != 5 {
		t.Errorf("%d evaluations, want 5", a.Evaluations)
	}
	if a.FromEpoch != 3 || a.ToEpoch != 7 {
		t.Errorf("from epoch %v to %v, want 3 to 7", a.FromEpoch, a.ToEpoch)
	}
	if mean := a.Named("test_accuracy").Float(); mean != 5 {
		t.Errorf("the mean accuracy is %v, want 5", mean)
	}
}
