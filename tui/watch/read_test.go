package watch

import (
	"errors"
	"os"
	"path/filepath"
	"testing"
	"time"

	"drolab/dro"
	"drolab/runner"
	"drolab/runner/eventlog"
	"drolab/runner/record"
	"drolab/tui/internal/tuitest"
	"drolab/tui/lab"
	"drolab/tui/watch/panel"
)

// longRuns returns a script of runs of several seeds whose logs are complete, and the number of
// events in each log.
func longRuns(t *testing.T, runs int) (s *tuitest.Script, events int) {
	t.Helper()
	store, err := record.Open(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	s = &tuitest.Script{Folder: lab.Folder(store.Dir()), Logs: map[string][]runner.Event{},
		Now: tuitest.Epoch0().Add(24 * time.Hour)}
	for i := range runs {
		m := tuitest.Meta(dro.SFK, tuitest.Epoch0())
		m.Spec.Seed = uint64(i + 1)
		r, err := store.Create(m, nil)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { r.Close() })
		s.Logs[m.ID] = tuitest.Training(dro.SFK, i, 4000, 8)
		events = len(s.Logs[m.ID])
	}
	return s, events
}

// TestWhatIsNotDrawnIsNotHeld watches a dozen long runs: no look reads more than one log at a time,
// all logs are read in the end, and the size of all that is kept of them is bounded.
func TestWhatIsNotDrawnIsNotHeld(t *testing.T) {
	const runs = 12
	s, each := longRuns(t, runs)
	r := newDriver(t, s, 120, 40)
	r.Wait(2*time.Second, time.Second)
	all := 0
	for _, m := range r.Sent {
		if m, ok := m.(readMsg); ok {
			n := 0
			for _, p := range m.parts {
				n += len(p.events)
			}
			if all += n; n >= mostRead+each {
				t.Errorf("a look brings %d events", n)
			}
		}
	}
	if all != runs*each {
		t.Errorf("%d events of %d came", all, runs*each)
	}
	for _, tr := range r.watch.Runs.Tracks {
		for name, c := range tr.Curves {
			if n := len(c.Raw.Buckets()); n > panel.Buckets(runs) {
				t.Errorf("%s of %s has %d buckets", name, tr.Label, n)
			}
		}
		if got := tr.Curves["loss"].Raw; got.Len() != each-10 {
			t.Errorf("%s: %d losses of %d", tr.Label, got.Len(), each-10)
		}
	}
}

// TestBuckets: the curves of up to as many runs as there are methods of the paper are kept as
// finely as those of one run.
func TestBuckets(t *testing.T) {
	for runs, want := range map[int]int{1: 8192, 4: 8192, 5: 4096, 12: 2048, 48: 512} {
		if got := panel.Buckets(runs); got != want {
			t.Errorf("%d runs: %d buckets, want %d", runs, got, want)
		}
	}
}

// TestDeletedRun: a run that is deleted while it is watched is no problem, and leaves the page with
// a lab.Gone. A log that cannot be read is a problem.
func TestDeletedRun(t *testing.T) {
	store, err := record.Open(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	m := tuitest.Meta(dro.ERM, tuitest.Epoch0())
	to, err := store.Create(m, nil)
	if err != nil {
		t.Fatal(err)
	}
	to.Close()
	run, err := record.Find(store.Dir(), m.ID)
	if err != nil {
		t.Fatal(err)
	}
	w := New(tuitest.NewLab(t, lab.Folder(store.Dir()), lab.Config{}, 80, 24))
	w.Runs.Tracks = []*panel.Track{panel.NewTrack(panel.RunLog{Run: run, Log: run.Tail()})}
	now := time.Now()
	look := func() string {
		now = now.Add(time.Minute)
		w.Update(w.read(now)())
		return w.logs.problem
	}
	if problem := look(); problem != "" {
		t.Errorf("the run has the problem %q, want none", problem)
	}
	logPath := filepath.Join(run.Dir, eventlog.LogName)
	if err := errors.Join(os.Remove(logPath), os.Mkdir(logPath, 0o700)); err != nil {
		t.Fatal(err)
	}
	if look() == "" {
		t.Error("a folder in the place of the log is no problem")
	}
	if err := record.Delete(store.Dir(), m.ID); err != nil {
		t.Fatal(err)
	}
	if problem := look(); problem != "" {
		t.Errorf("the deleted run has the problem %q, want none", problem)
	}
	if w.Update(lab.Gone{Runs: w.Held()}); len(w.Runs.Tracks) != 0 {
		t.Errorf("%d runs are watched, want none", len(w.Runs.Tracks))
	}
}
