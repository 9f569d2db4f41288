package sweep

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"time"

	"drolab/runner"
	"drolab/runner/bridge"
	"drolab/runner/queue"
	"drolab/runner/record"
)

// Task is one run of a sweep as a process of its own does it: a job of a
// cluster, or a line of a shell's loop.
type Task struct {
	*Folder
	// Place is the run's index or, of a rung > 0, its place among those that the
	// rung has kept.
	Place, Rung int
	Host        runner.Host
	Holder      record.Holder // of leases
	DataDir     string
	Threads     int
	Programs    bridge.Approvals // that the task may start
	// Limit is closed when the time that the process has is about to be over: the
	// run is saved, and Requeue asks for the task to be done again.
	Limit   <-chan struct{}
	Requeue func() error
	// Patience is how long a run may be recorded by another process, which may
	// have died with its machine, before the task gives up; 0 is 5 minutes.
	Patience time.Duration
}

// mostRequeues is how often a task asks to be done again because its time was
// over. Who needs more has asked for too little time.
const mostRequeues = 20

// Do does the task. It is nil if the run is where it was to come to, or was not
// to go on, and when it has asked to be done again. When ctx is cancelled the run
// stops with a checkpoint, which is an error: the task is not done.
func (t *Task) Do(ctx context.Context) error {
	i, err := t.index()
	if err != nil || i < 0 {
		return err
	}
	store, err := record.Open(t.Dir)
	if err != nil {
		return err
	}
	store.As(t.Holder)
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	over, limited := make(chan struct{}), make(chan bool, 1)
	go func() {
		select {
		case <-t.Limit: // nil never is
			limited <- true
			cancel()
		case <-over:
			limited <- false
		}
	}()
	err = t.train(ctx, store, i)
	close(over)
	if <-limited && err != nil {
		return t.again(i)
	}
	return err
}

// index is the run's; −1 where the rung has kept fewer.
func (t *Task) index() (int, error) {
	if t.Rung == 0 {
		if t.Place < 0 || t.Place >= len(t.List.Runs) {
			return 0, fmt.Errorf("task %d: the sweep has the runs 0 to %d",
				t.Place, len(t.List.Runs)-1)
		}
		return t.Place, nil
	}
	if t.Rung > len(t.List.Halving.Epochs) {
		return 0, fmt.Errorf("rung %d: the sweep has %d", t.Rung, len(t.List.Halving.Epochs))
	}
	r, err := NewLook(t.Folder).decide(t.Rung)
	if err != nil || t.Place < 0 || t.Place >= len(r.Kept) {
		return -1, err
	}
	return r.Kept[t.Place], nil
}

// train brings the run to the end of its stage.
func (t *Task) train(ctx context.Context, store *record.Store, i int) error {
	until := t.List.Halving.until(t.Rung)
	q := queue.NewQueue(ctx, queue.Settings{Store: store, Host: t.Host, DataDir: t.DataDir,
		Threads:  t.Threads,
		Parallel: 1, Alone: true, Reports: store.Dir(), Programs: t.Programs})
	err := t.await(ctx, func() error {
		return begin(t.Folder, q, i, runner.Means{Until: until})
	})
	if err == errThrough {
		return nil
	}
	id := t.List.Runs[i].ID
	if err != nil {
		return fmt.Errorf("run %s: %w", id, err)
	}
	outcomes := q.Wait()
	state := NewLook(t.Folder).State(i)
	switch {
	case state.through(until):
		return nil
	case outcomes[0].Err != nil:
		return fmt.Errorf("run %s failed: %s", id, outcomes[0].Err)
	}
	done, all := state.Steps()
	return fmt.Errorf("run %s is %s at step %d of %d: the task continues from there when it "+
		"is repeated", id, state.Status, done, all)
}

// await tries until nobody else has the run.
func (t *Task) await(ctx context.Context, try func() error) error {
	patience := cmp.Or(t.Patience, 5*time.Minute)
	tick := time.NewTicker(min(time.Second, patience/10))
	defer tick.Stop()
	for began := time.Now(); ; {
		err := try()
		if err != errHeld || time.Since(began) > patience {
			return err
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			return err
		}
	}
}

// limits is what is kept of a task's ends by time.
type limits struct {
	Times int   `json:"times"`
	Step  int64 `json:"step"` // at the last one
}

const limitsPrefix = "limits-"

func (f *Folder) limitsPath(i int) string { return f.own(limitsPrefix + f.List.Runs[i].ID) }

// again asks for the task to be done again. One that came no further in its time
// would not the next time either.
func (t *Task) again(i int) error {
	var l limits
	if _, err := t.noted(t.limitsPath(i), &l); err != nil { // there is none the first time
		return err
	}
	state := NewLook(t.Folder).State(i)
	done, all := state.Steps()
	id := t.List.Runs[i].ID
	switch {
	case t.Requeue == nil:
		return fmt.Errorf("run %s: its time is over, at step %d of %d, and its task cannot be "+
			"requeued", id, done, all)
	case l.Times >= mostRequeues:
		return fmt.Errorf("run %s: its time was over %d times, at step %d of %d: start the sweep "+
			"again with more --time", id, l.Times, done, all)
	case l.Times > 0 && done <= l.Step:
		return fmt.Errorf("run %s: came no further than step %d of %d in its time: start the "+
			"sweep again with more --time", id, done, all)
	}
	err := t.files.Write(t.limitsPath(i), limits{l.Times + 1, done})
	return errors.Join(err, t.Requeue())
}
