package queue

import (
	"fmt"
	"time"

	"drolab/runner"
	"drolab/runner/data"
	"drolab/runner/data/source"
)

// sharedData is a dataset in use by some jobs, closed with the last of them. A dataset may be
// gigabytes, and the runs of an experiment mostly train on the same dataset.
type sharedData struct {
	*data.Dataset
	program *sharedProgram // the program that it belongs to; nil: drolab's own data
	key     string         // the name and options that it was opened with
	users   int            // the number of jobs that have not released it; Queue.mu guards it
}

// dataset opens the dataset of a run, or shares an open one with the same name and options. The
// caller holds q.starting, so that nobody else opens it at the same time. It does not hold mu,
// since opening may take minutes.
func (q *Queue) dataset(of *runner.Meta, m runner.Means) (*sharedData, error) {
	if of.Spec.IsScript() {
		return q.script(of)
	}
	if of.Spec.IsProgram() {
		return q.program(&of.Spec, m)
	}
	o, name := of.Spec.DataOptions(m.DataDir), of.Spec.Dataset
	if m.Dir != "" {
		name = source.Locate(name, m.Dir)
	}
	key := fmt.Sprintf("%s %+v", name, o)
	if d := q.share(key, nil, nil); d != nil {
		return d, nil
	}
	set, err := q.openData(name, o)
	if err != nil {
		return nil, err
	}
	return q.share(key, set, nil), nil
}

// Reading says how far the data are that a start or a resume reads now; nil if none is reading, or
// if its data do not tell.
func (q *Queue) Reading() *runner.Reading { return q.reading.Load() }

// share adds a user to the dataset that is open under key, or opens set under that key; it returns
// nil if there is neither. Each user calls release once.
func (q *Queue) share(key string, set *data.Dataset, p *sharedProgram) *sharedData {
	q.mu.Lock()
	defer q.mu.Unlock()
	d := q.open[key]
	if d == nil && set != nil {
		d = &sharedData{Dataset: set, program: p, key: key}
		q.open[key] = d
	}
	if d != nil {
		d.users++
	}
	return d
}

// release gives back a user's share of a dataset, and closes the dataset after the last user. Its
// memory may be gone then.
func (q *Queue) release(d *sharedData) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if d.users--; d.users == 0 {
		delete(q.open, d.key)
		d.Close()
	}
}

// openData opens a dataset, which may take long and stops when the queue is told to stop. It turns
// a panic into an error, since a broken file must not end the other runs.
func (q *Queue) openData(name string, o data.Options) (d *data.Dataset, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = runner.ReportPanic(q.settings.Reports, p)
		}
	}()
	now, pace := q.settings.now, &runner.ReadingPace{}
	if now == nil {
		now = time.Now
	}
	o.Progress = func(done, of int) error {
		q.reading.Store(&runner.Reading{What: "samples", Done: done, Of: of,
			Left: pace.Left(done, of, now())})
		return nil
	}
	defer q.reading.Store(nil)
	return runner.OpenData(q.ctx, name, o)
}
