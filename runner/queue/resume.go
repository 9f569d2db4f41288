package queue

import (
	"fmt"

	"drolab/runner"
)

// reopen continues an unfinished run from its newest checkpoint, as a new job with a new place in
// the order. Knobs that were turned after the checkpoint are turned again at their steps, so that
// the run computes the same numbers as without the interruption.
func (q *Queue) reopen(id string, m runner.Means) error {
	end, err := q.begin()
	if err != nil {
		return err
	}
	defer end()
	record, past, err := q.settings.Store.Reopen(id)
	if err != nil {
		return err
	}
	j := &job{
		meta: past.Meta, spec: past.Meta.Spec, knobs: runner.ValidKnobs(past.Log),
		record: record, from: past.From, gate: q.gate(), threads: m.Threads, until: m.Until,
		means: m, logsNotes: past.From == nil,
	}
	if err := q.restart(j, m); err != nil {
		record.Close()
		return err
	}
	q.launch(j)
	return nil
}

// restart opens the data of a job that continues, and logs the resume. The error is about a
// run.json or data that have changed since the run began. After an error the job holds no data.
func (q *Queue) restart(j *job, m runner.Means) (err error) {
	if err := j.meta.Usable(); err != nil {
		return fmt.Errorf("run %s: its run.json cannot be used: %w", j.meta.ID, err)
	}
	for _, k := range j.knobs {
		if err := k.Apply(&j.spec); err != nil {
			return fmt.Errorf("run %s: repeating a change of a setting: %w", j.meta.ID, err)
		}
	}
	if j.data, err = q.dataset(j.meta, m); err != nil {
		return err
	}
	if err = j.meta.CheckData(j.data.Checksum); err == nil {
		err = q.noteResume(j)
	}
	if err != nil {
		q.release(j.data)
	}
	return err
}

// noteResume logs the step from which the run continues, and what may differ. Readers drop events
// of later steps that precede this line.
func (q *Queue) noteResume(j *job) error {
	if err := j.record.Append(&runner.ResumeEvent{Head: j.Head()}); err != nil {
		return err
	}
	if err := j.noteProgram(); err != nil {
		return err
	}
	now := kernel(&j.meta.Spec, q.settings.Host.Kernel, j.data)
	return j.noteKernel(now, j.meta.Host.Kernel)
}

// noteKernel logs that a run continues with another kernel. This is a warning and not an error: the
// numbers stay right, and only their last bits cannot be reproduced.
func (j *job) noteKernel(now, then string) error {
	if now == then {
		return nil
	}
	return j.warn(fmt.Sprintf("resumed with kernel %s, started with %s: the last bits of the "+
		"figures may differ", now, then))
}
