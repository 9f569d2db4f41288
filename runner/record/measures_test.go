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
	if a, err := run.Average(); a != nil || err != nil {
		t.Errorf("before the first evaluation: %+v, %v", a, err)
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
	a, err := run.Average()
	must(t, err)
	if a.Evaluations != 5 || a.FromEpoch != 3 || a.ToEpoch != 7 ||
		a.Named("test_accuracy").Float() != 5 {
		t.Errorf("%+v, want 5 evaluations from epoch 3 to 7 with a mean of 5", a)
	}
}
