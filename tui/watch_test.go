package tui

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"drolab/dro"
	"drolab/runner"
	"drolab/runner/record"
)

func TestVerbs(t *testing.T) {
	for _, c := range []struct {
		name   string
		status runner.Status
		mine   bool
		keys   []string
		want   []string // what is asked
		says   string   // what the footer says
	}{
		{"pause", runner.Running, true, []string{"p"}, []string{"pause"}, "asked to pause: shapes-"},
		{"go on", runner.Paused, true, []string{"p"}, []string{"resume"}, "asked to resume: shapes-"},
		{"resume paused", runner.Paused, true, []string{"r"}, []string{"resume"}, "asked to resume: shapes-"},
		{"checkpoint", runner.Running, true, []string{"c"}, []string{"checkpoint"}, "asked to save a checkpoint: shapes-"},
		{"stop", runner.Running, true, []string{"x", "y"}, []string{"stop"}, "asked to stop: shapes-"},
		{"stop, then not", runner.Running, true, []string{"x", "esc"}, nil, ""},
		{"resume stopped", runner.Stopped, false, []string{"r"}, []string{"resume"}, "asked to resume: shapes-"},
		{"resume interrupted", runner.Interrupted, false, []string{"r"}, []string{"resume"}, "asked to resume: shapes-"},
		{"pause of another process", runner.Running, false, []string{"p"}, nil, "runs in another process"},
		{"stop of another process", runner.Running, false, []string{"x", "y"}, nil, ""},
		{"pause queued", runner.Queued, true, []string{"p"}, nil, "sfk s1 is queued"},
		{"pause done", runner.Done, true, []string{"p"}, nil, "sfk s1 is done: nothing to pause"},
		{"resume done", runner.Done, true, []string{"r"}, nil, "sfk s1 is done: nothing to resume"},
		{"resume running", runner.Running, true, []string{"r"}, nil, "sfk s1 is running: nothing to resume"},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := watching(t, 120, 40)
			run := r.Model.watch.run()
			run.Status = c.status
			r.mine[run.id] = c.mine
			r.press(c.keys...)
			if !slices.Equal(r.asked.list, c.want) {
				t.Errorf("asked %v, want %v", r.asked.list, c.want)
			}
			if !strings.Contains(r.footer(), c.says) {
				t.Errorf("the footer says %q, want %q in it", r.footer(), c.says)
			}
		})
	}
}

// TestVerbsOfAnotherProcess is the interface beside a process for all runs.
func TestVerbsOfAnotherProcess(t *testing.T) {
	r := watching(t, 120, 40)
	r.cfg.RunsGoOn = true
	r.press("p", "x", "y", "3", "p")
	if want := []string{"pause", "stop", "pause"}; !slices.Equal(r.asked.list, want) {
		t.Errorf("asked %v, want %v", r.asked.list, want)
	}
}

// TestPace looks at the files less and less often when nothing happens.
func TestPace(t *testing.T) {
	r := watching(t, 80, 24)
	r.wait(30*time.Second, time.Second/5) // to the end of the runs
	for _, c := range []struct {
		later, want time.Duration
	}{{0, readSeldom}, {boredom + time.Second, readRarely}} {
		r.send(tickMsg(r.script.now.Add(c.later)))
		if got := r.pace(); got != c.want {
			t.Errorf("%v later: %v, want %v", c.later, got, c.want)
		}
	}
	if r.press("?"); r.pace() != readEvery {
		t.Errorf("after a key: %v, want %v", r.pace(), readEvery)
	}
}

func TestLeave(t *testing.T) {
	r := watching(t, 80, 24)
	r.press("q")
	if !r.quit {
		t.Error("q does not leave, though no run is of this program")
	}
	r.quit = false
	for id := range r.script.logs {
		r.mine[id] = true
	}
	r.press("q")
	if r.quit || r.overlay == nil {
		t.Fatal("q leaves without asking, though runs of this program go on")
	}
	// The end of a run's name is drawn by lot.
	golden(t, "leave", regexp.MustCompile(`(-s1-[-0-9]+-)[a-z0-9]{4}`).ReplaceAllString(text(r.shot(t)), "${1}abcd"))
	r.press("q", "n", "esc")
	if r.quit || r.overlay != nil {
		t.Fatal("Esc does not stay")
	}
	r.press("ctrl+c", "ctrl+c")
	if !r.quit {
		t.Error("two ctrl+c do not leave")
	}
}

// TestStarted is what Launch's request leads to.
func TestStarted(t *testing.T) {
	s := fixture(t)
	r := newRig(t, s, 80, 24)
	var ids []string
	for id := range s.logs {
		ids = append(ids, id)
	}
	r.send(startMsg{ids: ids[:2]})
	if r.at != watchPage || len(r.Model.watch.tracks) != 2 || !r.mine[ids[0]] || !r.mine[ids[1]] {
		t.Errorf("page %d with %d runs", r.at, len(r.Model.watch.tracks))
	}
	r.send(startMsg{err: fmt.Errorf("rho: 0: want\x1b[31m a number")})
	if f := r.footer(); !strings.Contains(f, "rho: 0: want[31m a number") {
		t.Errorf("the footer says %q", f)
	}
}

func TestMany(t *testing.T) {
	s := fixture(t)
	store, err := record.Open(string(s.folder))
	if err != nil {
		t.Fatal(err)
	}
	for i := range 9 {
		m := fixtureMeta(dro.PGD, epoch0())
		m.Spec.Seed = uint64(i + 2)
		rec, err := store.Create(m, nil)
		if err != nil {
			t.Fatal(err)
		}
		rec.Close()
	}
	var ids []string
	runs, _ := s.List()
	for _, run := range runs {
		ids = append(ids, run.Meta.ID)
	}
	r := newRig(t, s, 80, 24)
	r.send(watchMsg{ids})
	if n := len(r.Model.watch.tracks); n != maxWatched {
		t.Errorf("%d runs are watched, want %d", n, maxWatched)
	}
	if f := r.footer(); !strings.Contains(f, "13 runs: the first 8 are watched") {
		t.Errorf("the footer says %q", f)
	}
	// Every run can be reached, and is seen when it is.
	for range maxWatched {
		label := r.Model.watch.run().label
		if !strings.Contains(text(r.shot(t)), label) {
			t.Errorf("%s is under the cursor and not on the screen", label)
		}
		r.press("down")
	}
}

// TestInterrupted is a run whose process died: only the directory's lock says so.
func TestInterrupted(t *testing.T) {
	store, err := record.Open(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	m := fixtureMeta(dro.SFK, epoch0())
	rec, err := store.Create(m, nil)
	if err != nil {
		t.Fatal(err)
	}
	if err := rec.Append(&runner.StatusEvent{Status: runner.Running}); err != nil {
		t.Fatal(err)
	}
	s := &script{folder: folder(store.Dir()), now: epoch0()}
	r := newRig(t, s, 80, 24)
	r.Model.source = s.folder
	r.press("2")
	r.wait(5*time.Second, time.Second)
	if st := r.Model.watch.run().Status; st != runner.Running {
		t.Fatalf("status %s, want running", st)
	}
	rec.Close()
	r.wait(5*time.Second, time.Second)
	if st := r.Model.watch.run().Status; st != runner.Interrupted {
		t.Errorf("status %s after the process died, want interrupted", st)
	}
}

// TestResume goes on from a checkpoint: what was after it is done again.
func TestResume(t *testing.T) {
	tr := newTrack(opened{run: &record.Run{Meta: *fixtureMeta(dro.SFK, epoch0())}})
	tr.smoothWith(smoothings()[0].make)
	at := func(step int, seconds float64) runner.Head {
		return runner.Head{Step: int64(step), Time: epoch0().Add(time.Duration(seconds * float64(time.Second)))}
	}
	step := func(step int, seconds, loss float64) *runner.StepEvent {
		e := &runner.StepEvent{Head: at(step, seconds)}
		e.Loss = runner.Num(loss)
		e.Min, e.Max = e.Measures, e.Measures
		return e
	}
	tr.add([]runner.Event{
		&runner.StatusEvent{Head: at(0, 0), Status: runner.Running},
		step(10, 1, 2), step(20, 2, 1.5), step(30, 3, 1),
		&runner.ResumeEvent{Head: at(20, 3600)}, // an hour later
		&runner.StatusEvent{Head: at(20, 3601), Status: runner.Running},
		step(30, 3602, 0.9),
	})
	if x, y, _ := tr.series[stepLoss].Last(); x != 30 || y != 0.9 || tr.series[stepLoss].Len() != 3 {
		t.Errorf("the loss ends at (%g, %g) with %d points, want (30, 0.9) with 3", x, y, tr.series[stepLoss].Len())
	}
	if tr.Step != 30 || tr.Status != runner.Running || len(tr.markers) != 1 || tr.markers[0].X != 20 {
		t.Errorf("step %d, %s, markers %v", tr.Step, tr.Status, tr.markers)
	}
	// 2 s to step 20, 1 s more to step 30; the hour between does not count.
	if tr.Seconds != 3 || tr.elapsed.At(20) != 2 {
		t.Errorf("%g s of training, %g at step 20; want 3 and 2", tr.Seconds, tr.elapsed.At(20))
	}
	left, ok := tr.Remaining()
	if want := time.Duration(float64(fixSteps*fixEpochs-30) / 10 * float64(time.Second)); !ok || left != want {
		t.Errorf("%v left, want %v", left, want)
	}
}

// TestCheckpointNotes keeps the log pane readable.
func TestCheckpointNotes(t *testing.T) {
	tr := newTrack(opened{run: &record.Run{Meta: *fixtureMeta(dro.ERM, epoch0())}})
	saved := func(step int64) runner.Event {
		return &runner.CheckpointEvent{Head: runner.Head{Step: step}, File: "step"}
	}
	tr.add([]runner.Event{saved(1), saved(2), &runner.WarningEvent{Message: "odd"}, saved(3), saved(4)})
	var steps []int64
	for _, n := range tr.notes {
		steps = append(steps, n.step)
	}
	if want := []int64{2, 0, 4}; !slices.Equal(steps, want) {
		t.Errorf("notes of steps %v, want %v", steps, want)
	}
}

// TestSmoothing checks that pushing points one by one and filtering anew agree.
func TestSmoothing(t *testing.T) {
	r := watching(t, 120, 40)
	for range smoothings() {
		for _, tr := range r.Model.watch.tracks {
			if tr.smooth[stepLoss] == nil {
				continue
			}
			_, before, _ := tr.smooth[stepLoss].Last()
			tr.smoothWith(smoothings()[r.Model.watch.smooth].make)
			if _, after, _ := tr.smooth[stepLoss].Last(); before != after {
				t.Errorf("%s: %g pushed, %g filtered", smoothings()[r.Model.watch.smooth].name, before, after)
			}
		}
		r.press("s")
		r.wait(time.Second, time.Second/5)
	}
}

// TestMouse clicks a tab, a row and a panel.
func TestMouse(t *testing.T) {
	r := watching(t, 120, 40)
	l := r.Model.watch.layout()
	r.send(click(5, l.runs.y+1+3)) // header, heads, then the third run
	if r.Model.watch.at != 2 {
		t.Errorf("run %d is under the cursor, want the third", r.Model.watch.at)
	}
	p := l.panels[3]
	r.send(click(p.x+2, p.y+3))
	if r.Model.watch.focus != weightPanel || r.Model.watch.zoomed {
		t.Errorf("panel %v, zoomed %v", r.Model.watch.focus, r.Model.watch.zoomed)
	}
	r.send(click(p.x+2, p.y+3))
	if !r.Model.watch.zoomed {
		t.Error("a click on the panel that has the focus does not zoom it")
	}
	for _, tab := range r.tabs() {
		r.send(click(tab.x+1, 0))
		if got := r.pages[r.at].title(); !strings.Contains(tab.text, got) {
			t.Errorf("a click on %q leads to %s", tab.text, got)
		}
	}
}
