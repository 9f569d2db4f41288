package watch

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"drolab/dro"
	"drolab/runner"
	"drolab/runner/measure"
	"drolab/runner/record"
	"drolab/tui/internal/tuitest"
	"drolab/tui/lab"
	"drolab/tui/plot"
	"drolab/tui/watch/track"
)

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

func watchOnly(t *testing.T, s *tuitest.Script, id string) *track.Track {
	t.Helper()
	s.Now = tuitest.Epoch0().Add(3 * time.Hour) // the logs are complete
	r := newRig(t, s, 120, 40)
	r.Send(lab.Watch{IDs: []string{id}})
	r.Wait(2*time.Second, time.Second/5)
	r.Fits(t, "a fork")
	return r.watch.Tracks[0]
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
	if v, w := loss.At(170), loss.At(200); v != 9 || w != 9 || f.Step != 200 {
		t.Errorf("the loss at step 170 is %v, at 200 %v, the run at %d: want its own", v, w, f.Step)
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
		if !ok || left < want*9/10 || left > want*11/10 {
			t.Errorf("of %q: %v left, want %v", parent, left, want)
		}
	}
}
