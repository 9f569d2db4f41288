package queue

import (
	"context"
	"fmt"
	"slices"
	"testing"

	"drolab/dro"
	"drolab/runner"
	"drolab/runner/spec"
)

// heldOut returns a spec on a table with a validation split.
func heldOut() spec.Spec {
	s := brief(dro.SFK)
	s.ValFraction = .2
	return s
}

// begun returns a run on a table with a validation split that has stopped after its first epoch.
func begun(t *testing.T, fittedTo string) (*memory, string) {
	t.Helper()
	return begunAs(t, fittedTo, func(*spec.Spec) {})
}

func begunAs(t *testing.T, fittedTo string, change func(*spec.Spec)) (*memory, string) {
	t.Helper()
	s := heldOut()
	change(&s)
	store := newMemory()
	q := NewQueue(context.Background(), Settings{Store: store, Threads: 1})
	ids, err := q.Start(runner.Request{Preset: "test", Specs: []spec.Spec{s},
		Means: runner.Means{Until: 1}})
	if err != nil {
		t.Fatal(err)
	}
	q.Wait()
	tr := store.runs[ids[0]]
	tr.meta.FittedTo = fittedTo
	if fittedTo == "" { // as an earlier program left it, with nothing done
		tr.states, tr.events = nil, nil
	}
	return store, ids[0]
}

// finish resumes a run and waits for its end.
func finish(t *testing.T, store *memory, id string) *trace {
	t.Helper()
	q := NewQueue(context.Background(), Settings{Store: store, Threads: 1})
	if err := q.Resume(id); err != nil {
		t.Fatal(err)
	}
	q.Wait()
	return store.runs[id]
}

// A run whose data have held-out samples fits the scales to the others, records that, and keeps it
// when resumed. A run of an earlier program, which records nothing, goes on with the scales that it
// began with.
func TestRunsKeepTheirScales(t *testing.T) {
	straight := runAll(t, 1, heldOut())[0]
	if straight.meta.FittedTo != runner.FittedToTrain {
		t.Errorf("a new run is fitted to %q", straight.meta.FittedTo)
	}
	whole := straight.lines(t, measured)
	t.Run("resumed", func(t *testing.T) {
		store, id := begun(t, runner.FittedToTrain)
		if got := finish(t, store, id).lines(t, measured); !slices.Equal(got, whole) {
			t.Errorf("another log of %d lines, want %d", len(got), len(whole))
		}
	})
	t.Run("of a program before", func(t *testing.T) {
		store, id := begun(t, "")
		before := finish(t, store, id)
		if slices.Equal(before.lines(t, measured), whole) {
			t.Error("the scales are new ones")
		}
		// Fitted to all of its training samples, in the table of the example, the columns have the
		// scales of a run without a hold-out.
		d, err := before.meta.OpenFor("", "")
		if err != nil {
			t.Fatal(err)
		}
		defer d.Close()
		none := runAll(t, 1, brief(dro.SFK))[0]
		for i, c := range none.meta.Encoder.Columns {
			if d.Encoder.Columns[i].Mean != c.Mean || d.Encoder.Columns[i].Std != c.Std {
				t.Errorf("column %s is scaled by %v and %v, was by %v and %v", c.Name,
					d.Encoder.Columns[i].Mean,
					d.Encoder.Columns[i].Std, c.Mean, c.Std)
			}
		}
	})
	t.Run("forked", func(t *testing.T) {
		for _, fittedTo := range []string{"", runner.FittedToTrain} {
			store, id := begun(t, runner.FittedToTrain)
			parent := store.runs[id]
			parent.meta.FittedTo = fittedTo
			step := parent.states[len(parent.states)-1].Step
			q := NewQueue(context.Background(), Settings{Store: store, Threads: 1})
			ids, err := q.Start(runner.Request{Parent: fmt.Sprintf("%s@%d", id, step),
				Specs: []spec.Spec{heldOut()}})
			if err != nil {
				t.Fatal(err)
			}
			q.Wait()
			if got := store.runs[ids[0]].meta.FittedTo; got != fittedTo {
				t.Errorf("a fork of a run fitted to %q is fitted to %q", fittedTo, got)
			}
		}
	})
	t.Run("nothing held out", func(t *testing.T) {
		if got := runAll(t, 1, brief(dro.ERM))[0].meta.FittedTo; got != "" {
			t.Errorf("run.json says %q", got)
		}
	})
}
