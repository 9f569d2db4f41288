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
	"drolab/runner/compare"
	"drolab/runner/measure"
	"drolab/runner/record"
	"drolab/tui/internal/render"
	"drolab/tui/internal/tuitest"
	"drolab/tui/kit"
	"drolab/tui/lab"
	"drolab/tui/plot"
	"drolab/tui/watch/panel"
)

// TestForkAtCrosshair: F opens the form for a fork of the run at the crosshair, near its step
// there, or of the run under the cursor if there is no crosshair.
func TestForkAtCrosshair(t *testing.T) {
	r := watching(t, 120, 40)
	r.Press("F")
	m, _ := tuitest.Sent[lab.Fork](r.Driver)
	if want := r.watch.Runs.Run().Run; m.Run != want {
		t.Errorf("without a crosshair the fork is of %v, want of the run under the cursor", m.Run)
	}
	if m.Near != 0 {
		t.Errorf("without a crosshair the fork is near step %d, want 0, the newest", m.Near)
	}
	for range 3 { // by steps, by epochs, by time
		r.watch.Board.Cross.On = false
		r.Press("left", "left", "left", "left", "F")
		m, _ := tuitest.Sent[lab.Fork](r.Driver)
		run := r.watch.Runs.Tracks[r.watch.Board.Picked]
		if m.Run != run.Run {
			t.Errorf("by %s the fork is of %s, want of the picked run %s", r.watch.Board.Axis,
				m.Run.Meta.ID, run.ID)
		}
		if m.Near <= 0 || m.Near >= run.Step {
			t.Errorf("by %s the fork is near step %d, want before step %d of the run",
				r.watch.Board.Axis, m.Near, run.Step)
		}
		r.Press("a")
	}
}

// TestRace watches a fork beside its parent: a line shows the differences at the common epoch
// with the parent's figures, which the test recomputes, and shows none from before the fork. A
// fork that does as its parent is said to do so, with no difference of 0.
func TestRace(t *testing.T) {
	for _, at := range []int64{3 * tuitest.Steps, 200 * tuitest.Steps} {
		r := watching(t, 160, 40)
		r.Wait(20*time.Second, time.Second) // to the end, which all have in common
		w := r.watch
		fork, parent := w.Runs.Tracks[1], w.Runs.Tracks[0]
		fork.Meta.Parent = parent.ID + "@" + measure.Num(float64(at)).String()
		setMeasure(fork, "worst_class_accuracy", .125)
		w.pointAtFork(parent.ID)
		if w.Runs.Baseline != 0 {
			t.Fatalf("the baseline is run %d, want the parent, 0", w.Runs.Baseline)
		}
		if w.Runs.Cursor != 1 {
			t.Fatalf("the cursor is on run %d, want on the fork, 1", w.Runs.Cursor)
		}
		if n := w.raceRows(); n != 1 {
			t.Fatalf("the race has %d rows, want 1", n)
		}
		line := tuitest.Text(render.Shot(w.raceLine(158), 158, 1))
		if at > fork.Step {
			if !strings.Contains(line, "no evaluation in common") {
				t.Errorf("before an evaluation it says %q", line)
			}
			fork.Status = runner.Queued
			line = tuitest.Text(render.Shot(w.raceLine(158), 158, 1))
			if !strings.Contains(line, "waits until a run ends; p on a running one") {
				t.Errorf("in the queue it says %q", line)
			}
			continue
		}
		mean := func(run *panel.Track, name string) float64 {
			return panel.ClockFigure(name, w.Runs.Clock)(run).Float()
		}
		a, b := mean(fork, "worst_class_accuracy"), mean(parent, "worst_class_accuracy")
		want := measure.Num(math.Round(1000*(a-b)) / 10).String()
		if a > b {
			want = "+" + want
		}
		want += fmt.Sprintf(" from %.1f · mean %.1f, as its parent · "+
			"robust risk %.3f, as its parent", 100*b,
			100*mean(parent, "test_accuracy"), mean(parent, "robust_risk"))
		if a == b || !strings.Contains(line, "mean of epochs 4–8: worst class "+want) {
			t.Errorf("the line is %q, want worst class %s", line, want)
		}
		for cells := 30; cells <= 158; cells++ {
			line := strings.TrimSpace(tuitest.Text(render.Shot(w.raceLine(cells), cells, 1)))
			if strings.HasSuffix(line, "·") || strings.HasSuffix(line, ":") {
				t.Errorf("in %d cells the line ends in a separator: %q", cells, line)
			}
		}
		table := w.Runs.Clock
		w.Runs.Clock = compare.Clock{} // of runs that the fork has no evaluation in common with
		narrow := tuitest.Text(render.Shot(w.raceLine(80), 80, 1))
		if want := "mean of epochs 4–8: worst class "; !strings.Contains(narrow, want) {
			t.Errorf("beside a table of other epochs the line is %q, want %q", narrow, want)
		}
		w.Runs.Clock = table
		r.Fits(t, "a race")
		if !strings.Contains(tuitest.Text(r.Shot()), strings.TrimSpace(line)[:30]) {
			t.Errorf("the page lacks %q:\n%s", line, tuitest.Text(r.Shot()))
		}
	}
}

// TestBackToTheRace: a new viewer opens on the runs that a fork has joined, not on the fork
// alone, and Esc leaves the fork and its parent for all of them.
func TestBackToTheRace(t *testing.T) {
	a := tuitest.Archive{Folder: lab.Folder(t.TempDir())}
	for i, method := range []dro.Algorithm{dro.ERM, dro.SFK} {
		a.Add(t, "shapes-"+string(method), tuitest.Archived(method, 1, "shapes",
			tuitest.Epoch0().Add(time.Duration(i)*time.Second)), runner.Done, "")
	}
	fork := tuitest.Archived(dro.SFK, 1, "shapes", tuitest.Epoch0().Add(time.Hour))
	fork.Parent, fork.Spec.LR = "shapes-sfk@40", 0.5
	a.Add(t, "shapes-fork", fork, runner.Done, "")
	other := tuitest.Archived(dro.PGD, 1, "other", tuitest.Epoch0())
	a.Add(t, "other-pgd", other, runner.Done, "")
	r := newDriverOf(t, a, &tuitest.Script{Now: tuitest.Epoch0()}, 120, 40)
	all := []string{"shapes-erm", "shapes-fork", "shapes-sfk"}
	watched := func() []string { return slices.Sorted(slices.Values(r.watch.Runs.IDs())) }
	r.Send(lab.Watch{})
	if got := watched(); !slices.Equal(got, all) {
		t.Fatalf("a new viewer sees %v, want %v", got, all)
	}
	r.Send(lab.Watch{IDs: []string{"shapes-sfk", "shapes-fork"}, Parent: "shapes-sfk"})
	if got := watched(); len(got) != 2 {
		t.Fatalf("watched are %v, want the fork and its parent", got)
	}
	r.Press("esc")
	if got := watched(); !slices.Equal(got, all) {
		t.Errorf("Esc leads to %v, want %v", got, all)
	}
	if r.Press("esc"); r.Notice.Text != kit.NoWayBack {
		t.Errorf("Esc again: the footer says %q, want %q", r.Notice.Text, kit.NoWayBack)
	}
}

// forkOf adds a run to the script that continues from a step of another run, at half the pace of
// that run and two hours later.
func forkOf(t *testing.T, s *tuitest.Script, parent string, step int) string {
	t.Helper()
	store, err := record.Open(string(s.Folder))
	if err != nil {
		t.Fatal(err)
	}
	m := tuitest.Meta(dro.SFK, tuitest.Epoch0().Add(time.Hour))
	m.Parent = fmt.Sprintf("%s@%d", parent, step)
	r, err := store.Create(m, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { r.Close() })
	at := func(step int, seconds float64) runner.Head {
		return runner.Head{Step: int64(step), Time: tuitest.Epoch0().Add(2*time.Hour +
			time.Duration(seconds*float64(time.Second)))}
	}
	s.Logs[m.ID] = []runner.Event{&runner.CheckpointEvent{Head: at(step, 0), File: "a"},
		&runner.StatusEvent{Head: at(step, 0), Status: runner.Running}}
	for i := 10; i <= 40; i += 10 {
		e := &runner.StepEvent{Head: at(step+i, float64(i)*2*tuitest.Pace),
			Values: measure.Values{{Name: "loss", Number: measure.Num(9)}}}
		e.Min, e.Max = e.Values, e.Values
		s.Logs[m.ID] = append(s.Logs[m.ID], e)
	}
	return m.ID
}

func sfkOf(s *tuitest.Script) string {
	for id := range s.Logs {
		if strings.Contains(id, "-sfk-") {
			return id
		}
	}
	panic("no such run")
}

func watchOnly(t *testing.T, s *tuitest.Script, id string) *panel.Track {
	t.Helper()
	s.Now = tuitest.Epoch0().Add(3 * time.Hour) // the logs are complete
	r := newDriver(t, s, 120, 40)
	r.Send(lab.Watch{IDs: []string{id}})
	r.Wait(2*time.Second, time.Second/5)
	r.Fits(t, "a fork")
	return r.watch.Runs.Tracks[0]
}

// TestForkGoesOnItsParentsCurves: up to the checkpoint, the curves of a fork are those of its
// parent.
func TestForkGoesOnItsParentsCurves(t *testing.T) {
	s := tuitest.NewScript(t)
	parent := sfkOf(s)
	s.Logs[parent] = slices.Insert(s.Logs[parent], 3,
		runner.Event(&runner.KnobEvent{Head: runner.Head{Step: 15, Time: tuitest.Epoch0()},
			Key: "lr",
			Old: measure.Num(.01), New: measure.Num(7)}))
	f := watchOnly(t, s, forkOf(t, s, parent, 160))
	loss := f.Curves["loss"].Raw
	if v := loss.At(150); !(v < 9) {
		t.Errorf("the loss at step 150 is %v, want the parent's", v)
	}
	for _, step := range []float64{170, 200} {
		if got := loss.At(step); got != 9 {
			t.Errorf("the loss at step %g is %v, want the fork's own, 9", step, got)
		}
	}
	if f.Step != 200 {
		t.Errorf("the fork is at step %d, want 200", f.Step)
	}
	if i := slices.IndexFunc(f.Markers, func(m plot.Marker) bool {
		return m.Letter == 'f' &&
			m.X == 160
	}); i < 0 {
		t.Errorf("no mark at the fork: %v", f.Markers)
	}
	if f.Spec.LR == 7 {
		t.Error("the fork has a setting that its parent was given live")
	}
	if f.Seconds < 160*tuitest.Pace*.9 || f.Seconds > 160*tuitest.Pace*1.1+40*2*tuitest.Pace+1 {
		t.Errorf("%v s of training, want the parent's and its own and none between", f.Seconds)
	}
}

// TestForkWithoutItsParent: the curves of a fork whose parent is missing start at the fork, and its
// speed is not overestimated.
func TestForkWithoutItsParent(t *testing.T) {
	for _, parent := range []string{"shapes-sfk-s1-gone", "../x", "latest", "\x1b[31mred"} {
		s := tuitest.NewScript(t)
		f := watchOnly(t, s, forkOf(t, s, parent, 160))
		if n := f.Curves["loss"].Raw.Len(); n != 4 {
			t.Errorf("of %q: %d losses, want its own 4", parent, n)
		}
		left, ok := f.Remaining()
		steps := float64(tuitest.Steps*tuitest.Epochs - 200)
		want := time.Duration(steps * 2 * tuitest.Pace * float64(time.Second))
		if !ok {
			t.Errorf("of %q: the time left is unknown", parent)
		}
		if left < want*9/10 || left > want*11/10 {
			t.Errorf("of %q: %v left, want about %v", parent, left, want)
		}
	}
}
