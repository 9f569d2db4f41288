package runner

import (
	"cmp"
	"context"
	"fmt"
	"sync"
	"time"

	"drolab/dro/nn"
	"drolab/runner/data"
)

// Verbs is all that can be asked of runs. What they do is seen in the files
// that a Store keeps, never here.
type Verbs interface {
	// Start checks every spec, records the runs and queues them; either all
	// of them or, with an error, none.
	Start(Request) (ids []string, err error)
	Pause(id string) error      // at the next step boundary, with a checkpoint
	Resume(id string) error     // a paused run, or an unfinished one that nobody runs
	Stop(id string) error       // at the next step boundary, with a checkpoint
	Checkpoint(id string) error // now, at the next step boundary
}

// Request asks for one run per spec.
type Request struct {
	Preset string
	Parent string
	Specs  []Spec // expanded: one algorithm and one seed each
}

// Settings of a Queue.
type Settings struct {
	Store    Store
	Host     Host
	DataDir  string
	Threads  int // for all runs together; at least 1
	Parallel int // runs at once; 0 is 4
}

// Queue runs up to Parallel runs at once, in the order of their start, each in
// a goroutine. Its verbs may be used from any goroutine.
type Queue struct {
	settings Settings
	ctx      context.Context
	slots    chan struct{}

	mu   sync.Mutex
	jobs map[string]*job
	open map[string]*shared // datasets in use
	wg   sync.WaitGroup
	// turn is closed when the run launched last has its slot, or needs none:
	// runs start in the order they were asked for.
	turn chan struct{}
}

// job is one run that the queue has, from start to end.
type job struct {
	meta    *Meta
	record  Recorder
	from    *State
	data    *shared
	threads int
	verbs   chan verb
	outcome Outcome
	ended   bool
}

// shared is a dataset in use by some jobs.
type shared struct {
	*data.Dataset
	key   string
	users int
}

// Outcome is how a run ended.
type Outcome struct {
	ID     string
	Status Status
	Err    error // why it failed
}

// NewQueue returns a queue. When ctx is cancelled its runs stop at their next
// step boundary, with a checkpoint, and waiting ones never start.
func NewQueue(ctx context.Context, s Settings) *Queue {
	s.Parallel, s.Threads = cmp.Or(s.Parallel, 4), max(1, s.Threads)
	s.Host.Threads = s.Threads
	return &Queue{settings: s, ctx: ctx, slots: make(chan struct{}, s.Parallel),
		jobs: map[string]*job{}, open: map[string]*shared{}, turn: closed()}
}

func closed() chan struct{} {
	c := make(chan struct{})
	close(c)
	return c
}

// Start implements Verbs.
func (q *Queue) Start(req Request) ([]string, error) {
	q.mu.Lock()
	defer q.mu.Unlock()
	var jobs []*job
	fail := func(err error) ([]string, error) {
		for _, j := range jobs {
			j.abandon(err)
			q.release(j.data)
		}
		return nil, err
	}
	for i := range req.Specs {
		j, err := q.prepare(req, req.Specs[i])
		if err != nil {
			return fail(err)
		}
		j.threads = max(1, q.settings.Threads/min(len(req.Specs), q.settings.Parallel))
		jobs = append(jobs, j)
	}
	for _, j := range jobs {
		if err := q.create(j); err != nil {
			return fail(err)
		}
	}
	var ids []string
	for _, j := range jobs {
		ids = append(ids, j.meta.ID)
		q.launch(j)
	}
	return ids, nil
}

// prepare does all that can fail before anything is written.
func (q *Queue) prepare(req Request, s Spec) (*job, error) {
	if len(s.Algorithms) != 1 || s.Seeds != 1 {
		panic("runner: Start wants expanded specs")
	}
	if err := s.Validate(); err != nil {
		return nil, err
	}
	d, err := q.dataset(&s)
	if err != nil {
		return nil, err
	}
	meta, err := newMeta(req, s, d.Dataset, q.settings.Host)
	if err != nil {
		q.release(d)
		return nil, err
	}
	return &job{meta: meta, data: d, verbs: make(chan verb, 16)}, nil
}

func (q *Queue) create(j *job) (err error) {
	if j.record, err = q.settings.Store.Create(j.meta); err != nil {
		return err
	}
	return j.record.Append(&StatusEvent{Status: Queued})
}

// abandon ends the record of a job that was never launched, if it has one.
func (j *job) abandon(cause error) {
	if j.record != nil {
		j.record.Append(&StatusEvent{Head: j.head(), Status: Stopped, Cause: "never started: " + cause.Error()})
		j.record.Close()
	}
}

// head is of where the job begins.
func (j *job) head() Head {
	if j.from == nil {
		return Head{}
	}
	return Head{Step: j.from.Step}
}

func newMeta(req Request, s Spec, d *data.Dataset, host Host) (*Meta, error) {
	parameters, err := nn.Check(s.Model, d.Shape.C, d.Shape.H, d.Shape.W, len(d.Classes))
	if err != nil {
		return nil, err
	}
	if n := d.Train.Len(); n < s.Batch {
		return nil, &KeyError{"batch", s.Batch, fmt.Sprintf("at most the %d training samples", n)}
	}
	if n := len(s.Mean); n > 0 && n != d.Shape.C {
		return nil, &KeyError{"mean", s.Mean, fmt.Sprintf("%d numbers, one for each channel", d.Shape.C)}
	}
	p, err := s.Problem()
	if err != nil {
		return nil, err
	}
	perEpoch := int64(d.Train.Len() / s.Batch)
	return &Meta{Preset: req.Preset, Parent: req.Parent, Created: time.Now().UTC(), Spec: s, Host: host,
		Checksum: d.Checksum, Classes: d.Classes, Groups: d.Groups,
		TrainCounts: groupCounts(d.Train, len(d.Groups)), TestCounts: groupCounts(d.Test, len(d.Groups)),
		Parameters: parameters, StepsPerEpoch: perEpoch, Steps: perEpoch * int64(s.Epochs),
		Coordinates: string(p.Coordinates), Box: p.Box}, nil
}

// groupCounts counts the samples of each group.
func groupCounts(src data.Source, groups int) []int {
	counts := make([]int, groups)
	for i := range src.Len() {
		counts[src.Group(i)]++
	}
	return counts
}

// dataset opens the spec's dataset, or shares the one that is open already.
func (q *Queue) dataset(s *Spec) (*shared, error) {
	o := s.DataOptions(q.settings.DataDir)
	key := fmt.Sprintf("%s %+v", s.Dataset, o)
	d := q.open[key]
	if d == nil {
		set, err := data.Open(s.Dataset, o)
		if err != nil {
			return nil, err
		}
		d = &shared{Dataset: set, key: key}
		q.open[key] = d
	}
	d.users++
	return d, nil
}

func (q *Queue) release(d *shared) {
	if d.users--; d.users == 0 {
		delete(q.open, d.key)
		d.Close()
	}
}

// launch hands the job to a goroutine of its own. The lock is held.
func (q *Queue) launch(j *job) {
	j.outcome = Outcome{ID: j.meta.ID, Status: Queued}
	q.jobs[j.meta.ID] = j
	turn, next := q.turn, make(chan struct{})
	q.turn = next
	q.wg.Go(func() {
		status, err := q.run(j, turn, next)
		q.mu.Lock()
		defer q.mu.Unlock()
		j.outcome = Outcome{j.meta.ID, status, err}
		j.ended = true
		q.release(j.data)
	})
}

// run waits for its turn and a slot, lets the next one wait for a slot, and trains.
func (q *Queue) run(j *job, turn <-chan struct{}, next chan<- struct{}) (Status, error) {
	defer j.record.Close()
	started := q.takeSlot(turn)
	close(next)
	if !started {
		return Stopped, j.record.Append(&StatusEvent{Head: j.head(), Status: Stopped, Cause: "stopped before it started"})
	}
	defer func() { <-q.slots }()
	r, err := newRun(j.meta, j.data.Dataset, j.record, j.verbs, j.threads)
	if err != nil {
		j.record.Append(&StatusEvent{Head: j.head(), Status: Failed, Cause: err.Error()})
		return Failed, err
	}
	defer r.close()
	return r.do(q.ctx, j.from)
}

// takeSlot reports false if the queue was cancelled first.
func (q *Queue) takeSlot(turn <-chan struct{}) bool {
	select {
	case <-turn:
	case <-q.ctx.Done():
		return false
	}
	select {
	case q.slots <- struct{}{}:
		return true
	case <-q.ctx.Done():
		return false
	}
}

// Wait returns the outcome of every run, in no order, once all have ended.
func (q *Queue) Wait() []Outcome {
	q.wg.Wait()
	q.mu.Lock()
	defer q.mu.Unlock()
	var list []Outcome
	for _, j := range q.jobs {
		list = append(list, j.outcome)
	}
	return list
}

// Pause implements Verbs.
func (q *Queue) Pause(id string) error { return q.send(id, pause) }

// Stop implements Verbs.
func (q *Queue) Stop(id string) error { return q.send(id, stop) }

// Checkpoint implements Verbs.
func (q *Queue) Checkpoint(id string) error { return q.send(id, checkpoint) }

// Resume implements Verbs.
func (q *Queue) Resume(id string) error {
	q.mu.Lock()
	j := q.jobs[id]
	live := j != nil && !j.ended
	q.mu.Unlock()
	if live {
		return q.send(id, resume)
	}
	return q.reopen(id)
}

func (q *Queue) send(id string, v verb) error {
	q.mu.Lock()
	defer q.mu.Unlock()
	j := q.jobs[id]
	if j == nil || j.ended {
		return fmt.Errorf("run %s is not running here", id)
	}
	select {
	case j.verbs <- v:
		return nil
	default:
		return fmt.Errorf("run %s has not yet done what was asked before; wait for its step to end", id)
	}
}

// reopen takes up an unfinished run from its newest checkpoint.
func (q *Queue) reopen(id string) error {
	q.mu.Lock()
	defer q.mu.Unlock()
	record, meta, from, err := q.settings.Store.Reopen(id)
	if err != nil {
		return err
	}
	d, err := q.dataset(&meta.Spec)
	if err != nil {
		record.Close()
		return err
	}
	if d.Checksum != meta.Checksum {
		q.release(d)
		record.Close()
		return fmt.Errorf("run %s was made with dataset %s, and %s is another one: give the folder that has it with --data", id, meta.Checksum, d.Checksum)
	}
	if err := q.noteResume(record, meta, from); err != nil {
		q.release(d)
		record.Close()
		return err
	}
	q.launch(&job{meta: meta, record: record, from: from, data: d, verbs: make(chan verb, 16), threads: q.settings.Threads})
	return nil
}

// noteResume says in the log where the run goes on, and what may differ.
func (q *Queue) noteResume(record Recorder, m *Meta, from *State) error {
	var h Head
	if from != nil {
		h.Step = from.Step
	}
	if err := record.Append(&ResumeEvent{h}); err != nil {
		return err
	}
	if k := q.settings.Host.Kernel; k != m.Host.Kernel {
		return record.Append(&WarningEvent{Head: h, Message: fmt.Sprintf(
			"resumed with kernel %s, started with %s: the last bits of the numbers may differ", k, m.Host.Kernel)})
	}
	return nil
}

var _ Verbs = (*Queue)(nil)
