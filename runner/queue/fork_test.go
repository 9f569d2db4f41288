package queue

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"drolab/dro"
	"drolab/runner"
	"drolab/runner/spec"
)

// parentRun returns a finished run with a checkpoint every 4 steps, and its store.
func parentRun(t *testing.T, a dro.Algorithm) (*memoryStore, *trace) {
	t.Helper()
	settings := brief(a)
	settings.CheckpointEvery = 4
	store := newMemoryStore()
	return store, stored(t, store, settings)
}

// stored returns a finished run of a store.
func stored(t *testing.T, store *memoryStore, s spec.Spec) *trace {
	t.Helper()
	q := NewQueue(context.Background(), Settings{Store: store})
	ids, err := q.Start(runner.Request{Specs: []spec.Spec{s}})
	if err != nil {
		t.Fatal(err)
	}
	q.Wait()
	return store.runs[ids[0]]
}

// forkAt runs a fork of the parent at a step to its end.
func forkAt(t *testing.T, store *memoryStore, parent *trace, step int64,
	change func(*spec.Spec)) (*trace, error) {
	t.Helper()
	past, err := store.Load(parent.meta.ID, step)
	if err != nil {
		t.Fatal(err)
	}
	settings, err := past.Fork()
	if err != nil {
		t.Fatal(err)
	}
	change(&settings)
	q := NewQueue(context.Background(), Settings{Store: store})
	ids, err := q.Start(runner.Request{Parent: fmt.Sprintf("%s@%d", parent.meta.ID, step),
		Specs: []spec.Spec{settings}})
	if err != nil {
		return nil, err
	}
	if o := q.Wait(); o[0].Status != runner.Done {
		t.Fatalf("outcome %+v, want done", o[0])
	}
	return store.runs[ids[0]], nil
}

func TestForkWithoutAChangeIsTheParent(t *testing.T) {
	for _, a := range methods() {
		store, parent := parentRun(t, a)
		fork, err := forkAt(t, store, parent, 8, func(*spec.Spec) {})
		if err != nil {
			t.Fatal(err)
		}
		after := func(e runner.Event) bool { return measured(e) && e.Header().Step > 8 }
		if !slices.Equal(fork.lines(t, measured), parent.lines(t, after)) {
			t.Errorf("%s: the fork differs from its parent behind step 8", a)
		}
		if got, want := fork.meta.Parent, parent.meta.ID+"@8"; got != want {
			t.Errorf("%s: the parent is %q, want %q", a, got, want)
		}
		if got := fork.states[0].Step; got != 8 {
			t.Errorf("%s: the first checkpoint is of step %d, want 8", a, got)
		}
	}
}

// A fork has no checkpoint of the step that its parent selected, so it selects anew.
func TestForkSelectsAnew(t *testing.T) {
	settings := choosing(dro.ERM, "val_loss")
	settings.CheckpointEvery = 10
	store := newMemoryStore()
	q := NewQueue(context.Background(), Settings{Store: store})
	ids, err := q.Start(runner.Request{Specs: []spec.Spec{settings}})
	if err != nil {
		t.Fatal(err)
	}
	q.Wait()
	parent := store.runs[ids[0]]
	from := parent.states[1]
	if from.Selected == nil {
		t.Fatal("the parent has selected nothing")
	}
	fork, err := forkAt(t, store, parent, from.Step, func(*spec.Spec) {})
	if err != nil {
		t.Fatal(err)
	}
	if !evals(fork)[0].Selected {
		t.Error("the first evaluation of the fork is not selected")
	}
	if got := fork.states[0].Selected; got != nil {
		t.Errorf("the fork begins with the selected step %d, want none", got.Step)
	}
	if from.Selected == nil {
		t.Error("the fork has changed the parent's checkpoint, which has no selected step now")
	}
	if got := fork.summary.Selected.Step; got <= from.Step {
		t.Errorf("in the end step %d is selected, want one after the fork's first, %d", got,
			from.Step)
	}
}

func TestForkMayChange(t *testing.T) {
	store, parent := parentRun(t, dro.PGD)
	for name, change := range map[string]func(*spec.Spec){
		"lr":     func(s *spec.Spec) { s.LR /= 10 },
		"rho":    func(s *spec.Spec) { s.Rho = 0.1; s.LambdaMax = dro.Fixed(10) },
		"to sfk": func(s *spec.Spec) { s.Algorithms = []dro.Algorithm{dro.SFK} },
		"to erm": func(s *spec.Spec) { s.Algorithms = []dro.Algorithm{dro.ERM} },
		"to pan": func(s *spec.Spec) { s.Algorithms = []dro.Algorithm{dro.PAN} },
		"epochs": func(s *spec.Spec) { s.Epochs = 3 },
		"z":      func(s *spec.Spec) { s.Lambda, s.Eta = 2, 1 },
	} {
		fork, err := forkAt(t, store, parent, 8, change)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		s := fork.summary
		if s.Steps != fork.meta.Steps {
			t.Errorf("%s: the fork took %d steps, want %d", name, s.Steps, fork.meta.Steps)
		}
		if got, want := s.PaperIterate != nil, s.Algorithm == dro.SFK; got != want {
			t.Errorf("%s: an output by the method's rule: %v, want %v", name, got, want)
		}
	}
}

func TestForkRefuses(t *testing.T) {
	store, parent := parentRun(t, dro.SFK)
	for want, change := range map[string]func(*spec.Spec){
		"batch:":       func(s *spec.Spec) { s.Batch = 16 },
		"precision:":   func(s *spec.Spec) { s.Precision = "bf16" },
		"seed:":        func(s *spec.Spec) { s.Seed = 5 },
		"model:":       func(s *spec.Spec) { s.Model = "mlp" },
		"samples:":     func(s *spec.Spec) { s.Samples = 200 },
		"epochs:":      func(s *spec.Spec) { s.Epochs = 1 },
		"coordinates:": func(s *spec.Spec) { s.Coordinates = "unshifted"; s.Eta = 1 },
		"lambda:":      func(s *spec.Spec) { s.Lambda = 1e9 },
	} {
		step := int64(8)
		if want == "epochs:" {
			step = parent.meta.Steps
		}
		runs := len(store.runs)
		_, err := forkAt(t, store, parent, step, change)
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("the fork's error is %v, want one with %q", err, want)
		}
		if n := len(store.runs) - runs; n != 0 {
			t.Errorf("the fork that is refused for %q leaves %d runs, want none", want, n)
		}
	}
	q := NewQueue(context.Background(), Settings{Store: store})
	for _, parent := range []string{"nothing", "@5", parent.meta.ID + "@", parent.meta.ID + "@-1",
		parent.meta.ID + "@7"} {
		if _, err := q.Start(runner.Request{Parent: parent,
			Specs: []spec.Spec{brief(dro.SFK)}}); err == nil {
			t.Errorf("a fork of %q was accepted", parent)
		}
	}
}

func TestForkHasTheKnobsOfItsParent(t *testing.T) {
	spec := brief(dro.SFK)
	spec.CheckpointEvery = 4
	_, store, id := turnedAt(t, spec, 9, [2]string{"lr", "0.002"}, [2]string{"c", "70"})
	for step, turned := range map[int64]bool{8: false, 12: true} {
		past, err := store.Load(id, step)
		if err != nil {
			t.Fatal(err)
		}
		s, err := past.Fork()
		if err != nil {
			t.Fatalf("Fork() from step %d: %v", step, err)
		}
		if got := s.LR == 0.002; got != turned {
			t.Errorf("from step %d: lr is %v; is it the turned one: %v, want %v", step, s.LR, got,
				turned)
		}
		if got := s.Text("c") == "70"; got != turned {
			t.Errorf("from step %d: c is %s; is it the turned one: %v, want %v", step, s.Text("c"),
				got, turned)
		}
		z := past.From.Method.Numbers
		if s.Lambda != z["lambda"] {
			t.Errorf("from step %d: λ starts at %v, want the checkpoint's %v", step, s.Lambda,
				z["lambda"])
		}
		if s.Eta != z["eta"] {
			t.Errorf("from step %d: η starts at %v, want the checkpoint's %v", step, s.Eta,
				z["eta"])
		}
	}
}

func TestForkPinsItsCheckpoint(t *testing.T) {
	store, parent := parentRun(t, dro.ERM)
	store.unpinnable = 4
	for _, step := range []int64{8, 4} {
		fork, err := forkAt(t, store, parent, step, func(*spec.Spec) {})
		if err != nil {
			t.Fatal(err)
		}
		warned := slices.ContainsFunc(fork.events, func(e runner.Event) bool {
			w, ok := e.(*runner.WarningEvent)
			return ok && strings.Contains(w.Message, "parent may lose the checkpoint") &&
				strings.Contains(w.Message, "read-only")
		})
		if warned != (step == 4) {
			t.Errorf("from step %d: a warning about the parent's checkpoint: %v, want %v", step,
				warned, !warned)
		}
	}
	if want := []string{parent.meta.ID + "@8"}; !slices.Equal(store.pins, want) {
		t.Errorf("the pinned checkpoints are %v, want %v", store.pins, want)
	}
}

// TestForkHoldsItsCheckpoint: a parent that saves newer checkpoints while the fork is prepared does
// not remove the one of the fork before it is pinned. A start that is over or refused holds none.
func TestForkHoldsItsCheckpoint(t *testing.T) {
	store, parent := parentRun(t, dro.ERM)
	store.prunes = true
	fork, err := forkAt(t, store, parent, 8, func(*spec.Spec) {})
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range fork.events {
		if w, ok := e.(*runner.WarningEvent); ok && strings.Contains(w.Message, "checkpoint") {
			t.Errorf("the fork warns %q, want no warning of a checkpoint", w.Message)
		}
	}
	if want := []string{parent.meta.ID + "@8"}; !slices.Equal(store.pins, want) {
		t.Errorf("the pinned checkpoints are %v, want %v", store.pins, want)
	}
	q := NewQueue(context.Background(), Settings{Store: store})
	for _, step := range []string{"7", "8"} { // the former is not there, nor are the data
		of := brief(dro.ERM)
		of.Dataset = "csv:" + filepath.Join(t.TempDir(), "none.csv")
		_, err := q.Start(runner.Request{Parent: parent.meta.ID + "@" + step,
			Specs: []spec.Spec{of}})
		if err == nil {
			t.Errorf("from step %s: the fork was accepted, want an error", step)
		}
	}
	if store.held != 0 {
		t.Errorf("after the starts %d hold the checkpoints, want 0", store.held)
	}
}
