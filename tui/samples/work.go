package samples

import (
	"context"
	"errors"
	"runtime/debug"

	"drolab/runner"
	"drolab/runner/inspect"
	"drolab/runner/record"
	"drolab/tui/lab"

	tea "charm.land/bubbletea/v2"
)

// Evaluate answers a question. It takes as long as a pass over the split.
type Evaluate func(inspect.Question) (*inspect.Pick, error)

// evaluate is the Evaluate for runs on the disk.
func evaluate(q inspect.Question) (pick *inspect.Pick, err error) {
	look, err := inspect.At(q)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, look.Close()) }()
	if !look.Labelled() {
		return nil, errors.New(
			"the samples have no labels, so there are no losses to rank by")
	}
	return look.Picked(inspect.Radii(&q.Run.Meta))
}

// job is an evaluation under way. The command do owns what it makes; the page gets the answer when
// do is done. A job that the page has given up ends at its next batch, and its answer is dropped.
type job struct {
	ctx      context.Context
	cancel   context.CancelFunc
	percents chan int // at most one waits; closed at the end
	source   lab.Source
	question inspect.Question
	evaluate Evaluate
}

// percentMsg says how far a job is.
type percentMsg struct {
	of      *job
	percent int
}

// pickedMsg brings the result of a job.
type pickedMsg struct {
	of    *job
	run   *record.Run
	steps []int64 // the run's checkpoints, ascending
	pick  *inspect.Pick
	err   error
}

// start starts the evaluation: do evaluates, and next meanwhile says how far it is.
func (j *job) start() tea.Cmd {
	j.ctx, j.cancel = context.WithCancel(context.Background())
	j.percents = make(chan int, 1)
	return tea.Batch(j.do, j.next)
}

func (j *job) do() tea.Msg {
	defer close(j.percents)
	m := pickedMsg{of: j, run: j.run()}
	if m.steps, m.err = m.run.Checkpoints(); m.err != nil {
		return m
	}
	q := j.question
	q.Run, q.Context, q.Inspection.Progress = m.run, j.ctx, j.progress()
	m.pick, m.err = j.evaluate(q)
	debug.FreeOSMemory() // the data may have filled most of the memory
	return m
}

// run returns the run as it stands now, if it is in the runs folder; a run of a sweep stays as it
// is.
func (j *job) run() *record.Run {
	r := j.question.Run
	if now, err := j.source.Find(r.Meta.ID); err == nil && now.Dir == r.Dir {
		return now
	}
	return r
}

// progress returns a function that sends each percent, unless the percent before it still waits.
func (j *job) progress() func(done, of int) error {
	last := 0
	return func(done, of int) error {
		if now := 100 * done / max(1, of); now != last {
			last = now
			select {
			case j.percents <- now:
			default:
			}
		}
		return j.ctx.Err()
	}
}

func (j *job) next() tea.Msg {
	percent, ok := <-j.percents
	if !ok {
		return nil
	}
	return percentMsg{j, percent}
}

// turns returns the splits in the order in which their key goes through them.
func turns() []string { return []string{runner.SplitTest, runner.SplitVal, runner.SplitTrain} }
