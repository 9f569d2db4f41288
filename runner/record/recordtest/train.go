// Package recordtest gives tests of other packages runs: trained ones, and ones whose results the
// test chooses. It also has a Main in which they spend less time on garbage collection.
//
// # Files
//
//	train.go   a trained run for a test; Main, which collects garbage less often
//	folder.go  a folder of runs with results that the test chooses
//	many.go    a folder of many runs, to measure listings
//	seal.go    files sealed again after a test has changed them, as a forger would
package recordtest

import (
	"context"
	"os"
	"runtime/debug"
	"testing"

	_ "drolab/dro/memtest"
	"drolab/runner"
	"drolab/runner/queue"
	"drolab/runner/record"
	"drolab/runner/record/recordtest/eventtest"
	"drolab/runner/spec"
)

// Train trains a run of s to its end, in a temporary folder of the test. Data that the program does
// not contain are read from the folder DROLAB_DATA.
func Train(t testing.TB, s spec.Spec) *record.Run {
	t.Helper()
	store, err := record.Open(t.TempDir())
	eventtest.Must(t, err)
	q := queue.NewQueue(context.Background(), queue.Settings{Store: store, Threads: 2,
		DataDir: os.Getenv("DROLAB_DATA")})
	ids, err := q.Start(runner.Request{Preset: "test", Specs: []spec.Spec{s}})
	eventtest.Must(t, err)
	for _, o := range q.Wait() {
		eventtest.Must(t, o.Err)
	}
	r, err := record.Find(store.Dir(), ids[0])
	eventtest.Must(t, err)
	return r
}

// Main runs a package's tests with a less frequent garbage collector. With the few megabytes that
// tests hold, collection takes a third of their time.
func Main(m *testing.M) {
	debug.SetGCPercent(400)
	os.Exit(m.Run())
}
