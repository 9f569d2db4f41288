package queue

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"drolab/dro"
	"drolab/runner"
	"drolab/runner/measure"
	"drolab/runner/spec"
	"drolab/runner/train"
)

// endless returns a spec of a run that does not end by itself during a test.
func endless(a dro.Algorithm) spec.Spec {
	s := brief(a)
	s.Epochs = 1 << 20
	return s
}

// TestKnobIsWrittenWhenAnswered: once a caller is told that a knob is turned, the turn is in the
// log, also where the run is paused or waits for a slot.
func TestKnobIsWrittenWhenAnswered(t *testing.T) {
	store := newFullStore(0)
	store.makeRoom()
	ctx, cancel := context.WithCancel(context.Background())
	q := NewQueue(ctx, Settings{Store: store, Parallel: 1, verbTimeout: time.Hour})
	ids, err := q.Start(runner.Request{Specs: []spec.Spec{endless(dro.ERM), endless(dro.SFK)}})
	if err != nil {
		t.Fatal(err)
	}
	turned := func(when, id, value string) {
		t.Helper()
		if err := q.Knob(id, "lr", value); err != nil {
			t.Error(err)
		}
		if log := store.runs[id].knobs(); len(log) == 0 || log[len(log)-1].New.String() != value {
			t.Errorf("%s: answered, and the log has %v", when, log)
		}
	}
	turned("queued", ids[1], "0.002")
	if err := errors.Join(q.Pause(ids[0]), q.Pause(ids[1])); err != nil {
		t.Fatal(err)
	}
	<-store.paused
	<-store.paused
	turned("paused", ids[0], "0.003")
	turned("paused, queued", ids[1], "0.004")
	cancel()
	q.Wait()
	for i, id := range ids {
		if n := len(store.runs[id].knobs()); n != i+1 {
			t.Errorf("run %s has %d knobs in the end", id, n)
		}
	}
	if err := q.Knob(ids[0], "lr", "1"); !errors.Is(err, runner.ErrNotRunning) {
		t.Errorf("a knob of a run that has ended: %v", err)
	}
}

// TestKnobOfAPausedRunCounts: a knob turned in a paused run leads to the same steps as the knob
// turned while the run trains.
func TestKnobOfAPausedRunCounts(t *testing.T) {
	_, live, id := turnedAt(t, brief(dro.SFK), 6, [2]string{"lr", "0.002"})
	want := live.runs[id].lines(t, measured)
	store := &hookStore{memoryStore: newMemoryStore(), step: 6}
	q := NewQueue(context.Background(), Settings{Store: store, verbTimeout: time.Hour})
	turned := make(chan error, 1)
	store.do = func(id string) {
		if err := q.Pause(id); err != nil {
			t.Error(err)
		}
		go func() { turned <- errors.Join(q.Knob(id, "lr", "0.002"), q.Resume(id)) }()
	}
	ids, err := q.Start(runner.Request{Specs: []spec.Spec{brief(dro.SFK)}})
	if err != nil {
		t.Fatal(err)
	}
	q.Wait()
	if err := <-turned; err != nil {
		t.Fatal(err)
	}
	if got := store.runs[ids[0]].lines(t, measured); !slices.Equal(got, want) {
		t.Error("the events are not those of a run that has the knob from the same step on")
	}
}

// TestCheckpointIsWrittenWhenAnswered: once a caller is told that a run is saved at a step, the
// checkpoint of that step exists, also where the run is paused or stops. A run that has not trained
// has nothing to save, and says so at once.
func TestCheckpointIsWrittenWhenAnswered(t *testing.T) {
	store := newFullStore(0)
	store.makeRoom()
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	q := NewQueue(ctx, Settings{Store: store, Parallel: 1, verbTimeout: time.Hour})
	ids, err := q.Start(runner.Request{Specs: []spec.Spec{endless(dro.ERM), endless(dro.SFK)}})
	if err != nil {
		t.Fatal(err)
	}
	saved := func(when string) {
		t.Helper()
		step, err := q.Checkpoint(ids[0])
		if err != nil {
			t.Errorf("%s: Checkpoint() = %v", when, err)
		}
		if store.saves.Load() == 0 {
			t.Errorf("%s: no checkpoint exists when the answer is step %d", when, step)
		}
		if newest := store.newest.Load(); newest < step {
			t.Errorf("%s: the newest checkpoint is of step %d, want the answered %d or later", when,
				newest, step)
		}
	}
	if _, err = q.Checkpoint(ids[1]); !errors.Is(err, runner.ErrNothing) {
		t.Errorf("a run that waits for its turn is saved: %v", err)
	}
	for errors.Is(err, runner.ErrNothing) { // until it trains
		_, err = q.Checkpoint(ids[0])
	}
	for range 3 {
		saved("while it trains")
	}
	if err := q.Pause(ids[0]); err != nil {
		t.Fatal(err)
	}
	<-store.paused
	before := store.saves.Load()
	if saved("paused"); store.saves.Load() != before {
		t.Error("a paused run, which is saved, was saved again")
	}
	cancel()
	q.Wait()
	if _, err := q.Checkpoint(ids[0]); !errors.Is(err, runner.ErrNotRunning) {
		t.Errorf("a checkpoint of a run that has ended: %v", err)
	}
}

// TestCheckpointBesideAStop: a request for a checkpoint during a stop is answered with the
// checkpoint that the stop leaves.
func TestCheckpointBesideAStop(t *testing.T) {
	store := &hookStore{memoryStore: newMemoryStore(), step: 6}
	q := NewQueue(context.Background(), Settings{Store: store, verbTimeout: time.Hour})
	done := make(chan train.Answer, 1)
	store.do = func(id string) {
		o := train.Order{Order: runner.Order{Verb: runner.Checkpoint}, Done: done}
		ask := func(j *job) error { return j.send(o) }
		if err := errors.Join(q.Stop(id), q.withLive(id, ask)); err != nil {
			t.Error(err)
		}
	}
	ids, err := q.Start(runner.Request{Specs: []spec.Spec{brief(dro.SFK)}})
	if err != nil {
		t.Fatal(err)
	}
	q.Wait()
	states := store.runs[ids[0]].states
	if got, want := <-done, (train.Answer{Step: 6}); got != want {
		t.Errorf("the answer is %+v, want %+v", got, want)
	}
	if got := states[len(states)-1].Step; got != 6 {
		t.Errorf("the last checkpoint is of step %d, want 6", got)
	}
}

// TestVerbOnAFullDisk: a verb that a full disk would lose is refused.
func TestVerbOnAFullDisk(t *testing.T) {
	store := newFullStore(9)
	q := NewQueue(context.Background(), Settings{Store: store, verbTimeout: time.Hour})
	ids, err := q.Start(runner.Request{Specs: []spec.Spec{brief(dro.ERM)}})
	if err != nil {
		t.Fatal(err)
	}
	<-store.refused
	if err := q.Knob(ids[0], "lr", "0.002"); err == nil ||
		!strings.Contains(err.Error(), "disk full") {
		t.Errorf("answered with %v", err)
	}
	if _, err := q.Checkpoint(ids[0]); err == nil || !strings.Contains(err.Error(), "disk full") {
		t.Errorf("a checkpoint is answered with %v", err)
	}
	store.makeRoom()
	if err := q.Resume(ids[0]); err != nil {
		t.Fatal(err)
	}
	q.Wait()
	if log := store.runs[ids[0]].knobs(); len(log) != 0 {
		t.Errorf("a knob that was refused was turned: %v", log)
	}
}

// TestVerbDuringALongStep: a verb is answered before a long step ends, with the error ErrSlow.
func TestVerbDuringALongStep(t *testing.T) {
	store := &hookStore{memoryStore: newMemoryStore(), step: 6}
	q := NewQueue(context.Background(), Settings{Store: store, verbTimeout: time.Nanosecond})
	store.do = func(id string) {
		if err := q.Knob(id, "lr", "0.002"); !errors.Is(err, runner.ErrSlow) {
			t.Errorf("a run that cannot answer: %v", err)
		}
		if _, err := q.Checkpoint(id); !errors.Is(err, runner.ErrSlow) {
			t.Errorf("a run that cannot be saved: %v", err)
		}
	}
	if _, err := q.Start(runner.Request{Specs: []spec.Spec{brief(dro.ERM)}}); err != nil {
		t.Fatal(err)
	}
	q.Wait()
}

// TestSummaryOfARunThatOnlyEnds: a run that was killed after its last checkpoint and then resumed
// has the same summary as a run that was not killed.
func TestSummaryOfARunThatOnlyEnds(t *testing.T) {
	for _, a := range []dro.Algorithm{dro.SFK, dro.PGD, dro.ERM} {
		whole := runAll(t, 1, brief(a))[0]
		store := newMemoryStore()
		q := NewQueue(context.Background(), Settings{Store: store})
		ids, err := q.Start(runner.Request{Preset: "test", Specs: []spec.Spec{brief(a)}})
		if err != nil {
			t.Fatal(err)
		}
		q.Wait()
		tr := store.runs[ids[0]]
		tr.summary = nil
		tr.events = tr.events[:len(tr.events)-1] // "done"
		if err := resumeAlone(t, store, ids[0]); err != nil {
			t.Fatal(err)
		}
		got, want := inShort(t, tr.summary), inShort(t, whole.summary)
		if got != want {
			t.Errorf("%s: resumed, the summary is\n%s\nwant\n%s", a, got, want)
		}
	}
}

// resumeAlone resumes a run in a queue of its own and waits for its end.
func resumeAlone(t *testing.T, s runner.Store, id string) error {
	t.Helper()
	q := NewQueue(context.Background(), Settings{Store: s})
	if err := q.Resume(id); err != nil {
		return err
	}
	return q.Wait()[0].Err
}

// inShort returns a summary without the values that depend on the clock, except whether it has a
// speed.
func inShort(t *testing.T, s *runner.Summary) string {
	t.Helper()
	c := *s
	if c.ID, c.ImagesPerSecond = "", measure.Num(0); !s.ImagesPerSecond.Applies() {
		c.ImagesPerSecond = measure.Number{}
	}
	b, err := json.Marshal(&c)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}
