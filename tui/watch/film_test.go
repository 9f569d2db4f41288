package watch

import (
	"testing"

	"drolab/runner"
	"drolab/runner/eventlog"
)

// TestFilmHalfRead draws a fork while only half of the log of its parent has been read: its films
// have frames, but the fork has not reached its first evaluation.
func TestFilmHalfRead(t *testing.T) {
	r := watching(t, 200, 60)
	run := r.watch.Runs.Run()
	run.Behind, run.Progress = run.Progress, eventlog.NewProgress(run.Meta)
	r.Press("tab")
	r.Fits(t, "half a log")
}

// TestFilm: the film has each evaluation, except those that a resume has discarded.
func TestFilm(t *testing.T) {
	r := watching(t, 120, 40)
	w := r.watch
	run, n := w.Runs.Run(), 0
	run.Films["class_accuracy"].Each(func(step float64, place int, v float64) {
		n++
		want := run.Eval.ByGroup.Named("class_accuracy")[place].Float()
		if step == float64(run.Eval.Step) && v != float64(float32(want)) {
			t.Errorf("class %d at step %g: %g", place, step, v)
		}
	})
	if n == 0 {
		t.Fatal("an empty film")
	}
	last := run.Eval.Step
	run.Add([]runner.Event{&runner.ResumeEvent{Head: runner.Head{Step: last - 1}}})
	run.Films["class_accuracy"].Each(func(step float64, _ int, _ float64) {
		if step >= float64(last) {
			t.Fatalf("step %g is shown after a resume at %d", step, last-1)
		}
	})
}
