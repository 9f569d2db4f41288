package queue

import (
	"context"
	"slices"
	"testing"
	"time"

	"drolab/dro"
	"drolab/runner"
	"drolab/runner/spec"
	"drolab/runner/train"
)

// clockedStore is a Store whose runs take a fixed time an epoch, by the clock that the queue is
// given.
type clockedStore struct {
	*memoryStore
	now   time.Time
	epoch time.Duration
	do    func(id string, step int64) // called at every evaluation unless nil
}

type clockedRecorder struct {
	runner.Recorder
	id   string
	from *clockedStore
}

func (c *clockedStore) Create(m *runner.Meta, from *runner.State) (runner.Recorder, error) {
	r, err := c.memoryStore.Create(m, from)
	return &clockedRecorder{r, m.ID, c}, err
}

func (r *clockedRecorder) Append(e runner.Event) error {
	err := r.Recorder.Append(e)
	if _, ok := e.(*runner.EvalEvent); ok {
		r.from.now = r.from.now.Add(r.from.epoch)
		if r.from.do != nil {
			r.from.do(r.id, e.Header().Step)
		}
	}
	return err
}

// timed runs a spec to its end with epochs of the given length.
func timed(t *testing.T, settings spec.Spec, epoch time.Duration, do func(q *Queue, id string,
	step int64)) *trace {
	t.Helper()
	store := &clockedStore{memoryStore: newMemoryStore(), epoch: epoch}
	q := NewQueue(context.Background(),
		Settings{Store: store, now: func() time.Time { return store.now }})
	if do != nil {
		store.do = func(id string, step int64) { do(q, id, step) }
	}
	ids, err := q.Start(runner.Request{Preset: "test", Specs: []spec.Spec{settings}})
	if err != nil {
		t.Fatal(err)
	}
	q.Wait()
	return store.runs[ids[0]]
}

func savedSteps(tr *trace) (steps []int64) {
	for _, s := range tr.states {
		steps = append(steps, s.Step)
	}
	return steps
}

// The end of an epoch is saved when a checkpoint is due, and the last one always. Checkpoints
// requested in steps are saved, too. None of this changes the numbers.
func TestCheckpointsComeByTheClock(t *testing.T) {
	spec := brief(dro.SFK)
	spec.Epochs = 8
	whole := runAll(t, 1, spec)[0]
	perEpoch := whole.meta.StepsPerEpoch
	for _, c := range []struct {
		epoch time.Duration
		every int
		want  []int64 // epochs
	}{
		{0, 0, []int64{8}},
		{train.BetweenCheckpoints/3 + 1, 0, []int64{3, 6, 8}},
		{train.BetweenCheckpoints - 1, 0, []int64{2, 4, 6, 8}},
		{train.BetweenCheckpoints, 0, []int64{1, 2, 3, 4, 5, 6, 7, 8}},
		{train.BetweenCheckpoints, 3 * int(perEpoch), []int64{3, 6, 8}},
		{0, 5 * int(perEpoch), []int64{5, 8}},
	} {
		spec.CheckpointEvery = c.every
		tr := timed(t, spec, c.epoch, nil)
		got := savedSteps(tr)
		for i := range got {
			got[i] /= perEpoch
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("epochs of %v, checkpoint_every %d: saved after %d, want %d", c.epoch, c.every,
				got, c.want)
		}
		if !slices.Equal(tr.lines(t, measured), whole.lines(t, measured)) {
			t.Errorf("epochs of %v: the clock changes the numbers", c.epoch)
		}
	}
}

// The checkpoint of a selected step waits until the next checkpoint is due, and never comes after a
// checkpoint that relies on it. Its weights are the selected weights.
func TestSelectionIsSavedBeforeWhatReliesOnIt(t *testing.T) {
	spec := choosing(dro.ERM, "val_loss")
	spec.Epochs = 12
	at := runAll(t, 1, spec)[0]
	for _, epoch := range []time.Duration{0, train.BetweenCheckpoints / 4,
		train.BetweenCheckpoints / 2, train.BetweenCheckpoints} {
		for _, every := range []int{0, 1000, 7} {
			spec.CheckpointEvery = every
			tr := timed(t, spec, epoch, nil)
			steps := savedSteps(tr)
			if !slices.IsSorted(steps) || len(slices.Compact(slices.Clone(steps))) != len(steps) {
				t.Errorf("saved in the order %d", steps)
			}
			for i, s := range tr.states {
				if s.Selected != nil && !slices.Contains(steps[:i+1], s.Selected.Step) {
					t.Errorf("step %d relies on step %d, and saved before are %d", s.Step,
						s.Selected.Step, steps[:i])
				}
			}
			best := tr.summary.Selected
			if want := at.summary.Selected.Step; best.Step != want {
				t.Fatalf("step %d is selected, want %d", best.Step, want)
			}
			if best.Step == tr.meta.Steps {
				t.Fatal("the last step is selected, so that nothing is shown")
			}
			i := slices.Index(steps, best.Step)
			if i < 0 {
				t.Fatalf("epochs of %v: step %d is selected, saved are %d", epoch, best.Step, steps)
			}
			kept := slices.Index(savedSteps(at), best.Step)
			for p, want := range at.states[kept].Parameters {
				if !slices.Equal(tr.states[i].Parameters[p].Data, want.Data) {
					t.Errorf("epochs of %v: %s is not what was selected", epoch, want.Name)
				}
			}
			apart := max(1, int(train.BetweenCheckpoints/max(1, epoch))) // epochs
			if most := 2 * (12/apart + 1); every == 0 &&
				len(steps) > most {
				t.Errorf("epochs of %v: %d checkpoints, want at most %d", epoch, len(steps), most)
			}
		}
	}
}

// A run that fails leaves the checkpoint of the step that it had selected.
func TestSelectionSurvivesAFailure(t *testing.T) {
	spec := choosing(dro.SFK, "val_loss")
	tr := timed(t, spec, 0, func(q *Queue, id string, step int64) {
		if err := q.turnSoon(id, "lr", "1e30"); err != nil {
			t.Error(err)
		}
	})
	s := tr.summary
	if s.Status != runner.Failed {
		t.Errorf("the run is %s, want %s", s.Status, runner.Failed)
	}
	if s.Selected == nil {
		t.Fatal("the run that failed has selected nothing")
	}
	if saved := savedSteps(tr); !slices.Contains(saved, s.Selected.Step) {
		t.Errorf("the checkpoints are of the steps %d, want the selected step %d among them", saved,
			s.Selected.Step)
	}
}

// A run that is stopped while its selected step waits to be saved ends with the same selection.
func TestSelectionThatWaitsSurvivesAStop(t *testing.T) {
	spec := choosing(dro.SFK, "val_loss")
	spec.CheckpointEvery = 0
	whole := runAll(t, 1, spec)[0]
	at := whole.summary.Selected.Step
	for _, lost := range []int{0, 1, 2} {
		tr := stoppedAndResumed(t, spec, at+1, lost)
		if got := tr.summary.Selected.Step; got != at {
			t.Errorf("%d checkpoints lost: step %d is selected, want %d", lost, got, at)
		}
		if saved := savedSteps(tr); !slices.Contains(saved, at) {
			t.Errorf("%d checkpoints lost: saved are the steps %d, want %d among them", lost, saved,
				at)
		}
		expectSameRun(t, tr, whole)
	}
}
