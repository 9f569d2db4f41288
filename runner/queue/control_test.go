package queue

import (
	"context"
	"errors"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"drolab/dro"
	"drolab/dro/testsize"
	"drolab/runner"
	"drolab/runner/spec"
	"drolab/runner/train"
)

// hookStore is a Store that calls do once for each run, when the run logs its first event at or
// above a step.
type hookStore struct {
	*memoryStore
	step int64
	do   func(id string)

	ended chan<- string // gets the names of the runs that have ended
	close func()        // called before a run's record is closed
}

type hookRecorder struct {
	runner.Recorder
	id   string
	from *hookStore
	done bool
}

func (a *hookStore) Create(m *runner.Meta, from *runner.State) (runner.Recorder, error) {
	r, err := a.memoryStore.Create(m, from)
	return &hookRecorder{Recorder: r, id: m.ID, from: a}, err
}

func (r *hookRecorder) Append(e runner.Event) error {
	err := r.Recorder.Append(e)
	if s, ok := e.(*runner.StatusEvent); ok && s.Status.Ended() && r.from.ended != nil {
		r.from.ended <- r.id
	}
	if !r.done && e.Header().Step >= r.from.step {
		r.done = true
		r.from.do(r.id)
	}
	return err
}

func (r *hookRecorder) Close() error {
	if r.from.close != nil {
		r.from.close()
	}
	return r.Recorder.Close()
}

// measured reports whether an event holds results of a run, rather than requests to it.
func measured(e runner.Event) bool {
	switch e.(type) {
	case *runner.StepEvent, *runner.EvalEvent:
		return true
	}
	return false
}

// afterResume applies the rule of the log's readers: a resume event discards the results before it
// that are of later steps.
func afterResume(events []runner.Event) []runner.Event {
	var kept []runner.Event
	for _, e := range events {
		if r, ok := e.(*runner.ResumeEvent); ok {
			kept = slices.DeleteFunc(kept, func(k runner.Event) bool {
				return measured(k) &&
					k.Header().Step > r.Step
			})
		}
		kept = append(kept, e)
	}
	return kept
}

// stoppedAndResumed returns a run of a spec that was stopped when it logged a step at or above the
// given one, and was resumed. Between the two it lost its newest checkpoints, as in a crash, so
// that the log is ahead of them.
func stoppedAndResumed(t *testing.T, settings spec.Spec, step int64, lost int) *trace {
	t.Helper()
	store := &hookStore{memoryStore: newMemoryStore(), step: step}
	q := NewQueue(context.Background(), Settings{Store: store})
	store.do = func(id string) {
		if err := q.Stop(id); err != nil {
			t.Error(err)
		}
	}
	ids, err := q.Start(runner.Request{Preset: "test", Specs: []spec.Spec{settings}})
	if err != nil {
		t.Fatal(err)
	}
	if o := q.Wait(); o[0].Status != runner.Stopped || o[0].Err != nil {
		t.Fatalf("%s: outcome %+v, want stopped", settings.Algorithm(), o[0])
	}
	tr := store.runs[ids[0]]
	tr.states = tr.states[:len(tr.states)-lost]
	if err := q.Resume(ids[0]); err != nil {
		t.Fatal(err)
	}
	if o := q.Wait(); o[0].Status != runner.Done {
		t.Fatalf("%s: outcome %+v after the resume, want done", settings.Algorithm(), o[0])
	}
	tr.events = afterResume(tr.events)
	return tr
}

// TestResumeOfARunThatEnds: the log says "stopped" before the queue has let go of the run, and a
// resume at that moment is obeyed.
func TestResumeOfARunThatEnds(t *testing.T) {
	told := make(chan error, 1)
	store := &hookStore{memoryStore: newMemoryStore(), step: 6}
	q := NewQueue(context.Background(), Settings{Store: store, verbTimeout: time.Hour})
	store.do = func(id string) {
		if err := q.Stop(id); err != nil {
			t.Error(err)
		}
	}
	store.close = sync.OnceFunc(func() { // "stopped" is written
		for id, j := range q.jobs {
			go func() { told <- q.Resume(id) }()
			for len(j.gate.Orders) == 0 { // until it has asked
				runtime.Gosched()
			}
		}
	})
	if _, err := q.Start(runner.Request{Specs: []spec.Spec{brief(dro.SFK)}}); err != nil {
		t.Fatal(err)
	}
	q.Wait()
	if err := <-told; err != nil {
		t.Fatal(err)
	}
	if o := q.Wait(); o[0].Status != runner.Done {
		t.Errorf("outcome %+v, want done", o[0])
	}
}

// TestAQueueForgets: a queue keeps the outcome of a run that has ended, and nothing else.
func TestAQueueForgets(t *testing.T) {
	q := NewQueue(context.Background(), Settings{Store: newMemoryStore()})
	if _, err := q.Start(runner.Request{Specs: []spec.Spec{brief(dro.SFK), brief(dro.ERM),
		brief(dro.PGD)}}); err != nil {
		t.Fatal(err)
	}
	if n := len(q.Wait()); n != 3 {
		t.Errorf("the queue keeps %d outcomes, want 3", n)
	}
	if n := len(q.jobs); n != 0 {
		t.Errorf("the queue keeps %d runs that have ended, want none", n)
	}
	if n := len(q.open); n != 0 {
		t.Errorf("the queue keeps %d datasets open, want none", n)
	}
}

// expectSameRun compares the results and the last states of two runs.
func expectSameRun(t *testing.T, tr, whole *trace) {
	t.Helper()
	a := whole.meta.Spec.Algorithm()
	if got, want := tr.lines(t, measured), whole.lines(t, measured); !slices.Equal(got, want) {
		t.Errorf("%s: the resumed run's events differ from the uninterrupted run's", a)
	}
	for i, p := range tr.states[len(tr.states)-1].Parameters {
		if !slices.Equal(p.Data, whole.states[len(whole.states)-1].Parameters[i].Data) {
			t.Errorf("%s: %s differs after the resume", a, p.Name)
		}
	}
	for _, name := range []string{"test_loss", "lambda"} {
		if got, want := tr.summary.Named(name), whole.summary.Named(name); got != want {
			t.Errorf("%s: %s is %v after the resume, want %v", a, name, got, want)
		}
	}
}

func TestStoppedAndResumedIsTheUnstoppedRun(t *testing.T) {
	for _, a := range testsize.Few(1, methods()...) {
		spec := brief(a)
		if a == dro.SFK { // images are drawn and augmented: these draws go on, too
			spec = quick(a)
		}
		if a == dro.PGD { // the same images are drawn again
			spec = quick(a)
			if err := spec.Assign("imbalance", []byte(`"paper-drawn"`)); err != nil {
				t.Fatal(err)
			}
		}
		spec.CheckpointEvery = 4
		expectSameRun(t, stoppedAndResumed(t, spec, 9, 1), runAll(t, 1, spec)[0])
	}
}

func TestPausedRunGoesOnWhereItWas(t *testing.T) {
	whole := runAll(t, 1, quick(dro.PGD))[0]
	store := &hookStore{memoryStore: newMemoryStore(), step: 5}
	q := NewQueue(context.Background(), Settings{Store: store})
	store.do = func(id string) { // the resume waits in the queue until the run has paused
		save := func(j *job) error {
			return j.send(train.Order{Order: runner.Order{Verb: runner.Checkpoint}})
		}
		if err := errors.Join(q.Pause(id), q.withLive(id, save), q.Resume(id)); err != nil {
			t.Error(err)
		}
	}
	ids, err := q.Start(runner.Request{Specs: []spec.Spec{quick(dro.PGD)}})
	if err != nil {
		t.Fatal(err)
	}
	if o := q.Wait(); o[0].Status != runner.Done {
		t.Fatalf("outcome %+v, want done", o[0])
	}
	tr := store.runs[ids[0]]
	states := tr.statuses()
	if want := []runner.Status{runner.Queued, runner.Running, runner.Paused, runner.Running,
		runner.Done}; !slices.Equal(states, want) {
		t.Errorf("states %v, want %v", states, want)
	}
	if !slices.Equal(tr.lines(t, measured), whole.lines(t, measured)) {
		t.Error("a pause changed the numbers")
	}
}

func TestDivergenceFailsThatRunAlone(t *testing.T) {
	diverging, stable := quick(dro.SFK), quick(dro.ERM)
	diverging.LR = 1e30
	list := runAll(t, 1, diverging, stable)
	s := list[0].summary
	if s.Status != runner.Failed {
		t.Errorf("the run that diverges is %s, want %s", s.Status, runner.Failed)
	}
	if !strings.HasPrefix(s.Cause, "step ") {
		t.Errorf("its cause is %q, want one that begins with the step", s.Cause)
	}
	if !strings.Contains(s.Cause, "lower lr") {
		t.Errorf("its cause is %q, want the remedy: lower lr", s.Cause)
	}
	if list[1].summary.Status != runner.Done {
		t.Errorf("the other run is %s, want done", list[1].summary.Status)
	}
}

func TestCancelledQueueStopsEveryRun(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	store := &hookStore{memoryStore: newMemoryStore(), step: 3, do: func(string) { cancel() }}
	q := NewQueue(ctx, Settings{Store: store, Parallel: 1})
	ids, err := q.Start(runner.Request{Specs: []spec.Spec{quick(dro.ERM), quick(dro.SFK)}})
	if err != nil {
		t.Fatal(err)
	}
	for _, o := range q.Wait() {
		if o.Status != runner.Stopped {
			t.Errorf("run %s is %s, want stopped", o.ID, o.Status)
		}
	}
	tr := store.runs[ids[0]]
	if len(tr.states) == 0 {
		t.Fatal("the stopped run left no checkpoint")
	}
	if got, want := tr.states[len(tr.states)-1].Step, tr.summary.Steps; got != want {
		t.Errorf("the last checkpoint is of step %d, want %d, where the run stopped", got, want)
	}
}

func TestLogThatCannotBeWrittenFailsTheRun(t *testing.T) {
	full := errors.New("disk full")
	store := &hookStore{memoryStore: newMemoryStore(), step: 6}
	store.do = func(id string) { store.runs[id].fail = full }
	q := NewQueue(context.Background(), Settings{Store: store})
	if _, err := q.Start(runner.Request{Specs: []spec.Spec{quick(dro.ERM)}}); err != nil {
		t.Fatal(err)
	}
	o := q.Wait()[0]
	if o.Status != runner.Failed {
		t.Errorf("the run is %s, want %s", o.Status, runner.Failed)
	}
	if !errors.Is(o.Err, full) {
		t.Errorf("its error is %v, want the recorder's: %v", o.Err, full)
	}
}

func TestStartIsAllOrNothing(t *testing.T) {
	bad := quick(dro.SFK)
	bad.Batch = 100_000
	store := newMemoryStore()
	q := NewQueue(context.Background(), Settings{Store: store})
	_, err := q.Start(runner.Request{Specs: []spec.Spec{quick(dro.ERM), bad}})
	var key *spec.KeyError
	if !errors.As(err, &key) || key.Key != "batch" {
		t.Errorf("Start() = %v, want a KeyError about batch", err)
	}
	if n := len(store.runs); n != 0 {
		t.Errorf("the refused start leaves %d runs, want none", n)
	}
	if err := q.Stop("nothing"); err == nil {
		t.Error("stopping a run that is not there was accepted")
	}
}

// heldStore is a Store that creates its second run only once proceed is closed.
type heldStore struct {
	*memoryStore
	reached, proceed chan struct{}
}

func (s *heldStore) Create(m *runner.Meta, from *runner.State) (runner.Recorder, error) {
	if len(s.runs) == 1 {
		close(s.reached)
		<-s.proceed
	}
	return s.memoryStore.Create(m, from)
}

// TestSlowStartHoldsNobodyUp: while runs are prepared, other runs obey verbs. A run that is being
// started when the queue ends is waited for.
func TestSlowStartHoldsNobodyUp(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	store := &heldStore{newMemoryStore(), make(chan struct{}), make(chan struct{})}
	q := NewQueue(ctx, Settings{Store: store})
	endless := brief(dro.ERM)
	endless.Epochs, endless.EvalEvery = 1_000_000, 1_000_000
	first, err := q.Start(runner.Request{Specs: []spec.Spec{endless}})
	if err != nil {
		t.Fatal(err)
	}
	second := make(chan []string, 1)
	go func() {
		ids, err := q.Start(runner.Request{Specs: []spec.Spec{endless}})
		if err != nil {
			t.Error(err)
		}
		second <- ids
	}()
	<-store.reached
	if live := q.Live(); len(live) != 1 {
		t.Errorf("live: %v", live)
	}
	if err := errors.Join(q.Knob(first[0], "lr", "0.002"), q.Pause(first[0])); err != nil {
		t.Error(err)
	}
	ended := make(chan []Outcome)
	go func() { ended <- q.Wait() }()
	cancel()
	close(store.proceed)
	ids := <-second
	list := <-ended
	if len(ids) != 1 {
		t.Errorf("the second start has the runs %v, want one", ids)
	}
	if len(list) != 2 {
		t.Errorf("%d outcomes, want those of %v and %v: %v", len(list), first, ids, list)
	}
	for _, o := range list {
		if o.Status != runner.Stopped {
			t.Errorf("run %s is %s, want stopped", o.ID, o.Status)
		}
	}
	if _, err := q.Start(runner.Request{Specs: []spec.Spec{endless}}); err == nil {
		t.Error("a queue that has ended takes runs")
	}
	if err := q.Resume(first[0]); err == nil {
		t.Error("a queue that has ended resumes runs")
	}
}
