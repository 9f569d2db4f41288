package queue

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"runtime"
	"runtime/debug"
	"slices"
	"sync"
	"time"

	"drolab/runner"
	"drolab/runner/bridge"
	"drolab/runner/data"
	"drolab/runner/gate"
	"drolab/runner/spec"
	"drolab/runner/train"
)

// Settings of a Queue. NewQueue fills in what is not set, and they stay the same then.
type Settings struct {
	Store    runner.Store // where runs are recorded; the queue does not close it
	Host     runner.Host  // as run.json has it
	DataDir  string       // the folder of datasets, where a request names none
	Threads  int          // for all runs together; at least 1
	Parallel int          // runs at once; 0 is DefaultParallel
	// Network builds what runs train; nil is dro/nn's.
	Network train.NewNetwork
	// Programs says which programs this user has started before: no other is started.
	Programs bridge.Approvals
	// Script is the one whose loop a run of this queue is; nil: no run has a script.
	Script *Script
	// Alone says that nobody may be there to resume a run that waits for room
	// on a full disk: it looks for that by itself too, again and again.
	Alone bool
	// Reports is the folder for reports of panics, mostly the store's.
	Reports string
	// Ended is told of every run that ended, from the run's goroutine; nil tells
	// nobody.
	Ended func(Outcome)

	now      func() time.Time // tells when a checkpoint is due; nil is time.Now
	retry    time.Duration    // how often a run that waits for the disk tries to say so; 0 is 2 s
	patience time.Duration    // how long a verb waits for a run or for another start; 0 is 7 s
}

// Queue runs up to Parallel runs at once, in the order of their start, each in
// a goroutine. Its verbs may be used from any goroutine. None of them waits for
// training but those that say so, and these give up after Settings.patience.
type Queue struct {
	settings Settings
	ctx      context.Context // cancelled: all runs stop, and no other starts
	slots    chan struct{}   // holds a value for each run that trains

	// starting holds a value while runs are prepared, which may take long: datasets
	// are read. What mu guards is at hand for every other verb meanwhile.
	starting chan struct{}

	mu sync.Mutex
	// jobs are those that have not ended, by the run's name. A run that was resumed while
	// its old job ends has the new one here.
	jobs map[string]*job
	// outcomes are of runs that have ended, by name, for Wait.
	outcomes map[string]Outcome
	open     map[string]*shared // datasets in use
	wg       sync.WaitGroup
	// turn is closed when the run launched last has its slot, or needs none:
	// runs start in the order they were asked for. It is nil for the first.
	turn chan struct{}
}

// Outcome is how a run ended. The queue keeps one of each run until it is gone, and of
// a run that was resumed the last.
type Outcome struct {
	ID     string
	Status runner.Status // Done, Stopped or Failed
	Err    error         // why it failed
}

// NewQueue returns a queue. When ctx is cancelled its runs stop at their next
// step boundary, with a checkpoint, and waiting ones never start. Who cancels it calls
// Wait before the process ends, or the checkpoints may be cut short.
func NewQueue(ctx context.Context, s Settings) *Queue {
	s.Parallel, s.Threads = cmp.Or(s.Parallel, runner.DefaultParallel), max(1, s.Threads)
	if s.Network == nil {
		s.Network = train.Native
	}
	s.Host.Threads = s.Threads
	return &Queue{settings: s, ctx: ctx, slots: make(chan struct{}, s.Parallel),
		jobs: map[string]*job{}, outcomes: map[string]Outcome{}, open: map[string]*shared{},
		starting: make(chan struct{}, 1)}
}

// Start implements Verbs. It prepares all runs, then records all, then launches all: an
// error of a spec leaves nothing on disk, and one of the disk only records that abandon
// removes again. It returns when the runs are queued.
func (q *Queue) Start(req runner.Request) ([]string, error) {
	end, err := q.begin()
	if err != nil {
		return nil, err
	}
	defer end()
	if req.Means, err = q.means(req.Means); err != nil {
		return nil, err
	}
	var parent *runner.Past
	if req.Parent != "" {
		if parent, err = q.parent(req.Parent); err != nil {
			return nil, err
		}
	}
	var jobs []*job
	fail := func(err error) ([]string, error) {
		abandon(jobs, q.settings.Store, err)
		for _, j := range jobs {
			q.release(j.data)
		}
		return nil, err
	}
	for i := range req.Specs {
		j, err := q.prepare(req, req.Specs[i], parent)
		if err != nil {
			return fail(err)
		}
		j.says = !req.Quiet && !slices.ContainsFunc(jobs, func(of *job) bool {
			return of.data == j.data
		})
		jobs = append(jobs, j)
		if len(req.IDs) > 0 {
			j.meta.ID = req.IDs[i]
		}
		if parent != nil {
			if err := j.fork(parent); err != nil {
				return fail(fmt.Errorf("%w (from %s)", err, req.Parent))
			}
		}
	}
	for _, j := range jobs {
		err := q.create(j)
		if err == nil && parent != nil {
			err = j.noteKernel(j.meta.Host.Kernel, parent.Meta.Host.Kernel)
		}
		if err != nil {
			return fail(err)
		}
	}
	if parent != nil {
		if err := q.pin(parent, jobs); err != nil {
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

// begin begins to prepare runs, after those that are prepared now, or refuses
// to wait for these any longer. One at a time prepares, so that two starts on the same
// dataset open it once. The caller calls end.
func (q *Queue) begin() (end func(), err error) {
	select {
	case q.starting <- struct{}{}: // nobody else starts, however little patience there is
	default:
		patience := q.patience()
		defer patience.Stop()
		select {
		case q.starting <- struct{}{}:
		case <-q.ctx.Done():
			return nil, q.ended()
		case <-patience.C:
			return nil, errors.New("another start is still reading its data: try again when " +
				"it is done")
		}
	}
	if err := q.ended(); err != nil {
		<-q.starting
		return nil, err
	}
	return func() { <-q.starting }, nil
}

// ended refuses new runs when the queue was told to stop. An engine that is started
// again takes them.
func (q *Queue) ended() error {
	if q.ctx.Err() != nil {
		return errors.New("all runs are being stopped: start it again")
	}
	return nil
}

// parent reads what RUN@STEP means: the run as it was at a checkpoint that was kept.
func (q *Queue) parent(name string) (*runner.Past, error) {
	id, step, err := runner.ParseParent(name)
	if err != nil {
		return nil, err
	}
	return q.settings.Store.Load(id, step)
}

// means fills in what is not set. The error is a *spec.KeyError of too many threads.
func (q *Queue) means(m runner.Means) (runner.Means, error) {
	m.DataDir = cmp.Or(m.DataDir, q.settings.DataDir)
	m.Threads = max(1, cmp.Or(m.Threads, q.settings.Threads))
	if most := runner.MostThreads(); m.Threads > most {
		return m, &spec.KeyError{Key: "threads", Value: m.Threads,
			Want: fmt.Sprintf("at most %d on this machine", most)}
	}
	return m, nil
}

// prepare does all that can fail before anything is written. The job that it returns
// has a user's share of its dataset, which the caller releases if it is not launched.
// It panics where a caller has not expanded its specs: that is the caller's mistake.
func (q *Queue) prepare(req runner.Request, s spec.Spec, parent *runner.Past) (*job, error) {
	named := len(req.IDs) == 0 || len(req.IDs) == len(req.Specs)
	if len(s.Algorithms) != 1 || s.Seeds != 1 || !named {
		panic("queue: Start wants expanded specs, and a name for each or none")
	}
	if err := s.Validate(); err != nil {
		return nil, err
	}
	if req.Dir != "" { // the record shall be of use from everywhere
		s.Dataset = data.Locate(s.Dataset, req.Dir)
	}
	s.SettleProgram(req.Dir)
	like := &runner.Meta{Spec: s}
	if parent != nil {
		like.FittedTo = parent.Meta.FittedTo
	} else if s.ValFraction > 0 {
		like.FittedTo = runner.FittedToTrain
	}
	d, err := q.dataset(like, req.Means)
	if err != nil {
		return nil, err
	}
	host := q.settings.Host
	host.Threads, host.Kernel = req.Threads, kernel(&s, host.Kernel, d)
	meta, err := newMeta(req, s, d, host)
	if err != nil {
		q.release(d)
		return nil, err
	}
	meta.FittedTo = like.FittedTo
	threads := max(1, req.Threads/min(len(req.Specs), q.settings.Parallel))
	return &job{
		meta: meta, spec: s, data: d, gate: q.gate(), threads: threads, until: req.Until,
		means: req.Means,
	}, nil
}

// gate makes the gate of a run. Sixteen orders may wait in it: a person gives one at a
// time, and what floods it is told that the run is busy.
func (q *Queue) gate() *gate.Gate {
	return &gate.Gate{Orders: make(chan gate.Order, 16), Slots: q.slots, Done: q.ctx.Done(),
		Stops: make(chan struct{}, 2),
		Alone: q.settings.Alone, Retry: cmp.Or(q.settings.retry, 2*time.Second)}
}

// create records a run and says in its log that it is queued: from here on it exists
// for everybody. The Store chooses its name.
func (q *Queue) create(j *job) (err error) {
	if j.record, err = q.settings.Store.Create(j.meta, j.from); err != nil {
		return err
	}
	return j.record.Append(&runner.StatusEvent{Head: j.Head(), Status: runner.Queued})
}

// launch hands the job to a goroutine of its own. The caller is starting. When the run
// has ended its data are released first, then its outcome is stored, and only then over
// is closed: who waits for that finds the outcome.
func (q *Queue) launch(j *job) {
	q.mu.Lock()
	defer q.mu.Unlock()
	j.over = make(chan struct{})
	q.jobs[j.meta.ID] = j
	turn, next := q.turn, make(chan struct{})
	q.turn = next
	q.wg.Go(func() {
		status, err := q.run(j, turn, next)
		q.release(j.data)
		if tell := q.settings.Ended; tell != nil {
			defer tell(Outcome{j.meta.ID, status, err}) // without the lock
		}
		q.mu.Lock()
		defer q.mu.Unlock()
		if q.jobs[j.meta.ID] == j { // nobody has resumed it meanwhile
			q.outcomes[j.meta.ID] = Outcome{j.meta.ID, status, err}
			delete(q.jobs, j.meta.ID) // some kilobytes, and there may be ten thousand
		}
		close(j.over)
		j.gate.Close()
	})
}

// run waits for its turn and a slot, lets the next one wait for a slot, and trains. next
// is closed in any case, or the runs behind would wait for ever.
func (q *Queue) run(j *job, turn <-chan struct{}, next chan<- struct{}) (runner.Status, error) {
	defer j.record.Close()
	passed := sync.OnceFunc(func() { close(next) })
	err := j.gate.Enter(turn, passed, false, j)
	if errors.Is(err, gate.ErrStopped) {
		return j.stopEarly()
	}
	if err != nil {
		return runner.Failed, err
	}
	defer j.gate.Leave()
	status, err := q.train(j)
	runtime.GC() // tens of megabytes, before the next run builds a network of its own
	return status, err
}

// train is the run itself. A fault in a mapped file is its failure and no
// other's. It returns how the run ended, which the log says already.
func (q *Queue) train(j *job) (status runner.Status, err error) {
	debug.SetPanicOnFault(true)
	defer func() {
		if p := recover(); p != nil { // before it trains, or behind that
			status, err = j.fail(runner.Panicked(q.settings.Reports, p))
		}
	}()
	share, err := train.TakeRoom(q.ctx, &j.meta.Spec, j.data.Dataset, j.meta.Parameters)
	var r *train.Run
	if err == nil {
		defer share.Release()
		r, err = train.New(train.Plan{
			Meta:    j.meta,
			Data:    j.data.Dataset,
			Record:  j.record,
			Gate:    j.gate,
			Network: q.network(j),
			Threads: j.threads,
			Knobs:   j.knobs,
			Until:   int64(j.until) * j.meta.StepsPerEpoch,
			Notes:   j.notes(),
			Reports: q.settings.Reports,
			Now:     q.settings.now,
		})
	}
	if err != nil {
		return j.fail(err)
	}
	defer r.Close()
	return r.Do(j.from)
}

// Wait is for the end of a program, after the last Start or after ctx was cancelled.
// It returns the outcome of every run, one of each, in no order, once all have ended. When
// the queue was told to stop there are no others.
func (q *Queue) Wait() []Outcome {
	q.settle()
	q.wg.Wait()
	q.mu.Lock()
	defer q.mu.Unlock()
	return slices.Collect(maps.Values(q.outcomes))
}

// settle waits until what is being started is: Wait could miss its goroutines.
func (q *Queue) settle() {
	q.starting <- struct{}{}
	<-q.starting
}

var _ runner.Verbs = (*Queue)(nil)
