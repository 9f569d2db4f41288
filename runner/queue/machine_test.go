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

// observing is a Store whose runs do not pass an evaluation before they were observed.
type observing struct {
	*memory
	samples chan *machine.Sample
}

type observingRecorder struct {
	runner.Recorder
	from *observing
	held bool
}

func (o *observing) Create(m *runner.Meta, from *runner.State) (runner.Recorder, error) {
	r, err := o.memory.Create(m, from)
	return &observingRecorder{Recorder: r, from: o}, err
}

func (r *observingRecorder) Append(e runner.Event) error {
	if _, ok := e.(*runner.EvalEvent); ok && !r.held {
		r.held = true
		<-r.from.samples
	}
	return r.Recorder.Append(e)
}

func (r *observingRecorder) Observe(s *machine.Sample) {
	select {
	case r.from.samples <- s:
	default: // the run does not wait for it
	}
}

// TestRunsAreObserved: while a run trains, its recorder is given what the machine does. After that
// nobody looks any more.
func TestRunsAreObserved(t *testing.T) {
	store := &observing{newMemory(), make(chan *machine.Sample)}
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
