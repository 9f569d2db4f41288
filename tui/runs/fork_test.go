package runs

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"drolab/dro"
	"drolab/runner"
	"drolab/runner/queue"
	"drolab/runner/record"
	"drolab/runner/spec"
	"drolab/tui/internal/tuitest"
	"drolab/tui/lab"
)

// trained is a folder with a run that has checkpoints.
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
	settings.CheckpointEvery = 15
	ids, err := q.Start(runner.Request{Preset: "csv", Specs: []spec.Spec{settings}})
	if err != nil {
		t.Fatal(err)
	}
	q.Wait()
	return store, ids
}

// TestFork starts a run from the chosen checkpoint, with the settings that were
// typed, and none while these are wrong.
func TestFork(t *testing.T) {
	store, ids := trained(t)
	s := &tuitest.Starter{}
	l := tuitest.NewLab(t, lab.Folder(store.Dir()),
		lab.Config{Verbs: s, RunsDir: store.Dir()}, 120, 38)
	p := New(l)
	r := tuitest.NewRig(l, p)
	steps, err := p.current().Checkpoints()
	if err != nil || len(steps) < 2 {
		t.Fatalf("checkpoints %v, %v", steps, err)
	}
	r.Press("F", "up")
	r.Type("lr=x")
	if r.Press("enter"); len(s.Requests) != 0 || !strings.Contains(r.View(), "! lr") {
		t.Fatalf("started %+v:\n%s", s.Requests, r.View())
	}
	r.Press("backspace")
	r.Type("0.5 epochs=9")
	r.Press("enter")
	if len(s.Requests) != 1 {
		t.Fatalf("started %+v, the notice is %q", s.Requests, r.Notice.Text)
	}
	got := s.Requests[0]
	if want := fmt.Sprintf("%s@%d", ids[0], steps[len(steps)-2]); got.Parent != want ||
		got.Specs[0].LR != 0.5 || got.Specs[0].Epochs != 9 {
		t.Errorf("asked for %+v, want from %s", got, want)
	}
	// A fork of a program asks, where the user has not started it.
	trust := &tuitest.Trust{Sums: map[string]string{"/train.py": "0123abcd"}}
	l.Config.Programs = trust
	r.Press("F")
	r.Type("model=program:/train.py")
	r.Press("enter")
	if len(s.Requests) != 1 || r.Overlay == nil {
		t.Fatalf("started %+v", s.Requests)
	}
	if r.Press("y"); len(s.Requests) != 2 || len(trust.Approved) != 1 {
		t.Errorf("started %+v, approved %v", s.Requests, trust.Approved)
	}
}
