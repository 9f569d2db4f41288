package queue

import (
	"testing"
	"time"

	"drolab/dro"
	"drolab/runner"
	"drolab/runner/alert"
	"drolab/runner/machine"
	"drolab/runner/spec"
	"drolab/runner/train"

	"github.com/google/go-cmp/cmp"
)

// TestLookout: what the machine warns of is raised when it begins, and again an hour later while it
// lasts. A full disk does not hide behind full memory.
func TestLookout(t *testing.T) {
	const gibi = 1 << 30
	sample := func(at time.Duration, memory, disk float64) machine.Sample {
		return machine.Sample{Time: time.Unix(0, 0).Add(at),
			Memory: machine.Part{Used: 64*gibi - memory, Of: 64 * gibi},
			Disk:   machine.Part{Used: 500*gibi - disk, Of: 500 * gibi}}
	}
	var l lookout
	var got []string
	for _, s := range []machine.Sample{
		sample(10*time.Second, 9*gibi, 9*gibi),
		sample(20*time.Second, gibi/2, 9*gibi),
		sample(30*time.Second, gibi/4, gibi/2),
		sample(40*time.Second, 9*gibi, 9*gibi),
		sample(time.Hour, gibi/4, gibi/2),
		sample(time.Hour+20*time.Second, gibi/4, gibi/2),
		sample(time.Hour+30*time.Second, gibi/4, gibi/2),
	} {
		for _, e := range l.add(s) {
			a, ok := alert.Of(e)
			if !ok {
				t.Errorf("%v is no alert", e)
			}
			got = append(got, s.Time.UTC().Format("15:04:05 ")+string(a.Level)+" "+a.Text)
		}
	}
	want := []string{"00:00:20 warn the memory is nearly full: 0.5 GiB free",
		"00:00:30 error the disk of the runs is nearly full: 0.5 GiB free",
		"01:00:20 warn the memory is nearly full: 0.2 GiB free",
		"01:00:30 error the disk of the runs is nearly full: 0.5 GiB free"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("the alerts differ (-want +got):\n%s", diff)
	}
	if n := len(l.recent); n > machine.MinuteSamples {
		t.Errorf("%d samples are kept, want those of a minute", n)
	}
}

// alertedStore is a Store whose runs are sent an alert when they begin to train.
type alertedStore struct {
	*memoryStore
	queue *Queue
}

type alertedRecorder struct {
	*trace
	queue *Queue
}

func (s *alertedStore) Create(m *runner.Meta, from *runner.State) (runner.Recorder, error) {
	r, err := s.memoryStore.Create(m, from)
	return &alertedRecorder{r.(*trace), s.queue}, err
}

func (r *alertedRecorder) Append(e runner.Event) error {
	if s, ok := e.(*runner.StatusEvent); ok && s.Status == runner.Running {
		r.queue.mu.Lock()
		j := r.queue.jobs[r.meta.ID]
		r.queue.mu.Unlock()
		j.gate.Send(train.Order{Alert: alert.New(runner.Head{}, machine.ScarceMemory, "full")})
	}
	return r.trace.Append(e)
}

// TestAlertsAreLogged: a run that is sent an alert logs it between two steps, and computes the same
// as a run without one.
func TestAlertsAreLogged(t *testing.T) {
	run := func(s runner.Store, of func(*Queue)) {
		t.Helper()
		q := NewQueue(t.Context(), Settings{Store: s})
		of(q)
		if _, err := q.Start(runner.Request{Preset: "test",
			Specs: []spec.Spec{quick(dro.SFK)}}); err != nil {
			t.Fatal(err)
		}
		q.Wait()
	}
	alerted, plain := &alertedStore{memoryStore: newMemoryStore()}, newMemoryStore()
	run(alerted, func(q *Queue) { alerted.queue = q })
	run(plain, func(*Queue) {})
	for id, r := range alerted.runs {
		var events int
		rest := r.lines(t, func(e runner.Event) bool {
			a, ok := e.(*runner.AlertEvent)
			if ok {
				events++
				if a.Text != "full" || a.Step != 0 {
					t.Errorf("logged %+v, want the text full at step 0", a)
				}
			}
			return !ok
		})
		if events != 1 {
			t.Errorf("%d alerts are logged, want 1", events)
		}
		if diff := cmp.Diff(plain.runs[id].lines(t, everything), rest); diff != "" {
			t.Errorf("the logs differ (-want +got):\n%s", diff)
		}
	}
}
