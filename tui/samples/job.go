package samples

import (
	"context"
	"errors"
	"sync/atomic"

	"drolab/runner/certificate"
	"drolab/tui/lab"

	tea "charm.land/bubbletea/v2"
)

// Evaluate answers a question. It takes as long as a pass over the split.
type Evaluate func(context.Context, certificate.ViewOf) (*certificate.Pick, error)

// evaluate is the Evaluate for runs on the disk.
func evaluate(
	ctx context.Context, q certificate.ViewOf,
) (pick *certificate.Pick, err error) {
	look, err := certificate.NewView(ctx, q)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, look.Close()) }()
	if !look.Labelled() {
		return nil, errors.New("the samples have no labels, so there are no losses to rank by")
	}
	return look.Pick(certificate.Radii(&q.Run.Meta))
}

// job is an evaluation under way. The command work owns what it makes; the page gets the answer
// when work is done. A job that the page has given up ends at its next batch, and its answer is
// dropped.
type job struct {
	ctx      context.Context
	cancel   context.CancelFunc
	percent  atomic.Int64 // how far it is
	source   lab.Source
	question certificate.ViewOf
	evaluate Evaluate
}

// start returns the command that evaluates, until ctx ends at the latest.
func (j *job) start(ctx context.Context) tea.Cmd {
	j.ctx, j.cancel = context.WithCancel(ctx)
	return j.work
}

func (j *job) work() tea.Msg {
	m := pickedMsg{job: j, run: j.question.Run}
	// The run as it stands now, if it is in the runs folder; a run of a sweep stays as it is.
	if now, err := j.source.Find(m.run.Meta.ID); err == nil && now.Dir == m.run.Dir {
		m.run = now
	}
	if m.steps, m.err = m.run.Checkpoints(); m.err != nil {
		return m
	}
	q := j.question
	q.Run, q.Inspection.Progress = m.run, j.advance
	m.pick, m.err = j.evaluate(j.ctx, q)
	lab.FreeMemory() // the data may have filled most of the memory
	return m
}

// advance notes how far the evaluation is. Its error ends the evaluation.
func (j *job) advance(done, of int) error {
	j.percent.Store(int64(100 * done / max(1, of)))
	return j.ctx.Err()
}
