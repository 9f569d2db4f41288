package queue

import (
	"context"
	"errors"
	"runtime"
	"slices"
	"testing"

	"drolab/dro"
	"drolab/runner"
	"drolab/runner/measure"
	"drolab/runner/spec"
	"drolab/runner/train"

	"github.com/google/go-cmp/cmp"
)

// turnSoon asks for a knob from the run's own goroutine, which cannot wait for itself.
func (q *Queue) turnSoon(id, key, value string) error {
	o := runner.Order{Verb: runner.Knob, Key: key, Value: value}
	return q.withLive(id, func(j *job) error { return j.send(train.Order{Order: o}) })
}

// turnedAt starts a run of spec and turns knobs when it logs the given step.
func turnedAt(t *testing.T, settings spec.Spec, step int64, knobs ...[2]string) (*Queue, *hookStore,
	string) {
	t.Helper()
	store := &hookStore{memoryStore: newMemoryStore(), step: step}
	q := NewQueue(context.Background(), Settings{Store: store})
	store.do = func(id string) {
		for _, k := range knobs {
			if err := q.turnSoon(id, k[0], k[1]); err != nil {
				t.Error(err)
			}
		}
	}
	ids, err := q.Start(runner.Request{Specs: []spec.Spec{settings}})
	if err != nil {
		t.Fatal(err)
	}
	q.Wait()
	return q, store, ids[0]
}

func TestKnobChangesWhatFollows(t *testing.T) {
	knobs := [][2]string{
		{"lr", "0.002"}, {"c", "50"}, {"lambda_max", "0.5"}, {"lambda0", "0.999"},
	}
	for _, k := range knobs {
		spec := brief(dro.SFK)
		plain := runAll(t, 1, spec)[0].lines(t, measured)
		_, store, id := turnedAt(t, spec, 9, k)
		tr := store.runs[id]
		turned := tr.lines(t, measured)
		if len(turned) != len(plain) {
			t.Fatalf("%v: %d events, want %d, as without the knob", k, len(turned), len(plain))
		}
		if diff := cmp.Diff(plain[:3], turned[:3]); diff != "" {
			t.Errorf("%v: events up to step 9 differ (-without the knob +with it):\n%s", k, diff)
		}
		if slices.Equal(turned, plain) {
			t.Errorf("%v: all events are those of the run without the knob", k)
		}
		log := tr.knobs()
		if len(log) != 1 {
			t.Fatalf("%v: the log has %d knob events, want 1: %+v", k, len(log), log)
		}
		if log[0].Step != 9 {
			t.Errorf("%v: the knob event is at step %d, want 9", k, log[0].Step)
		}
		if log[0].Key != k[0] {
			t.Errorf("%v: the knob event has the key %q, want %q", k, log[0].Key, k[0])
		}
		if got, want := log[0].Old.Applies(), k[0] != "lambda_max"; got != want { // it is auto
			t.Errorf("%v: the old value is %v; is it a number: %v, want %v", k, log[0].Old, got,
				want)
		}
	}
}

// TestResumeTurnsKnobsAgain: a run that lost the checkpoints after a knob and is resumed takes the
// same steps again.
func TestResumeTurnsKnobsAgain(t *testing.T) {
	for _, a := range []dro.Algorithm{dro.SFK, dro.PAN} {
		spec := brief(a)
		spec.CheckpointEvery = 4
		knobs := [][2]string{{"lr", "0.002"}}
		if a == dro.SFK {
			knobs = append(knobs, [2]string{"lambda_max", "0.99"}, [2]string{"lambda_max", "auto"})
		}
		_, whole, id := turnedAt(t, spec, 9, knobs...)
		want := whole.runs[id]
		for _, left := range []int{0, 2, 5} { // none, up to step 8, up to after the knob
			_, store, id := turnedAt(t, spec, 9, knobs...)
			tr := store.runs[id]
			tr.states = tr.states[:left]
			q := NewQueue(context.Background(), Settings{Store: store.memoryStore})
			if err := q.Resume(id); err != nil {
				t.Fatal(err)
			}
			if o := q.Wait(); o[0].Status != runner.Done {
				t.Fatalf("%s: outcome %+v, want done", a, o[0])
			}
			tr.events = afterResume(tr.events)
			if !slices.Equal(tr.lines(t, measured), want.lines(t, measured)) {
				t.Errorf("%s, %d checkpoints left: the events differ from those of the run that "+
					"was not resumed", a, left)
			}
			if n := len(tr.knobs()); n != len(knobs) {
				t.Errorf("%s: %d knob events, want %d: a knob that is turned again is no news", a,
					n, len(knobs))
			}
		}
	}
}

func TestKnobsThatAreRefused(t *testing.T) {
	settings := func(a dro.Algorithm) spec.Spec { return brief(a) }
	cvar := brief(dro.PGD)
	cvar.Uncertainty = "cvar"
	for _, test := range []struct {
		spec       spec.Spec
		key, value string
	}{
		{settings(dro.SFK), "lr", "0"}, {settings(dro.SFK), "lr", "auto"},
		{settings(dro.SFK), "lr", "fast"}, {settings(dro.SFK), "lr", "NaN"},
		{settings(dro.SFK), "rho", "1"}, {settings(dro.SFK), "", ""},
		{settings(dro.SFK), "c", "-1"},
		{settings(dro.SFK), "lambda_max", "0.01"}, {settings(dro.SFK), "lambda0", "-1"},
		{settings(dro.SFK), "c", "auto"}, {settings(dro.SFKAuto), "c", "10"},
		{settings(dro.SFKAuto),
			"c", "auto"},
		{settings(dro.PGD), "c", "10"}, {settings(dro.ERM), "lambda_max", "5"},
		{settings(dro.PAN), "lambda_max", "5"}, {cvar, "lambda0", "0.2"},
	} {
		s := test.spec
		_, _, err := s.Turn(test.key, test.value)
		var key *spec.KeyError
		if !errors.As(err, &key) {
			t.Errorf("%s: %s=%s: error %v, want a KeyError", s.Algorithm(), test.key,
				test.value, err)
		}
		for _, row := range spec.AllSettings() {
			if got, want := row.Text(&s), row.Text(&test.spec); got != want {
				t.Errorf("%s: %s=%s is refused and changes %s to %s, want %s", s.Algorithm(),
					test.key, test.value, row.Key, got, want)
			}
		}
	}
}

func TestTurned(t *testing.T) {
	k := func(step int64, key string, value float64) runner.KnobEvent {
		return runner.KnobEvent{Head: runner.Head{Step: step}, Key: key, New: measure.Num(value)}
	}
	// The run was resumed before step 150, and then lr was turned at 120.
	got := runner.ValidKnobs([]runner.KnobEvent{k(50, "lr", 1), k(150, "lr", 2), k(150, "c", 3),
		k(120, "lr", 4), k(120, "lr", 5)})
	want := []runner.KnobEvent{k(50, "lr", 1), k(120, "lr", 4), k(120, "lr", 5), k(150, "c", 3)}
	if !slices.Equal(got, want) {
		t.Errorf("Turned = %v, want %v", got, want)
	}
}

// TestKnobOfAPausedRunThatIsStopped: a knob of a paused run is not lost by a stop: the resumed run
// has it.
func TestKnobOfAPausedRunThatIsStopped(t *testing.T) {
	store := &hookStore{memoryStore: newMemoryStore(), step: 6}
	q := NewQueue(context.Background(), Settings{Store: store})
	store.do = func(id string) {
		if err := errors.Join(q.Pause(id), q.turnSoon(id, "lr", "0.002"), q.Stop(id)); err != nil {
			t.Error(err)
		}
	}
	ids, err := q.Start(runner.Request{Specs: []spec.Spec{brief(dro.ERM)}})
	if err != nil {
		t.Fatal(err)
	}
	if o := q.Wait(); o[0].Status != runner.Stopped {
		t.Fatalf("outcome %+v, want stopped", o[0])
	}
	tr := store.runs[ids[0]]
	if log := tr.knobs(); len(log) != 1 || log[0].New.Float() != 0.002 {
		t.Fatalf("the log has the knob events %+v, want one to 0.002", log)
	}
	if err := q.Resume(ids[0]); err != nil {
		t.Fatal(err)
	}
	q.Wait()
	_, live, id := turnedAt(t, brief(dro.ERM), 6, [2]string{"lr", "0.002"})
	tr.events = afterResume(tr.events)
	if !slices.Equal(tr.lines(t, measured), live.runs[id].lines(t, measured)) {
		t.Error("the resumed run does not have the knob")
	}
}

// TestKnobOfAQueuedRunThatIsStopped: a knob of a queued run is not lost by a stop either, neither
// before the first start nor before a later one.
func TestKnobOfAQueuedRunThatIsStopped(t *testing.T) {
	store := &hookStore{memoryStore: newMemoryStore(), step: 6}
	q := NewQueue(context.Background(), Settings{Store: store, Parallel: 1})
	var ids []string
	ready := make(chan struct{})
	store.do = func(id string) {
		<-ready
		if id != ids[0] {
			return
		}
		err := errors.Join(q.Knob(ids[1], "lr", "0.002"), q.Knob(ids[1], "lr", "0.003"),
			q.Stop(ids[1]))
		if err != nil {
			t.Error(err)
		}
		for len(q.Live()) > 1 { // no slot is free before the other one has ended
			runtime.Gosched()
		}
	}
	ids, err := q.Start(runner.Request{Specs: []spec.Spec{brief(dro.ERM), brief(dro.SFK)}})
	if err != nil {
		t.Fatal(err)
	}
	close(ready)
	q.Wait()
	tr := store.runs[ids[1]]
	log := tr.knobs()
	if len(log) != 2 {
		t.Fatalf("the log has %d knob events, want 2: %+v", len(log), log)
	}
	if got := log[1].Old.Float(); got != 0.002 {
		t.Errorf("the second change begins at %v, want the value of the first, 0.002", got)
	}
	if got := log[1].New.Float(); got != 0.003 {
		t.Errorf("the second change ends at %v, want 0.003", got)
	}
	want := []runner.Status{runner.Queued, runner.Stopped}
	if got := tr.statuses(); !slices.Equal(got, want) {
		t.Fatalf("the log has the states %v, want %v", got, want)
	}
	if err := q.Resume(ids[1]); err != nil {
		t.Fatal(err)
	}
	q.Wait()
	spec := brief(dro.SFK)
	spec.LR = 0.003
	whole := runAll(t, 1, spec)[0]
	if tr.events = afterResume(tr.events); !slices.Equal(tr.lines(t, measured),
		whole.lines(t, measured)) {
		t.Error("the resumed run does not have the knob")
	}
}

// TestKnobsBeforeTheEndOfTheQueue: a knob that was asked for is not lost when the whole queue ends,
// as with its process.
func TestKnobsBeforeTheEndOfTheQueue(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	store := &hookStore{memoryStore: newMemoryStore(), step: 6}
	q := NewQueue(ctx, Settings{Store: store})
	store.do = func(id string) {
		if err := q.turnSoon(id, "lr", "0.002"); err != nil {
			t.Error(err)
		}
		cancel()
	}
	ids, err := q.Start(runner.Request{Specs: []spec.Spec{brief(dro.ERM)}})
	if err != nil {
		t.Fatal(err)
	}
	q.Wait()
	if log := store.runs[ids[0]].knobs(); len(log) != 1 || log[0].New.Float() != 0.002 {
		t.Errorf("the log has the knob events %+v, want one to 0.002", log)
	}
}
