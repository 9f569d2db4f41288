package runs

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"drolab/dro"
	"drolab/runner"
	"drolab/runner/bridge"
	"drolab/runner/queue"
	"drolab/runner/record"
	"drolab/runner/spec"
	"drolab/tui/internal/tuitest"
	"drolab/tui/lab"
)

// trained returns a folder with a run that has checkpoints.
func trained(t *testing.T) (*record.Store, []string) {
	t.Helper()
	store, err := record.Open(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	q := queue.NewQueue(context.Background(), queue.Settings{Store: store, Threads: 1})
	settings := spec.Defaults()
	settings.Algorithms, settings.Dataset, settings.Model, settings.Batch,
		settings.Epochs = []dro.Algorithm{dro.ERM}, "csv:example",
		"linear", 32, 3
	settings.CheckpointEvery, settings.CheckpointKeep = 15, 9
	ids, err := q.Start(runner.Request{Preset: "csv", Specs: []spec.Spec{settings}})
	if err != nil {
		t.Fatal(err)
	}
	q.Wait()
	return store, ids
}

// TestFork: a fork starts a run from the chosen checkpoint with the settings that were typed, and
// starts none while these are wrong.
func TestFork(t *testing.T) {
	store, ids := trained(t)
	s := &tuitest.Starter{}
	l := tuitest.NewLab(t, lab.Folder(store.Dir()),
		lab.Config{Verbs: s, RunsDir: store.Dir()}, 120, 38)
	p := New(l)
	r := tuitest.NewDriver(l, p)
	steps, err := p.current().Checkpoints()
	if err != nil {
		t.Fatal(err)
	}
	if len(steps) < 2 {
		t.Fatalf("the checkpoints are %v, want at least two", steps)
	}
	r.Press("F")
	r.Type("x")
	r.Press("enter")
	if len(s.Requests) != 0 {
		t.Fatalf("a value that is refused starts %+v", s.Requests)
	}
	if v := r.View(); !strings.Contains(v, "! lr") {
		t.Fatalf("the form lacks ! lr:\n%s", v)
	}
	r.Press("backspace")
	r.Type("0.2")
	r.Press("right") // goes on from the typed value
	for range 100 {
		r.Press("down")
	}
	r.Type("epochs=9")
	r.Press("enter")
	if len(s.Requests) != 1 {
		t.Fatalf("started %+v, the notice is %q", s.Requests, r.Notice.Text)
	}
	got := s.Requests[0]
	if want := fmt.Sprintf("%s@%d", ids[0], steps[len(steps)-2]); got.Parent != want {
		t.Errorf("the fork is of %s, want of %s", got.Parent, want)
	}
	if lr := got.Specs[0].LR; lr != 0.5 {
		t.Errorf("the fork has lr %v, want 0.5", lr)
	}
	if epochs := got.Specs[0].Epochs; epochs != 9 {
		t.Errorf("the fork has %d epochs, want 9", epochs)
	}
	// A fork of a program asks first if the user has not started that program before.
	path := filepath.Join(t.TempDir(), "train.py")
	if err := os.WriteFile(path, []byte("text"), 0o600); err != nil {
		t.Fatal(err)
	}
	l.Config.Programs = bridge.Approvals(t.TempDir())
	r.Press("F")
	for range 100 {
		r.Press("down")
	}
	r.Type("model=program:" + path)
	r.Press("enter")
	if len(s.Requests) != 1 {
		t.Fatalf("started %+v before the question", s.Requests[1:])
	}
	if r.Overlay == nil {
		t.Fatal("no question about a new program")
	}
	r.Press("y")
	if _, err := l.Config.Programs.Check(path); err != nil {
		t.Errorf("after yes the program is not approved: %v", err)
	}
	if len(s.Requests) != 2 {
		t.Errorf("started %+v, want two forks", s.Requests)
	}
}

// TestForkValues: arrows alone move through checkpoints and values, and the form shows the old
// value and the allowed ones. The form opens at the checkpoint nearest to a step.
func TestForkValues(t *testing.T) {
	store, ids := trained(t)
	s := &tuitest.Starter{}
	l := tuitest.NewLab(t, lab.Folder(store.Dir()),
		lab.Config{Verbs: s, RunsDir: store.Dir()}, 80, 22)
	p := New(l)
	r := tuitest.NewDriver(l, p)
	run := p.current()
	steps, err := run.Checkpoints()
	if err != nil {
		t.Fatal(err)
	}
	if len(steps) < 3 {
		t.Fatalf("the checkpoints are %v, want at least three", steps)
	}
	for _, c := range []struct {
		near int64
		keys []string
		at   int
		lr   float64
	}{
		{steps[0] + 1, []string{"right"}, 0, 0.02},
		{steps[1] + 1, []string{"right", "right", "left"}, 1, 0.02},
		{0, []string{"left"}, len(steps) - 2, 0.005}, // the end leaves nothing to train
		{steps[1], []string{"up", "left", "down", "right"}, 0, 0.02},
		{steps[0], []string{"up", "right", "right", "right", "right", "left", "down", "right"},
			len(steps) - 2, 0.02},
		{steps[0], []string{"right", "backspace", "backspace", "backspace", "backspace"}, 0, 0.01},
	} {
		s.Requests = nil
		r.Send(lab.Fork{Run: run, Near: c.near})
		r.Press(c.keys...)
		view := r.View()
		for _, want := range []string{fmt.Sprintf("step %d of", steps[c.at]), "0.01 "} {
			if !strings.Contains(view, want) {
				t.Errorf("%v: the form lacks %q:\n%s", c.keys, want, view)
			}
		}
		r.Fits(t, "the form")
		r.Press("enter")
		want := fmt.Sprintf("%s@%d", ids[0], steps[c.at])
		if len(s.Requests) != 1 {
			t.Fatalf("%v near %d: asked for %+v, want one start", c.keys, c.near, s.Requests)
		}
		if got := s.Requests[0].Parent; got != want {
			t.Errorf("%v near %d: the fork is of %s, want of %s", c.keys, c.near, got, want)
		}
		if got := s.Requests[0].Specs[0].LR; got != c.lr {
			t.Errorf("%v near %d: the fork has lr %g, want %g", c.keys, c.near, got, c.lr)
		}
	}
}

// TestForkOfLiveRun: a run that trains makes checkpoints and deletes old ones while the form is
// open. The arrows then take the next one that exists.
func TestForkOfLiveRun(t *testing.T) {
	store, _ := trained(t)
	l := tuitest.NewLab(t, lab.Folder(store.Dir()),
		lab.Config{Verbs: &tuitest.Starter{}, RunsDir: store.Dir()}, 80, 22)
	p := New(l)
	r := tuitest.NewDriver(l, p)
	run := p.current()
	steps, err := run.Checkpoints()
	if err != nil {
		t.Fatal(err)
	}
	if len(steps) < 3 {
		t.Fatalf("the checkpoints are %v, want at least three", steps)
	}
	file := func(step int64) string {
		return filepath.Join(run.Dir, "checkpoints", fmt.Sprintf("step-%010d.json", step))
	}
	hidden := filepath.Join(t.TempDir(), "hidden")
	move := func(from, to string) {
		if err := os.Rename(from, to); err != nil {
			t.Fatal(err)
		}
	}
	last := file(steps[2])
	move(last, hidden) // not made yet
	r.Send(lab.Fork{Run: run, Near: steps[1]})
	r.Press("up")
	at := func(press string, want int64) {
		t.Helper()
		r.Press(press)
		if v := r.View(); !strings.Contains(v, fmt.Sprintf("step %d of", want)) {
			t.Errorf("after %s the form lacks step %d, the notice is %q:\n%s", press, want,
				r.Notice.Text, v)
		}
	}
	move(hidden, last)
	at("right", steps[2])
	if err := os.Remove(file(steps[1])); err != nil {
		t.Fatal(err)
	}
	at("left", steps[0])
}
