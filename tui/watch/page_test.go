package watch

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"drolab/dro"
	"drolab/runner"
	"drolab/runner/bridge"
	"drolab/runner/measure"
	"drolab/runner/record"
	"drolab/tui/internal/tuitest"
	"drolab/tui/kit"
	"drolab/tui/lab"
	"drolab/tui/watch/panel"

	tea "charm.land/bubbletea/v2"
)

// watching returns a driver of the page, half-way through four runs.
func watching(t testing.TB, w, h int) *driver {
	t.Helper()
	r := newDriver(t, tuitest.NewScript(t), w, h)
	r.Wait(10*time.Second, time.Second/5)
	return r
}

// driver is a driver of this page over a script.
type driver struct {
	*tuitest.Driver
	watch *Page
	asked *tuitest.Asked
}

func newDriver(t testing.TB, s *tuitest.Script, w, h int) *driver {
	t.Helper()
	return newDriverOf(t, s, s, w, h)
}

// newDriverOf is newDriver over another source. The script is only the clock.
func newDriverOf(t testing.TB, source lab.Source, s *tuitest.Script, w, h int) *driver {
	t.Helper()
	asked := &tuitest.Asked{}
	l := tuitest.NewLab(t, source, lab.Config{Verbs: asked, RunsDir: t.TempDir()}, w, h-2)
	p := New(l)
	p.after = func(_ time.Duration, f func(time.Time) tea.Msg) tea.Cmd {
		return kit.Send(f(time.Time{}))
	}
	r := &driver{tuitest.NewDriver(l, p), p, asked}
	r.Now = &s.Now
	return r
}

// setEvals changes all evaluations of a run.
func setEvals(run *panel.Track, change func(*runner.EvalEvent)) {
	for _, e := range run.Evaluations() {
		change(e)
	}
}

// setMeasure sets a measure in all evaluations of a run.
func setMeasure(run *panel.Track, name string, v float64) {
	setEvals(run, func(e *runner.EvalEvent) { e.Set(name, measure.Num(v)) })
}

// setList sets a list measure in all evaluations of a run.
func setList(run *panel.Track, name string, list []measure.Number) {
	setEvals(run, func(e *runner.EvalEvent) { e.ByGroup.Set(name, list) })
}

func TestVerbs(t *testing.T) {
	for i, c := range []struct {
		name   string
		status runner.Status
		mine   bool
		keys   []string
		want   []string // the verbs that are asked
		says   string   // a part of the notice
	}{
		{"pause", runner.Running, true, []string{"p"}, []string{"pause"}, ""},
		{"go on", runner.Paused, true, []string{"p"}, []string{"resume"}, ""},
		{"resume paused", runner.Paused, true, []string{"r"}, []string{"resume"}, ""},
		{"checkpoint", runner.Running, true, []string{"C"}, []string{"checkpoint"}, ""},
		{"stop", runner.Running, true, []string{"x", "y"}, []string{"stop"}, ""},
		{"stop, then not", runner.Running, true, []string{"x", "esc"}, nil, ""},
		{"resume stopped", runner.Stopped, false, []string{"r"}, []string{"resume"}, ""},
		{"resume interrupted", runner.Interrupted, false, []string{"r"}, []string{"resume"}, ""},
		{"pause of another process", runner.Running, false, []string{"p"}, nil,
			"runs in another process"},
		{"stop of another process", runner.Running, false, []string{"x", "y"}, nil, ""},
		{"pause queued", runner.Queued, true, []string{"p"}, nil, "sfk s1 is queued"},
		{"pause done", runner.Done, true, []string{"p"}, nil, "sfk s1 is done: nothing to pause"},
		{"resume done", runner.Done, true, []string{"r"}, nil, "sfk s1 is done: nothing to resume"},
		{"resume running", runner.Running, true, []string{"r"}, nil,
			"sfk s1 is running: nothing to resume"},
	} {
		if testing.Short() && i%2 > 0 {
			continue
		}
		t.Run(c.name, func(t *testing.T) {
			r := watching(t, 120, 40)
			run := r.watch.Runs.Run()
			run.Status = c.status
			r.Mine[run.ID] = c.mine
			r.Press(c.keys...)
			if !slices.Equal(r.asked.List, c.want) {
				t.Errorf("asked %v, want %v", r.asked.List, c.want)
			}
			if !strings.Contains(r.Notice.Text, c.says) {
				t.Errorf("the footer says %q, want %q in it", r.Notice.Text, c.says)
			}
		})
	}
}

// TestCompareAndCopy: c asks for a table of the watched runs, and y hands what the panel shows to
// the terminal's clipboard. In a replay y goes to a checkpoint.
func TestCompareAndCopy(t *testing.T) {
	r := watching(t, 120, 40)
	r.Press("c", "y")
	m, _ := tuitest.Sent[lab.Compare](r.Driver)
	if got, want := len(m.Runs), len(r.watch.Runs.Tracks); got != want {
		t.Errorf("c asks for a table of %d runs, want %d", got, want)
	}
	if n := r.Notice.Text; !strings.HasPrefix(n, "Copied ") || !strings.HasSuffix(n, " rows") {
		t.Errorf("y: the footer says %q, want Copied so many rows", n)
	}
	r.Press("R", "y")
	if n := r.Notice.Text; strings.HasPrefix(n, "Copied ") {
		t.Errorf("y in a replay: the footer says %q", n)
	}
}

// TestResumeOfProgram: resuming a run that has ended starts its program anew, and so asks if the
// user has not started that program before. A paused run still has its program.
func TestResumeOfProgram(t *testing.T) {
	r := watching(t, 120, 40)
	run, path := r.watch.Runs.Run(), filepath.Join(t.TempDir(), "train.py")
	if err := os.WriteFile(path, []byte("text"), 0o600); err != nil {
		t.Fatal(err)
	}
	r.Config.Programs = bridge.Approvals(t.TempDir())
	run.Meta.Spec.Model, r.Mine[run.ID] = "program:"+path, true
	run.Status = runner.Paused
	if r.Press("r"); len(r.asked.List) != 1 {
		t.Fatalf("r on a paused run asks for %v, want one resume", r.asked.List)
	}
	run.Status = runner.Stopped
	r.Press("r")
	if len(r.asked.List) != 1 {
		t.Fatalf("r on a stopped run asks for %v before the question", r.asked.List)
	}
	if r.Overlay == nil {
		t.Fatal("r on a stopped run asks nothing about its program")
	}
	r.Press("y")
	if _, err := r.Config.Programs.Check(path); err != nil {
		t.Errorf("after yes the program is not approved: %v", err)
	}
	if len(r.asked.List) != 2 {
		t.Errorf("after yes asked is %v, want a second resume", r.asked.List)
	}
}

// TestInterrupted: a run whose process died is shown as interrupted, although only the lock of its
// directory says so.
func TestInterrupted(t *testing.T) {
	store, err := record.Open(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	m := tuitest.Meta(dro.SFK, tuitest.Epoch0())
	rec, err := store.Create(m, nil)
	if err != nil {
		t.Fatal(err)
	}
	if err := rec.Append(&runner.StatusEvent{Status: runner.Running}); err != nil {
		t.Fatal(err)
	}
	s := &tuitest.Script{Folder: lab.Folder(store.Dir()), Now: tuitest.Epoch0()}
	r := newDriver(t, s, 80, 24)
	r.Source = s.Folder
	r.Press("2")
	r.Wait(5*time.Second, time.Second)
	if st := r.watch.Runs.Run().Status; st != runner.Running {
		t.Fatalf("status %s, want running", st)
	}
	rec.Close()
	r.Wait(5*time.Second, time.Second)
	if st := r.watch.Runs.Run().Status; st != runner.Interrupted {
		t.Errorf("status %s after the process died, want interrupted", st)
	}
}

// TestSmoothing: a smoother gives the same curve whether points are pushed one by one or the whole
// curve is filtered anew.
func TestSmoothing(t *testing.T) {
	r := watching(t, 120, 40)
	for range 4 { // the number of smoothers
		smooth := func() (values []float64) {
			for _, tr := range r.watch.Runs.Tracks {
				if s := tr.Curves["loss"].Smooth; s != nil {
					values = append(values, s.At(s.XRange().Hi))
				}
			}
			return values
		}
		pushed, name := smooth(), r.watch.Board.SmoothBy(0)
		if filtered := smooth(); !slices.Equal(pushed, filtered) {
			t.Errorf("%s: %v pushed, %v filtered", name, pushed, filtered)
		}
		r.Press("s")
		r.Wait(time.Second, time.Second/5)
	}
}

// TestQueuedRunsSayWhenKeysWork: the reason why a key does nothing on a queued run of this program
// is that it waits, and says when it will work.
func TestQueuedRunsSayWhenKeysWork(t *testing.T) {
	w := watching(t, 120, 40).watch
	run := w.Runs.Run()
	run.Status = runner.Queued
	w.Mine[run.ID] = true
	want := run.Label + " is queued: pause works once it runs"
	if got := w.noVerb("pause", runner.Running, runner.Paused)(run); got != want {
		t.Errorf("pause says %q, want %q", got, want)
	}
	if got := w.noVerb("stop")(run); got != "" {
		t.Errorf("a queued run cannot be stopped: %q", got)
	}
}
