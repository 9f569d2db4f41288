package runs

import (
	"testing"
	"time"

	"drolab/dro"
	"drolab/runner"
	"drolab/runner/record"
	"drolab/tui/internal/tuitest"
	"drolab/tui/lab"
)

// TestListFollowsRuns: within a second, a run that ends is listed as ended, and a new run of
// another process is listed, even in a folder in which no run is live.
func TestListFollowsRuns(t *testing.T) {
	store, err := record.Open(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	begin := func(id string) runner.Recorder {
		m := tuitest.Archived(dro.SFK, 1, "live", tuitest.Epoch0())
		m.ID = id
		r, err := store.Create(m, nil)
		if err == nil {
			err = r.Append(&runner.StatusEvent{Status: runner.Running})
		}
		if err != nil {
			t.Fatal(err)
		}
		return r
	}
	end := func(r runner.Recorder) {
		if err := r.Append(&runner.StatusEvent{Status: runner.Stopped}); err != nil {
			t.Fatal(err)
		}
		if err := r.Close(); err != nil {
			t.Fatal(err)
		}
	}
	first := begin("first")
	l := tuitest.NewLab(t, lab.OpenCatalogued(store.Dir(), t.TempDir(), false),
		lab.Config{Verbs: &tuitest.Asked{}, RunsDir: store.Dir()}, 120, 38)
	p := New(l)
	r := tuitest.NewDriver(l, p)
	seen := func(what string, want ...runner.Status) {
		t.Helper()
		r.Wait(time.Second, time.Second/5)
		ok := len(p.all) == len(want)
		for i := range want {
			ok = ok && p.all[i].Status() == want[i]
		}
		if !ok {
			t.Errorf("%s: %d runs listed, want %v", what, len(p.all), want)
		}
	}
	seen("a run goes on", runner.Running)
	end(first)
	seen("it has ended", runner.Stopped)
	second := begin("second")
	seen("another one in a quiet folder", runner.Stopped, runner.Running)
	end(second)
	seen("it has ended", runner.Stopped, runner.Stopped)
}
