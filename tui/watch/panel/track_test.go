package panel

import (
	"slices"
	"testing"
	"time"

	"drolab/dro"
	"drolab/runner"
	"drolab/runner/measure"
	"drolab/runner/record"
	"drolab/tui/internal/tuitest"
	"drolab/tui/lab"
	"drolab/tui/plot"
)

// TestResume: a resume goes on from a checkpoint, and the steps after it are done again.
func TestResume(t *testing.T) {
	tr := NewTrack(RunLog{Run: &record.Run{Meta: *tuitest.Meta(dro.SFK, tuitest.Epoch0())}})
	tr.Collect(map[string]measure.Measure{"loss": lab.Named("loss")}, nil,
		plot.MostBuckets)
	tr.smoothWith(func() plot.Smoother { return &plot.Window{} })
	at := func(step int, seconds float64) runner.Head {
		return runner.Head{Step: int64(step),
			Time: tuitest.Epoch0().Add(time.Duration(seconds * float64(time.Second)))}
	}
	step := func(step int, seconds, loss float64) *runner.StepEvent {
		e := &runner.StepEvent{Head: at(step, seconds)}
		e.Set("loss", measure.Num(loss))
		e.Min, e.Max = e.Values, e.Values
		return e
	}
	tr.Add([]runner.Event{
		&runner.StatusEvent{Head: at(0, 0), Status: runner.Running},
		step(10, 1, 2), step(20, 2, 1.5), step(30, 3, 1),
		&runner.ResumeEvent{Head: at(20, 3600)}, // an hour later
		&runner.StatusEvent{Head: at(20, 3601), Status: runner.Running},
		step(30, 3602, 0.9),
	})
	tr.CaughtUp()
	loss := tr.Curves["loss"].Raw
	if x := loss.XRange().Hi; x != 30 || loss.At(x) != 0.9 {
		t.Errorf("the loss ends at (%g, %g), want (30, 0.9)", x, loss.At(x))
	}
	if n := loss.Len(); n != 3 {
		t.Errorf("the loss has %d points, want 3", n)
	}
	if tr.Step != 30 {
		t.Errorf("the run is at step %d, want 30", tr.Step)
	}
	if tr.Status != runner.Running {
		t.Errorf("the run is %s, want running", tr.Status)
	}
	if len(tr.Markers) != 1 || tr.Markers[0].X != 20 {
		t.Errorf("the marks are %v, want one at step 20", tr.Markers)
	}
	// 2 s to step 20, 1 s more to step 30; the hour between does not count.
	if tr.Seconds != 3 || tr.Elapsed.At(20) != 2 {
		t.Errorf("%g s of training, %g at step 20; want 3 and 2", tr.Seconds, tr.Elapsed.At(20))
	}
	left, ok := tr.Remaining()
	steps := float64(tuitest.Steps*tuitest.Epochs - 30)
	if want := time.Duration(steps / 10 * float64(time.Second)); !ok || left != want {
		t.Errorf("%v left, want %v", left, want)
	}
}

// TestCheckpointNotes: of successive checkpoints only the last has a note, so that the log pane
// stays readable.
func TestCheckpointNotes(t *testing.T) {
	tr := NewTrack(RunLog{Run: &record.Run{Meta: *tuitest.Meta(dro.ERM, tuitest.Epoch0())}})
	tr.Collect(map[string]measure.Measure{"loss": lab.Named("loss")}, nil,
		plot.MostBuckets)
	saved := func(step int64) runner.Event {
		return &runner.CheckpointEvent{Head: runner.Head{Step: step}, File: "step"}
	}
	odd := &runner.WarningEvent{Message: "odd"}
	tr.Add([]runner.Event{saved(1), saved(2), odd, saved(3), saved(4)})
	var steps []int64
	for _, n := range tr.Notes {
		steps = append(steps, n.Step)
	}
	if want := []int64{2, 0, 4}; !slices.Equal(steps, want) {
		t.Errorf("notes of steps %v, want %v", steps, want)
	}
}
