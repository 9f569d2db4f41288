package watch

import (
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"drolab/runner"
	"drolab/runner/eventlog"
	"drolab/runner/measure"
	"drolab/runner/record"
	"drolab/tui/cell"
	"drolab/tui/internal/tuitest"
	"drolab/tui/lab"
	"drolab/tui/watch/panel"
)

// foreignScript returns a script of one log of another program, which has one value of its own and
// says nothing of planned steps. more stands behind the steps.
func foreignScript(t *testing.T, end runner.Status, more ...runner.Event) *tuitest.Script {
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
	events = append(events, more...)
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
			if end != runner.Running {
				continue
			}
			if size[0] > 100 && !strings.Contains(text, "step 40") ||
				!strings.Contains(text, " 40 ") {
				t.Errorf("at %v: it does not say the step:\n%s", size, text)
			}
			if strings.Contains(text, "Waiting") {
				t.Errorf("at %v: it waits for what may never come:\n%s", size, text)
			}
		}
	}
}

// TestCurvesOfOthersComeFirst: of a log with a mean accuracy, the mean is drawn where there is room
// for one curve. The panel of a value of its own comes next, before those that stay empty.
func TestCurvesOfOthersComeFirst(t *testing.T) {
	e := &runner.EvalEvent{Head: runner.Head{Step: 40}}
	e.Values.Set("test_accuracy", measure.Num(.5))
	r := newDriver(t, foreignScript(t, runner.Running, e), 80, 24)
	r.Wait(2*time.Second, time.Second/5)
	text := tuitest.Text(r.Shot())
	for _, want := range []string{"mean accuracy", "user.tokens"} {
		if !strings.Contains(text, want) {
			t.Errorf("there is no %q:\n%s", want, text)
		}
	}
	r.Size(200, 60)
	text = tuitest.Text(r.Shot())
	const heading = "Test accuracy · mean and worst class"
	mean := strings.Index(text, " mean accuracy")
	worst := strings.Index(text, " worst class accuracy")
	if !strings.Contains(text, heading) || mean < 0 || worst < mean {
		t.Errorf("there is no %q with the mean first:\n%s", heading, text)
	}
}

// TestLengthOfLogs: a log that has epochs, and does not say how many were planned, is done after
// those that it has.
func TestLengthOfLogs(t *testing.T) {
	e := &runner.EvalEvent{Head: runner.Head{Step: 40}, Epoch: 2.5}
	r := newDriver(t, foreignScript(t, runner.Done, e), 200, 60)
	r.Wait(2*time.Second, time.Second/5)
	run := r.watch.Runs.Tracks[0]
	run.Meta.Spec.Epochs, run.Meta.StepsPerEpoch = 0, 16
	text := run.StatusText(r.watch.Runs.Clock, panel.WithEpochs)
	if want := "done after 2.5 epochs"; !strings.HasPrefix(text, want) {
		t.Errorf("it says %q, want %q", text, want)
	}
}

// TestRowWithoutAPlan: the figures of a log without planned steps stand below their heads, although
// it has no bar of progress.
func TestRowWithoutAPlan(t *testing.T) {
	r := newDriver(t, foreignScript(t, runner.Running), 200, 60)
	r.Wait(2*time.Second, time.Second/5)
	lines := strings.Split(tuitest.Text(r.Shot()), "\n")
	at := slices.IndexFunc(lines, func(s string) bool { return strings.Contains(s, "progress") })
	if at < 0 {
		t.Fatalf("no bars have room:\n%s", strings.Join(lines, "\n"))
	}
	head, row := lines[at], lines[at+1]
	end := func(line, word string) int {
		return cell.Width(line[:max(0, strings.LastIndex(line, word))] + word)
	}
	if end(head, " done") != end(row, " 40 ")-1 { // "step 40" is the state
		t.Errorf("the step is not below its head:\n%s\n%s", head, row)
	}
}

// TestVerbsOfLogs: what would change a run is refused for a log of another program, and why.
func TestVerbsOfLogs(t *testing.T) {
	for end, keys := range map[runner.Status]string{runner.Running: "pxFP",
		runner.Stopped: "rFP"} {
		for _, key := range strings.Split(keys, "") {
			r := newDriver(t, foreignScript(t, end), 200, 60)
			r.Wait(2*time.Second, time.Second/5)
			r.Press(key)
			if n := r.Notice.Text; !strings.Contains(n, "is a log of TensorBoard") {
				t.Errorf("%s of a run that is %s: the footer says %q, want the reason", key, end, n)
			}
		}
	}
}

// TestAxisOfTime: a log without times is not on the axis of time, which one alone passes over.
func TestAxisOfTime(t *testing.T) {
	r := newDriver(t, foreignScript(t, runner.Done), 200, 60)
	r.Wait(2*time.Second, time.Second/5)
	r.Press("a", "a")
	if text := tuitest.Text(r.Shot()); !strings.Contains(text, "by step ") {
		t.Errorf("the axis is not that of steps:\n%s", text)
	}
	if n := r.Notice.Text; !strings.Contains(n, "the log has no times") {
		t.Errorf("the footer says %q, want why", n)
	}
}

// TestReplayWithoutTimes: a log without times is replayed by its steps, within a minute.
func TestReplayWithoutTimes(t *testing.T) {
	c := newClock(lab.Replay{})
	c.Load("a", &eventlog.Tape{End: eventlog.Moment{Step: 40}}, 2)
	c.Load("b", &eventlog.Tape{End: eventlog.Moment{Step: 80, Seconds: 5}}, 2)
	if !c.Ready || c.Ended() {
		t.Fatal("the replay does not begin")
	}
	if words := c.Words(80); !strings.Contains(words, "0 of 80 steps") {
		t.Errorf("it says %q, want steps", words)
	}
	c.Realign()
	if words := c.Words(80); !strings.Contains(words, "steps") {
		t.Errorf("aligned anew, it says %q, want steps", words)
	}
	if c.Seek(c.End.Seconds / 2); c.Until().Step != 40 || c.Until().Seconds < 1e9 {
		t.Errorf("half way it is at %+v, want step 40", c.Until())
	}
}

// TestWildTimes: a log from anybody may tell any time. What no training takes is passed over.
func TestWildTimes(t *testing.T) {
	m := tuitest.Meta("theirs", tuitest.Epoch0())
	m.Imported = &runner.Imported{Kind: "csv"}
	p := eventlog.NewProgress(m)
	for i, x := range []float64{-1, math.NaN(), math.Inf(1), 1e300, 7, 3} {
		p.Add(&runner.StepEvent{Head: runner.Head{Step: int64(i), Elapsed: measure.Num(x)}})
	}
	if p.Seconds != 7 {
		t.Errorf("the clock is at %v, want 7", p.Seconds)
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
