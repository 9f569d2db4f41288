package watch

import (
	"strings"
	"testing"
	"time"

	"drolab/runner"
	"drolab/runner/eventlog"
	"drolab/runner/measure"
	"drolab/runner/record"
	"drolab/tui/internal/tuitest"
	"drolab/tui/lab"
)

// foreignScript returns a script of one log of another program, which has one value of its own and
// says nothing of planned steps.
func foreignScript(t *testing.T, end runner.Status) *tuitest.Script {
	t.Helper()
	dir := t.TempDir()
	store, err := record.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	m := tuitest.Meta("theirs", tuitest.Epoch0())
	m.Imported = &runner.Imported{Kind: "tensorboard", Program: "TensorBoard", Path: "runs/now"}
	m.Steps = 0
	r, err := store.Create(m, nil)
	if err != nil {
		t.Fatal(err)
	}
	events := []runner.Event{runner.NewStatus(runner.Head{}, runner.Running, nil)}
	for step := int64(1); step <= 40; step++ {
		e := &runner.StepEvent{Head: runner.Head{Step: step}}
		e.Values.Set("user.tokens", measure.Num(float64(step)))
		e.Min, e.Max = e.Values, e.Values
		events = append(events, e)
	}
	if end != runner.Running {
		events = append(events, runner.NewStatus(runner.Head{Step: 40}, end, nil))
	}
	for i, e := range events {
		e.Header().Time = tuitest.Epoch0().Add(time.Duration(i) * time.Millisecond)
		if err := r.Append(e); err != nil {
			t.Fatal(err)
		}
	}
	t.Cleanup(func() { r.Close() })
	return &tuitest.Script{Folder: lab.Folder(dir), Now: tuitest.Epoch0().Add(time.Hour),
		Logs: map[string][]runner.Event{m.ID: events}}
}

// TestLogsOfOthersOpenOnTheirCurves: a log without any of drolab's measures opens on the panels of
// the values that it has. The screen claims neither an ETA nor the time that the run took, which
// the log of the import does not know, and no percentage while the steps are not known.
func TestLogsOfOthersOpenOnTheirCurves(t *testing.T) {
	for _, end := range []runner.Status{runner.Running, runner.Done} {
		for _, size := range [][2]int{{80, 24}, {200, 60}} {
			r := newDriver(t, foreignScript(t, end), size[0], size[1])
			r.Wait(2*time.Second, time.Second/5)
			if title := r.watch.Board.Panels[0].Title; title != "user.tokens" {
				t.Errorf("%s at %v: the first panel is %q, want the value", end, size, title)
			}
			text := tuitest.Text(r.Shot())
			if !strings.Contains(text, "user.tokens") {
				t.Errorf("%s at %v: no curve of the value:\n%s", end, size, text)
			}
			for _, wrong := range []string{"0s", "took", " 0%"} {
				if strings.Contains(text, wrong) {
					t.Errorf("%s at %v: %q is in it:\n%s", end, size, wrong, text)
				}
			}
			if end == runner.Running && size[0] > 100 && !strings.Contains(text, "step 40") {
				t.Errorf("%s at %v: it does not say the step:\n%s", end, size, text)
			}
		}
	}
}

// TestTimeOfImport: the times of an imported run's log are no time of training.
func TestTimeOfImport(t *testing.T) {
	s := foreignScript(t, runner.Done)
	for id, events := range s.Logs {
		run, err := record.Find(string(s.Folder), id)
		if err != nil {
			t.Fatal(err)
		}
		for _, imported := range []bool{true, false} {
			m := run.Meta
			if !imported {
				m.Imported = nil
			}
			p := eventlog.NewProgress(&m)
			for _, e := range events {
				p.Add(e)
			}
			if (p.Seconds == 0) != imported {
				t.Errorf("imported %v: it trained for %g s", imported, p.Seconds)
			}
		}
	}
}
