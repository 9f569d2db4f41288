package queue

import (
	"testing"
	"time"

	"drolab/dro"
	"drolab/runner"
	"drolab/runner/machine"
	"drolab/runner/spec"

	"github.com/google/go-cmp/cmp"
)

// observedStore is a Store whose runs do not pass an evaluation before they were observed.
type observedStore struct {
	*memoryStore
	samples chan *machine.Sample
}

type observedRecorder struct {
	runner.Recorder
	from *observedStore
	held bool
}

func (o *observedStore) Create(m *runner.Meta, from *runner.State) (runner.Recorder, error) {
	r, err := o.memoryStore.Create(m, from)
	return &observedRecorder{Recorder: r, from: o}, err
}

func (r *observedRecorder) Append(e runner.Event) error {
	if _, ok := e.(*runner.EvalEvent); ok && !r.held {
		r.held = true
		<-r.from.samples
	}
	return r.Recorder.Append(e)
}

func (r *observedRecorder) Observe(s *machine.Sample) {
	select {
	case r.from.samples <- s:
	default: // the run does not wait for it
	}
}

// TestRunsAreObserved: while a run trains, its recorder is given what the machine does. After that
// nobody looks any more.
func TestRunsAreObserved(t *testing.T) {
	store := &observedStore{newMemoryStore(), make(chan *machine.Sample)}
	q := NewQueue(t.Context(), Settings{Store: store})
	q.machine.Every = time.Millisecond
	ids, err := q.Start(runner.Request{Preset: "test", Specs: []spec.Spec{quick(dro.ERM)}})
	if err != nil {
		t.Fatal(err)
	}
	want := []Outcome{{ID: ids[0], Status: runner.Done}}
	if diff := cmp.Diff(want, q.Wait()); diff != "" {
		t.Errorf("the outcomes differ (-want +got):\n%s", diff)
	}
}
