package watch

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"drolab/dro"
	"drolab/runner"
	"drolab/runner/eventlog"
	"drolab/runner/measure"
	"drolab/tui/internal/tuitest"
	"drolab/tui/lab"
)

// TestForkAtCrosshair: F opens the form for a fork of the run at the crosshair, near its step
// there, or of the run under the cursor if there is no crosshair.
func TestForkAtCrosshair(t *testing.T) {
	r := watching(t, 120, 40)
	r.Press("F")
	if m, _ := tuitest.Sent[lab.Fork](r.Rig); m.Run != r.watch.Run().Run || m.Near != 0 {
		t.Errorf("without a crosshair: %+v", m)
	}
	for range 3 { // by steps, by epochs, by time
		r.watch.Cross.On = false
		r.Press("left", "left", "left", "left", "F")
		m, _ := tuitest.Sent[lab.Fork](r.Rig)
		run := r.watch.Tracks[r.watch.Picked]
		if m.Run != run.Run || m.Near <= 0 || m.Near >= run.Step {
			t.Errorf("by %s at step %d: %s near %d", r.watch.Axis, run.Step, m.Run.Meta.ID, m.Near)
		}
		r.Press("a")
	}
}

// TestRace watches a branch beside its parent: a line shows the differences at the common epoch
// with the parent's figures, which the test recomputes, and shows none from before the fork. A
// branch that does as its parent is said to do so, with no difference of 0.
func TestRace(t *testing.T) {
	for _, at := range []int64{3 * tuitest.Steps, 200 * tuitest.Steps} {
		r := watching(t, 160, 40)
		r.Wait(20*time.Second, time.Second) // to the end, which all have in common
		w := r.watch
		branch, parent := w.Tracks[1], w.Tracks[0]
		branch.Meta.Parent = parent.ID + "@" + measure.Num(float64(at)).String()
		branch.Eval.Set("worst_class_accuracy", measure.Num(.125))
		w.pit(parent.ID)
		if w.Baseline != 0 || w.At != 1 || w.raceRows() != 1 {
			t.Fatalf("baseline %d, cursor %d, %d rows", w.Baseline, w.At, w.raceRows())
		}
		line := tuitest.Text(tuitest.Shot(w.raceLine(158), 158, 1))
		if at > branch.Step {
			if !strings.Contains(line, "no evaluation in common") {
				t.Errorf("before an evaluation it says %q", line)
			}
			branch.Status = runner.Queued
			line = tuitest.Text(tuitest.Shot(w.raceLine(158), 158, 1))
			if !strings.Contains(line, "waits until a run ends; p on a running one") {
				t.Errorf("in the queue it says %q", line)
			}
			continue
		}
		a, b := branch.Eval.Named("worst_class_accuracy").Float(),
			parent.Eval.Named("worst_class_accuracy").Float()
		want := measure.Num(math.Round(1000*(a-b)) / 10).String()
		if a > b {
			want = "+" + want
		}
		want += fmt.Sprintf(" from %.1f · mean %.1f, as its parent · "+
			"robust risk %.3f, as its parent", 100*b,
			100*parent.Eval.Named("test_accuracy").Float(),
			parent.Eval.Named("robust_risk").Float())
		if a == b || !strings.Contains(line, "epoch 8: worst class "+want) {
			t.Errorf("the line is %q, want worst class %s", line, want)
		}
		r.Fits(t, "a race")
		if !strings.Contains(tuitest.Text(r.Shot()), strings.TrimSpace(line)[:30]) {
			t.Errorf("the page lacks %q:\n%s", line, tuitest.Text(r.Shot()))
		}
	}
}

// TestBackToTheRace: a new viewer opens on the runs that a branch has joined, not on the branch
// alone, and Esc leaves the branch and its parent for all of them.
func TestBackToTheRace(t *testing.T) {
	a := tuitest.Archive{Folder: lab.Folder(t.TempDir())}
	for i, method := range []dro.Algorithm{dro.ERM, dro.SFK} {
		a.Add(t, "shapes-"+string(method), tuitest.Archived(method, 1, "shapes",
			tuitest.Epoch0().Add(time.Duration(i)*time.Second)), runner.Done, "")
	}
	branch := tuitest.Archived(dro.SFK, 1, "shapes", tuitest.Epoch0().Add(time.Hour))
	branch.Parent, branch.Spec.LR = "shapes-sfk@40", 0.5
	a.Add(t, "shapes-branch", branch, runner.Done, "")
	other := tuitest.Archived(dro.PGD, 1, "other", tuitest.Epoch0())
	a.Add(t, "other-pgd", other, runner.Done, "")
	r := newRigOf(t, a, &tuitest.Script{Now: tuitest.Epoch0()}, 120, 40)
	all := []string{"shapes-branch", "shapes-erm", "shapes-sfk"}
	watched := func() []string { return slices.Sorted(slices.Values(r.watch.IDs())) }
	r.Send(lab.Watch{})
	if got := watched(); !slices.Equal(got, all) {
		t.Fatalf("a new viewer sees %v, want %v", got, all)
	}
	r.Send(lab.Watch{IDs: []string{"shapes-sfk", "shapes-branch"}, Ghost: "shapes-sfk"})
	if got := watched(); len(got) != 2 {
		t.Fatalf("the branch races %v", got)
	}
	if r.Press("esc"); !slices.Equal(watched(), all) || r.watch.noBack() == "" {
		t.Errorf("Esc leads to %v, want %v; then %q", watched(), all, r.watch.noBack())
	}
}

// TestTakeBack: u undoes changes of settings, the last one first, and restores each value to the
// bit.
func TestTakeBack(t *testing.T) {
	r := watching(t, 80, 24)
	run := r.watch.Run()
	r.Mine[run.ID] = true
	if r.Press("u"); len(r.asked.List) > 0 || !strings.Contains(r.Notice.Text, "has been changed") {
		t.Errorf("nothing was turned: asked %v, %q", r.asked.List, r.Notice.Text)
	}
	odd := math.Nextafter(.1, 1) // a few digits do not tell it from .1
	turn := func(key string, from, to float64) {
		run.Add([]runner.Event{&runner.KnobEvent{Key: key, Old: measure.Num(from),
			New: measure.Num(to)}})
	}
	turn("lr", odd, .25)
	turn("lambda0", .125, .25)
	turn("lr", .25, .5)
	undo := func() (key string, value float64) {
		t.Helper()
		r.asked.List = nil
		if r.Press("u"); len(r.asked.List) != 1 {
			t.Fatalf("asked %v, the notice is %q", r.asked.List, r.Notice.Text)
		}
		assignment := strings.TrimPrefix(r.asked.List[0], "knob ")
		key, text, _ := strings.Cut(assignment, "=")
		s := run.Spec
		_, after, err := s.Turn(key, text)
		if err != nil {
			t.Fatal(err)
		}
		turn(key, map[string]float64{"lr": run.Spec.LR, "lambda0": run.Spec.Lambda0}[key],
			after.Or(0))
		return key, after.Or(0)
	}
	var got []float64
	var keys []string
	for range 3 {
		key, value := undo()
		keys, got = append(keys, key), append(got, value)
	}
	if !slices.Equal(keys, []string{"lr", "lambda0", "lr"}) ||
		!slices.Equal(got, []float64{.25, .125, odd}) ||
		math.Float64bits(run.Spec.LR) != math.Float64bits(odd) {
		t.Errorf("taken back: %v to %v, lr %v", keys, got, run.Spec.LR)
	}
	if r.Press("u"); len(r.asked.List) != 1 {
		t.Errorf("all is taken back: asked %v", r.asked.List)
	}
}

// TestFilmHalfRead draws a branch while only half of the log of its parent has been read: its films
// have frames, but the branch has not reached its first evaluation.
func TestFilmHalfRead(t *testing.T) {
	r := watching(t, 200, 60)
	run := r.watch.Run()
	run.Behind, run.Progress = run.Progress, eventlog.NewProgress(run.Meta)
	r.Press("tab")
	r.Fits(t, "half a log")
}
