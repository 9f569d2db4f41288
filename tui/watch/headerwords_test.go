package watch

import (
	"strings"
	"testing"
	"time"

	"drolab/runner"
	"drolab/runner/eventlog"
	"drolab/tui/internal/tuitest"
	"drolab/tui/lab"
	"drolab/tui/watch/panel"
)

// partlyReadLog is a log of which a part was read.
type partlyReadLog struct {
	eventlog.Log
	share float64
}

func (l partlyReadLog) Share() float64 { return l.share }

// TestHalfRead: a run that is done is shown as done while its log is still being read, whatever the
// events so far say.
func TestHalfRead(t *testing.T) {
	a := tuitest.NewArchive(t)
	r, err := a.Folder.Find("shapes-sfk-s1")
	if err != nil {
		t.Fatal(err)
	}
	events, err := r.Tail().Read()
	if err != nil {
		t.Fatal(err)
	}
	w := New(tuitest.NewLab(t, a, lab.Config{RunsGoOn: true}, 120, 40))
	w.showRuns(openMsg{runs: []panel.RunLog{{Run: r, Log: r.Tail(), AtOpening: r.Standing()}}})
	part := func(events []runner.Event, share float64) {
		w.logs.reading = true
		w.addEvents(readMsg{round: w.logs.round,
			parts: []runNews{{id: r.Meta.ID, log: partlyReadLog{r.Tail(), share}, events: events}}})
	}
	w.Round = time.Hour // news is shown in turns, but not what was recorded before
	w.View(120, 40)
	half := len(events) / 2
	part(events[:half], 0.349)
	tr := w.Runs.Tracks[0]
	if tr.Status != runner.Done {
		t.Errorf("half read the run is %s, want done", tr.Status)
	}
	if want := r.Summary().Steps; tr.Step != want {
		t.Errorf("half read the run is at step %d, want %d", tr.Step, want)
	}
	if tr.Eval == nil || tr.Eval.Step != tr.Step {
		t.Errorf("half read the last evaluation is %+v, want that of step %d", tr.Eval, tr.Step)
	}
	if s := tr.StatusText(w.Runs.Clock, panel.Long); strings.Contains(s, " in ") {
		t.Errorf("half read it is %q", s)
	}
	if n := tr.Curves["test_loss"].Raw.Len(); n == 0 || n >= tuitest.Epochs {
		t.Errorf("half read there are %d points, want some of %d", n, tuitest.Epochs)
	}
	screen := strings.Join(w.View(120, 40), "\n")
	if strings.Contains(screen, "running") {
		t.Errorf("half read the run is called running:\n%s", screen)
	}
	if !strings.Contains(screen, "done") {
		t.Errorf("half read the run is not called done:\n%s", screen)
	}
	if d := w.Digest(80); d != "1 done · reading 34 %" {
		t.Errorf("the header says %q, want %q", d, "1 done · reading 34 %")
	}
	if w.noVerb("stop")(tr) == "" {
		t.Error("a run that is done can be stopped")
	}
	part(events[half:], 1)
	if s := strings.Join(w.View(120, 40), "\n"); !strings.Contains(s, "done after 8 epochs in ") {
		t.Errorf("all read it says\n%s", s)
	}
	if d := w.Digest(80); d != "1 done" {
		t.Errorf("all read the header says %q, want 1 done", d)
	}
	if tr.Behind != nil {
		t.Error("all read the run still shows the state at its opening")
	}
	if want := r.Summary().Steps; tr.Step != want {
		t.Errorf("all read the run is at step %d, want %d", tr.Step, want)
	}
}
