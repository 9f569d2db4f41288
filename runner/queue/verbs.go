package queue

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"drolab/runner"
	"drolab/runner/train"
)

// carryOut carries out an order. Like a stop, a pause is only asked for: the log tells when the run
// has paused. A checkpoint and a knob are on disk when carryOut returns.
func (q *Queue) carryOut(o runner.Order) (step int64, err error) {
	switch o.Verb {
	case runner.Pause, runner.Stop:
		return 0, q.withLive(o.Run, func(j *job) error { return j.send(train.Order{Order: o}) })
	case runner.Resume:
		return 0, q.resume(o)
	case runner.Checkpoint, runner.Knob:
		return q.sendAndWait(o)
	}
	return 0, fmt.Errorf("%q cannot be asked of a run", o.Verb)
}

// resume uses the order's means for a run that has no job or whose job is about to end: its log may
// say stopped before the queue has let go of it. A run that is only paused continues with the means
// that it has.
func (q *Queue) resume(o runner.Order) error {
	over, err := q.continueLive(o)
	if over != nil {
		select {
		case <-over:
			err = runner.ErrNotRunning
		case <-q.verbTimer(): // it waits for the disk, and the order makes it try again
		}
	}
	if !errors.Is(err, runner.ErrNotRunning) {
		return err
	}
	var m runner.Means
	if o.Means != nil {
		m = *o.Means
	}
	if m, err = q.means(m); err != nil {
		return err
	}
	return q.reopen(o.Run, m)
}

// ContinuePaused asks a paused run to continue; a run that has ended stays so.
func (q *Queue) ContinuePaused(id string) error {
	_, err := q.continueLive(runner.Order{Verb: runner.Resume, Run: id})
	return err
}

// continueLive asks a live run to continue. If the run is ending, it cannot continue, and
// continueLive returns a channel that is closed when it has ended. The order is sent to such a run,
// too, since a run that waits for the disk in order to end may try again then.
func (q *Queue) continueLive(o runner.Order) (over <-chan struct{}, err error) {
	err = q.withLive(o.Run, func(j *job) error {
		// This is checked under the lock: the job cannot end between the check and the order.
		if j.gate.Ending() {
			over = j.over
		}
		return j.send(train.Order{Order: o})
	})
	return over, err
}

// verbTimer returns a channel that receives when a verb has waited long enough for a run or another
// start, and before an engine gives up the verb: a person or a program waits for the answer. A
// request that takes longer is not undone. Its answer is that it was sent, and the log tells when
// it is done.
func (q *Queue) verbTimer() <-chan time.Time {
	return time.After(cmp.Or(q.settings.verbTimeout, 7*time.Second))
}

// sendAndWait sends an order to a live run, and waits until its result is on disk. It waits without
// the lock, and gives up after verbTimeout with the gate's explanation: the order still stands
// then, and may yet be carried out.
func (q *Queue) sendAndWait(o runner.Order) (step int64, err error) {
	var slow func() error
	done := make(chan train.Answer, 1)
	err = q.withLive(o.Run, func(j *job) error {
		slow = j.gate.Slow
		return j.send(train.Order{Order: o, Done: done})
	})
	if err != nil {
		return 0, err
	}
	var a train.Answer
	select {
	case a = <-done:
	case <-q.verbTimer():
		a.Err = slow()
	}
	if a.Err != nil {
		return 0, fmt.Errorf("run %s: %w", o.Run, a.Err)
	}
	return a.Step, nil
}

// withLive calls ask with a run that has not ended while mu is held, so that the run cannot leave
// the queue in between. The error is an ErrNotRunning without such a run: it may be in the store,
// where Resume finds it.
func (q *Queue) withLive(id string, ask func(*job) error) error {
	q.mu.Lock()
	defer q.mu.Unlock()
	j := q.jobs[id]
	if j == nil || j.ended() {
		return fmt.Errorf("run %s %w", id, runner.ErrNotRunning)
	}
	return ask(j)
}

// send gives the run an order and returns before it is carried out. The run carries out its orders
// one after another, in the order in which they were sent. The caller holds the queue's mu. An
// ErrBusy has the run's name.
//
// An error of a knob's key or value is a *spec.KeyError and is returned at once, without asking the
// run. The change is tried on j.spec, which includes the knobs that are still on their way. So two
// changes in a row are checked against each other, and not both against the spec that the run uses
// now.
func (j *job) send(o train.Order) error {
	after := j.spec
	if o.Verb == runner.Knob {
		if _, _, err := after.Turn(o.Key, o.Value); err != nil {
			return fmt.Errorf("run %s: %w", j.meta.ID, err)
		}
	}
	if err := j.gate.Send(o); err != nil {
		return fmt.Errorf("run %s %w", j.meta.ID, err)
	}
	j.spec = after
	return nil
}

// Live lists the runs that have not ended, including queued and paused runs, in the order of their
// names.
func (q *Queue) Live() []runner.LiveRun {
	q.mu.Lock()
	defer q.mu.Unlock()
	list := []runner.LiveRun{} // JSON has [] and not null
	for _, id := range slices.Sorted(maps.Keys(q.jobs)) {
		if j := q.jobs[id]; !j.ended() {
			list = append(list, runner.LiveRun{ID: id, Trouble: j.gate.Trouble()})
		}
	}
	return list
}
