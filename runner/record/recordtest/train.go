// Package recordtest gives tests of other packages runs that were trained, and room to run in.
package recordtest

import (
	"context"
	"os"
	"testing"

	"drolab/runner"
	"drolab/runner/queue"
	"drolab/runner/record"
	"drolab/runner/spec"
)

// Train trains a run of s to its end, in a folder of the test's own. Data that are no part of the
// program lie in the folder DROLAB_DATA.
func Train(t testing.TB, s spec.Spec) *record.Run {
	t.Helper()
	store, err := record.Open(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	q := queue.NewQueue(context.Background(), queue.Settings{Store: store, Threads: 2,
		DataDir: os.Getenv("DROLAB_DATA")})
	ids, err := q.Start(runner.Request{Preset: "test", Specs: []spec.Spec{s}})
	if err != nil {
		t.Fatal(err)
	}
	for _, o := range q.Wait() {
		if o.Err != nil {
			t.Fatal(o.Err)
		}
	}
	r, err := record.Find(store.Dir(), ids[0])
	if err != nil {
		t.Fatal(err)
	}
	return r
}
