package sweep

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"time"

	"drolab/runner"
	"drolab/runner/bridge"
	"drolab/runner/disk"
	"drolab/runner/queue"
	"drolab/runner/record"
)

// Task trains one run of a sweep in a process of its own: a job of a cluster, or a line of a shell
// loop.
type Task struct {
	*Folder
	// Place is the index of the run or, in a rung > 0, its place among the runs that the rung has
	// kept.
	Place, Rung int
	Host        runner.Host
	Holder      disk.Holder // of leases
	DataDir     string
	Threads     int
	Programs    bridge.Approvals // that the task may start
	// Limit is closed when the time of the process is about to be over. The run is then saved, and
	// Requeue asks for the task to be done again.
	Limit   <-chan struct{}
	Requeue func() error
	// Patience is how long the task waits for a run that another process records before it gives
	// up. That process may have died with its machine. 0 is 5 minutes.
	Patience time.Duration
}

// mostRequeues is how often a task asks to be done again because its time was over. A task that
// needs more has asked for too little time.
const mostRequeues = 20

// Do does the task. It returns nil if the run has reached the end of its stage, if the rung has
// kept no run for the task, or if it has asked for the task to be done again. When ctx is
// cancelled, the run stops with a checkpoint, which is an error: the task is not done.
func (t *Task) Do(ctx context.Context) error {
	i, err := t.runIndex()
	if err != nil || i < 0 {
		return err
	}
	store, err := record.Open(t.Dir)
	if err != nil {
		return err
	}
	store.SetHolder(t.Holder)
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	go func() {
		select {
		case <-t.Limit: // a nil channel never is
			cancel(errLimit)
		case <-ctx.Done():
		}
	}()
	if err = t.train(ctx, store, i); err != nil && errors.Is(context.Cause(ctx), errLimit) {
		return t.requeueRun(i)
	}
	return err
}

var errLimit = errors.New("the time of the task is over")

// runIndex returns the index of the run; −1 if the rung has kept fewer runs.
func (t *Task) runIndex() (int, error) {
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
	r, err := NewProgress(t.Folder).decide(t.Rung)
	if err != nil || t.Place < 0 || t.Place >= len(r.Kept) {
		return -1, err
	}
	return r.Kept[t.Place], nil
}

// train brings the run to the end of its stage.
func (t *Task) train(ctx context.Context, store *record.Store, i int) error {
	until := t.List.Halving.stageEnd(t.Rung)
	q := queue.NewQueue(ctx, queue.Settings{Store: store, Host: t.Host, DataDir: t.DataDir,
		Threads:  t.Threads,
		Parallel: 1, Alone: true, Reports: store.Dir(), Programs: t.Programs})
	err := t.await(ctx, func() error {
		return beginRun(t.Folder, q, i, runner.Means{Until: until})
	})
	if errors.Is(err, errThrough) {
		return nil
	}
	id := t.List.Runs[i].ID
	if err != nil {
		return fmt.Errorf("run %s: %w", id, err)
	}
	outcomes := q.Wait()
	state := NewProgress(t.Folder).State(i)
	switch {
	case state.hasTrained(until):
		return nil
	case outcomes[0].Err != nil:
		return fmt.Errorf("run %s failed: %s", id, outcomes[0].Err)
	}
	done, all := state.Steps()
	return fmt.Errorf("run %s is %s at step %d of %d: the task continues from there when it "+
		"is repeated", id, state.Status, done, all)
}

// await calls try until nobody else has the run, or patience is over.
func (t *Task) await(ctx context.Context, try func() error) error {
	patience := cmp.Or(t.Patience, 5*time.Minute)
	tick := time.NewTicker(min(time.Second, patience/10))
	defer tick.Stop()
	for began := time.Now(); ; {
		err := try()
		if !errors.Is(err, errHeld) || time.Since(began) > patience {
			return err
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			return err
		}
	}
}

// timeouts records how often the time of a task was over.
type timeouts struct {
	Times int   `json:"times"`
	Step  int64 `json:"step"` // of the run, when the time was last over
}

const limitsPrefix = "limits-"

func (f *Folder) limitsPath(i int) string { return f.ownPath(limitsPrefix + f.List.Runs[i].ID) }

// requeueRun asks for the task to be done again. It refuses a run that made no progress in its
// time, because the run would make none the next time either.
func (t *Task) requeueRun(i int) error {
	var l timeouts
	if _, err := t.readIfThere(t.limitsPath(i), &l); err != nil { // there is none the first time
		return err
	}
	state := NewProgress(t.Folder).State(i)
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
	err := t.files.Write(t.limitsPath(i), timeouts{l.Times + 1, done})
	return errors.Join(err, t.Requeue())
}
