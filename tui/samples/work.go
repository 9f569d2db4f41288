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

// Evaluate answers a question: it takes as long as a pass over the split.
type Evaluate func(inspect.Question) (*inspect.Pick, error)

// evaluate is the Evaluate of runs that are on the disk.
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

// job is one evaluation under way. The command do owns what it makes; the page has the
// answer once that has come. A job that the page gave up ends at its next batch, and
// its answer is dropped.
type job struct {
	ctx      context.Context
	cancel   context.CancelFunc
	percents chan int // at most one waits; closed at the end
	source   lab.Source
	question inspect.Question
	evaluate Evaluate
}

// percentMsg tells how far a job is.
type percentMsg struct {
	of      *job
	percent int
}

// pickedMsg brings what came of a job.
type pickedMsg struct {
	of    *job
	run   *record.Run
	steps []int64 // of its checkpoints, ascending
	pick  *inspect.Pick
	err   error
}

// start evaluates: do works, and next tells meanwhile how far it is.
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
	debug.FreeOSMemory() // of the data, which may be most of what the machine has
	return m
}

// run is the run as it stands now, where the runs folder has it, and not a sweep's.
func (j *job) run() *record.Run {
	r := j.question.Run
	if now, err := j.source.Find(r.Meta.ID); err == nil && now.Dir == r.Dir {
		return now
	}
	return r
}

// progress tells of every percent, unless the one before still waits to be taken.
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

// turns are the splits in the order of their key.
func turns() []string { return []string{runner.SplitTest, runner.SplitVal, runner.SplitTrain} }
