package queue

import (
	"context"
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

// A run whose data have held-out samples fits the scales to the others, and keeps them when it is
// resumed.
func TestRunsKeepTheirScales(t *testing.T) {
	whole := runAll(t, 1, heldOut())[0].lines(t, measured)
	store := newMemoryStore()
	q := NewQueue(context.Background(), Settings{Store: store, Threads: 1})
	ids, err := q.Start(runner.Request{Preset: "test", Specs: []spec.Spec{heldOut()},
		Means: runner.Means{Until: 1}})
	if err != nil {
		t.Fatal(err)
	}
	q.Wait()
	q = NewQueue(context.Background(), Settings{Store: store, Threads: 1})
	if err := q.Resume(ids[0]); err != nil {
		t.Fatal(err)
	}
	q.Wait()
	if got := store.runs[ids[0]].lines(t, measured); !slices.Equal(got, whole) {
		t.Errorf("another log of %d lines, want %d", len(got), len(whole))
	}
}
