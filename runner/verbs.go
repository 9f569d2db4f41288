package runner

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"
)

// Pause implements Verbs.
func (q *Queue) Pause(id string) error { return q.send(id, order{verb: pause}) }

// Stop implements Verbs.
func (q *Queue) Stop(id string) error { return q.send(id, order{verb: stop}) }

// Checkpoint implements Verbs.
func (q *Queue) Checkpoint(id string) error { return q.send(id, order{verb: checkpoint}) }

// Resume implements Verbs.
func (q *Queue) Resume(id string) error { return q.ResumeWith(id, Means{}) }

// ResumeWith is Resume with means, for a run that nobody runs, or that is about
// to end: its log may say stopped before the queue has let go of it.
func (q *Queue) ResumeWith(id string, m Means) error {
	over, err := q.goOn(id)
	if over != nil {
		slow := q.patience()
		defer slow.Stop()
		select {
		case <-over:
			err = ErrNotRunning
		case <-slow.C: // it waits for the disk, and has heard that it may try again
		}
	}
	if !errors.Is(err, ErrNotRunning) {
		return err
	}
	if m, err = q.means(m); err != nil {
		return err
	}
	return q.reopen(id, m)
}

// goOn asks a live run to go on. One that ends, or will, cannot: over is closed
// when it has.
func (q *Queue) goOn(id string) (over <-chan struct{}, err error) {
	q.mu.Lock()
	defer q.mu.Unlock()
	j, err := q.live(id)
	if err != nil {
		return nil, err
	}
	if j.gate.ending.Load() {
		over = j.over
	}
	return over, j.send(order{verb: resume})
}

// patience runs out when a verb has waited for a run or another start long enough.
func (q *Queue) patience() *time.Timer {
	return time.NewTimer(cmp.Or(q.settings.patience, 8*time.Second))
}

// Knob implements Verbs.
func (q *Queue) Knob(id, key, value string) error {
	done, err := q.ask(id, key, value)
	if err != nil {
		return err
	}
	slow := q.patience()
	defer slow.Stop()
	select {
	case err = <-done:
	case <-slow.C:
		err = ErrSlow
	}
	if err != nil {
		return fmt.Errorf("run %s: %s: %w", id, key, err)
	}
	return nil
}

// ask hands a knob to a run. What is returned gets one value: that the change is
// on disk, or why not.
func (q *Queue) ask(id, key, value string) (<-chan error, error) {
	q.mu.Lock()
	defer q.mu.Unlock()
	j, err := q.live(id)
	if err != nil {
		return nil, err
	}
	spec := j.spec
	_, after, err := spec.Turn(key, value)
	if err != nil {
		return nil, fmt.Errorf("run %s: %w", id, err)
	}
	done := make(chan error, 1)
	if err := j.send(order{turn, KnobEvent{Key: key, New: after}, done}); err != nil {
		return nil, err
	}
	j.spec = spec
	return done, nil
}

func (q *Queue) send(id string, o order) error {
	q.mu.Lock()
	defer q.mu.Unlock()
	j, err := q.live(id)
	if err != nil {
		return err
	}
	return j.send(o)
}

func (q *Queue) live(id string) (*job, error) {
	j := q.jobs[id]
	if j == nil || j.ended() {
		return nil, fmt.Errorf("run %s %w", id, ErrNotRunning)
	}
	return j, nil
}

func (j *job) send(o order) error {
	select {
	case j.gate.orders <- o:
		if o.verb == stop {
			j.gate.ending.Store(true)
		}
		return nil
	default:
		return fmt.Errorf("run %s %w", j.meta.ID, ErrBusy)
	}
}

// LiveRun is a run that has not ended.
type LiveRun struct {
	ID string `json:"id"`
	// Trouble is why the run waits for the disk; empty if it does not. All
	// else about a run stands in its record.
	Trouble string `json:"trouble,omitempty"`
}

// Live lists the runs that have not ended, paused ones too, by name.
func (q *Queue) Live() []LiveRun {
	q.mu.Lock()
	defer q.mu.Unlock()
	var list []LiveRun
	for id, j := range q.jobs {
		if !j.ended() {
			list = append(list, LiveRun{id, j.gate.trouble.String()})
		}
	}
	slices.SortFunc(list, func(a, b LiveRun) int { return strings.Compare(a.ID, b.ID) })
	return list
}
