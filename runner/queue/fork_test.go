package queue

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"drolab/dro"
	"drolab/runner"
	"drolab/runner/spec"
)

// parentRun returns a finished run with a checkpoint every 4 steps, and its store.
func parentRun(t *testing.T, a dro.Algorithm) (*memory, *trace) {
	t.Helper()
	settings := brief(a)
	settings.CheckpointEvery = 4
	store := newMemory()
	q := NewQueue(context.Background(), Settings{Store: store})
	ids, err := q.Start(runner.Request{Specs: []spec.Spec{settings}})
	if err != nil {
		t.Fatal(err)
	}
	q.Wait()
	return store, store.runs[ids[0]]
}

// forkAt runs a fork of the parent at a step to its end.
func forkAt(t *testing.T, store *memory, parent *trace, step int64,
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
	for _, a := range dro.Algorithms() {
		store, parent := parentRun(t, a)
		fork, err := forkAt(t, store, parent, 8, func(*spec.Spec) {})
		if err != nil {
			t.Fatal(err)
		}
		after := func(e runner.Event) bool { return measured(e) && e.Header().Step > 8 }
		if !slices.Equal(fork.lines(t, measured), parent.lines(t, after)) {
			t.Errorf("%s: the fork differs from its parent behind step 8", a)
		}
		if fork.meta.Parent != parent.meta.ID+"@8" || fork.states[0].Step != 8 {
			t.Errorf("%s: parent %q, first checkpoint at step %d", a, fork.meta.Parent,
				fork.states[0].Step)
		}
	}
}

// A fork has no checkpoint of the step that its parent selected, so it selects anew.
func TestForkSelectsAnew(t *testing.T) {
	settings := choosing(dro.ERM, "val_loss")
	settings.CheckpointEvery = 10
	store := newMemory()
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
	if first := evals(fork)[0]; !first.Selected || fork.states[0].Selected != nil ||
		from.Selected == nil ||
		fork.summary.Selected.Step <= from.Step {
		t.Errorf("the first evaluation is selected: %v, in the end %+v", first.Selected,
			fork.summary.Selected)
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
		if s := fork.summary; s.Steps != fork.meta.Steps ||
			(s.PaperIterate != nil) != (s.Algorithm == dro.SFK) {
			t.Errorf("%s: summary %+v", name, s)
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
		if err == nil || !strings.Contains(err.Error(), want) || len(store.runs) != runs {
			t.Errorf("error %v, want one about %s and no run", err, want)
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
		if err != nil || (s.LR == 0.002) != turned || (s.Text("c") == "70") != turned {
			t.Errorf("from step %d: lr %v, c %v, error %v", step, s.LR, s.Text("c"), err)
		}
		if z := past.From.Method.Numbers; s.Lambda != z["lambda"] || s.Eta != z["eta"] {
			t.Errorf("from step %d: z starts at %v, %v, not at the checkpoint's %v", step, s.Lambda,
				s.Eta, z)
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
			t.Errorf("from step %d: warned %v", step, warned)
		}
	}
	if want := []string{parent.meta.ID + "@8"}; !slices.Equal(store.pins, want) {
		t.Errorf("pins %v, want %v", store.pins, want)
	}
}
