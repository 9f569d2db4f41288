package queue

import (
	"cmp"
	"errors"
	"slices"

	"drolab/runner"
	"drolab/runner/train"
)

// A job is a train.Waiting, so that a run obeys requests while it is queued as well as while it
// trains.

// Mark implements train.Waiting: it appends a status to the log of a job that does not train.
func (j *job) Mark(s runner.Status) error {
	return j.append(&runner.StatusEvent{Head: j.Head(), Status: s})
}

// Turn implements train.Waiting: it turns a knob for the time when the job trains, by an event at
// the step where the job begins. Knobs of later steps belong to a part that was lost, and have no
// effect on the value before.
func (j *job) Turn(key, value string) error {
	now := j.meta.Spec
	for _, k := range j.knobs {
		if k.Step <= j.Head().Step {
			k.Apply(&now) // restart, or an earlier Turn, has checked it
		}
	}
	e, err := train.ChangeKnob(&now, key, value, j.Head())
	if err != nil {
		return err
	}
	if err := j.append(e); err != nil {
		return err
	}
	j.knobs = runner.ValidKnobs(append(slices.Clone(j.knobs), *e))
	return nil
}

// Saved implements train.Waiting: a resumed run or a fork starts from a checkpoint on disk; a new
// run has nothing to save.
func (j *job) Saved() error {
	if j.from == nil {
		return runner.ErrNothing
	}
	return nil
}

// Head implements train.Waiting: it returns the head of an event at the step where the job begins.
func (j *job) Head() runner.Head {
	if j.from == nil {
		return runner.Head{}
	}
	return runner.Head{Step: j.from.Step}
}

// append writes e to the log of a job that does not train yet, and waits for space on a full disk.
// A run that trains has its own append, which knows its step.
func (j *job) append(e runner.Event) error {
	_, err := j.gate.Write(func() error { return j.record.Append(e) },
		train.WaitLogger(j.record, j.Head()))
	return err
}

// stopEarly ends a job that was stopped before it had a slot. It logs the knobs requested
// meanwhile, for a later resume.
func (j *job) stopEarly() (runner.Status, error) {
	if err := j.gate.ServeLast(j); err != nil {
		return j.fail(err)
	}
	_, err := j.gate.Write(func() error {
		return j.end(runner.Stopped, errors.New("stopped before it started"))
	}, train.WaitLogger(j.record, j.Head()))
	return runner.Stopped, err
}

// fail ends a job that does not train. It does not wait for space on the disk: the error includes a
// failed write.
func (j *job) fail(cause error) (runner.Status, error) {
	return runner.Failed, errors.Join(cause, j.end(runner.Failed, cause))
}

// end records the end of a job that does not train: its summary, and then its status. A failed job
// leaves as much as it can.
func (j *job) end(status runner.Status, cause error) error {
	e := runner.NewStatus(j.Head(), status, cause)
	err := j.record.Finish(j.meta.Ended(status, e.Cause, e.Step, cmp.Or(j.from, &runner.State{})))
	if err == nil || status == runner.Failed {
		err = errors.Join(err, j.record.Append(e))
	}
	return err
}
