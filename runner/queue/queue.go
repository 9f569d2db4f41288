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
	"sync/atomic"
	"time"

	"drolab/runner"
	"drolab/runner/bridge"
	"drolab/runner/data/source"
	"drolab/runner/machine"
	"drolab/runner/spec"
	"drolab/runner/train"
)

// Settings are the settings of a Queue. NewQueue fills in missing ones; they do not change later.
type Settings struct {
	Store    runner.Store // where runs are recorded; the queue does not close it
	Host     runner.Host  // as run.json has it
	DataDir  string       // the folder of datasets, if a request names none
	Threads  int          // the number of threads for all runs together; at least 1
	Parallel int          // the number of runs at once; 0 is DefaultParallel
	// Network builds the network of a run; nil: dro/nn's.
	Network train.NewNetwork
	// Programs says which programs this user has started before: no other is started.
	Programs bridge.Approvals
	// Script is the script that may drive the loop of a run here; nil: no run has a script.
	Script *ScriptRun
	// Alone says that nobody may be there to resume a run that waits for space on a full disk. The
	// run then retries by itself, again and again.
	Alone bool
	// Waits is called when a run begins to wait for space on a full disk, with the cause, on the
	// run's goroutine, unless it is nil.
	Waits func(cause error)
	// Reports is the folder for reports of panics, usually the store's. The machine's figures are
	// about its disk.
	Reports string
	// Look is called every ten seconds for a run that trains, on the goroutine that watches the
	// machine, so that somebody may look at its log; nil is not called.
	Look func(id string)
	// Ended is called with the outcome of every run that ended, on the run's goroutine, unless it
	// is nil.
	Ended func(Outcome)

	now func() time.Time // tells when a checkpoint is due; nil is time.Now
	// retry is how often a run that waits for the disk tries to log that; 0: 2 s.
	retry       time.Duration
	verbTimeout time.Duration // how long a verb waits for a run or another start; 0: 7 s
}

// Queue runs up to Parallel runs at once, in the order of their start, each in a goroutine. Its
// verbs may be called from any goroutine. None of them waits for training unless it says so, and
// then it gives up after Settings.verbTimeout.
type Queue struct {
	runner.OrderFunc
	settings Settings
	ctx      context.Context // when cancelled, all runs stop and no other starts
	machine  *machine.Watch
	slots    chan struct{} // holds a value for each run that trains

	// starting holds a value while runs are prepared. That may take long, since datasets are read.
	// The fields that mu guards remain available to all other verbs meanwhile.
	starting chan struct{}

	reading atomic.Pointer[runner.Reading] // of the data that a start reads now; nil: none

	mu sync.Mutex
	// jobs are the jobs that have not ended, by the run's name. If a run was resumed while its old
	// job ends, the new job is here.
	jobs map[string]*job
	// outcomes are the outcomes of runs that have ended, by the run's name, for Wait.
	outcomes map[string]Outcome
	open     map[string]*sharedData // datasets in use
	wg       sync.WaitGroup
	// turn is closed when the run launched last has its slot, or needs none: runs start in the
	// order of their launch. It is nil for the first.
	turn chan struct{}
}

// Outcome is the way in which a run ended. The queue keeps the latest outcome of each run for its
// own lifetime.
type Outcome struct {
	ID     string
	Status runner.Status // Done, Stopped or Failed
	Err    error         // why it failed
}

// NewQueue returns a queue. When ctx is cancelled, its runs stop at their next step boundary, with
// a checkpoint, and waiting runs never start. The caller that cancels ctx calls Wait before the
// process ends, or the checkpoints may be cut short.
func NewQueue(ctx context.Context, s Settings) *Queue {
	s.Parallel, s.Threads = cmp.Or(s.Parallel, runner.DefaultParallel), max(1, s.Threads)
	if s.Network == nil {
		s.Network = train.Native
	}
	s.Host.Threads = s.Threads
	q := &Queue{settings: s, ctx: ctx, slots: make(chan struct{}, s.Parallel),
		jobs: map[string]*job{}, outcomes: map[string]Outcome{}, open: map[string]*sharedData{},
		starting: make(chan struct{}, 1)}
	q.OrderFunc = q.carryOut
	q.machine = machine.NewWatch(ctx, s.Reports, func(p any) { runner.ReportPanic(s.Reports, p) })
	return q
}

// Start implements Verbs. It prepares all runs, then records all, then launches all. So an error in
// a spec leaves nothing on disk, and an error of the disk only leaves records that abandon removes.
// It returns when the runs are queued.
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
		var release func()
		if parent, release, err = q.parent(req.Parent); err != nil {
			return nil, err
		}
		defer release()
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
		j, err := q.prepare(req, req.Specs[i])
		if err != nil {
			return fail(err)
		}
		j.logsNotes = !req.Quiet && !slices.ContainsFunc(jobs, func(of *job) bool {
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

// begin waits until no other start prepares runs, but not longer than verbTimeout. Only
// one start prepares at a time, so that two starts on the same dataset open it once. The caller
// calls end.
func (q *Queue) begin() (end func(), err error) {
	select {
	case q.starting <- struct{}{}: // no other start
	default:
		select {
		case q.starting <- struct{}{}:
		case <-q.ctx.Done():
			return nil, q.stopError()
		case <-q.verbTimer():
			return nil, runner.ErrStarting
		}
	}
	if err := q.stopError(); err != nil {
		<-q.starting
		return nil, err
	}
	return func() { <-q.starting }, nil
}

// stopError returns an error for new runs if the queue was told to stop. A newly started engine
// takes them.
func (q *Queue) stopError() error {
	if q.ctx.Err() != nil {
		return errors.New("all runs are being stopped: start it again")
	}
	return nil
}

// means fills in missing values. The error is a *spec.KeyError about too many threads.
func (q *Queue) means(m runner.Means) (runner.Means, error) {
	m.DataDir = cmp.Or(m.DataDir, q.settings.DataDir)
	m.Threads = max(1, cmp.Or(m.Threads, q.settings.Threads))
	if most := runner.MostThreads(); m.Threads > most {
		return m, &spec.KeyError{Key: "threads", Value: m.Threads,
			Want: fmt.Sprintf("at most %d on this machine", most)}
	}
	return m, nil
}

// prepare does everything that can fail before anything is written. The returned job holds a share
// of its dataset, which the caller releases if it does not launch the job. prepare panics if a
// caller has not expanded its specs, which is the caller's mistake.
func (q *Queue) prepare(req runner.Request, s spec.Spec) (*job, error) {
	named := len(req.IDs) == 0 || len(req.IDs) == len(req.Specs)
	if len(s.Algorithms) != 1 || s.Seeds != 1 || !named {
		panic("queue: Start wants expanded specs, and a name for each or none")
	}
	if err := s.Validate(); err != nil {
		return nil, err
	}
	if req.Dir != "" { // the record must be usable from everywhere
		s.Dataset = source.Locate(s.Dataset, req.Dir)
	}
	s.SettleProgram(req.Dir)
	s.SettleConvolution()
	d, err := q.dataset(&runner.Meta{Spec: s}, req.Means)
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
	threads := max(1, req.Threads/min(len(req.Specs), q.settings.Parallel))
	return &job{
		meta: meta, spec: s, data: d, gate: q.gate(), threads: threads, until: req.Until,
		means: req.Means,
	}, nil
}

// gate makes the gate of a run. Sixteen orders can wait in it: a person gives one at a time, and a
// program that floods it is told that the run is busy.
func (q *Queue) gate() *train.Gate {
	return &train.Gate{Orders: make(chan train.Order, 16), Slots: q.slots, Done: q.ctx.Done(),
		Stops: make(chan struct{}, 2),
		Alone: q.settings.Alone, Waits: q.settings.Waits,
		Retry: cmp.Or(q.settings.retry, 2*time.Second)}
}

// create records a run and logs that it is queued: from here on it is visible to everybody. The
// Store chooses its name.
func (q *Queue) create(j *job) (err error) {
	if j.record, err = q.settings.Store.Create(j.meta, j.from); err != nil {
		return err
	}
	return j.record.Append(&runner.StatusEvent{Head: j.Head(), Status: runner.Queued})
}

// launch starts a goroutine for the job. The caller holds q.starting. When the run has ended, its
// data are released first, then its outcome is stored, and only then over is closed: a goroutine
// that waits for over finds the outcome.
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

// run waits for its turn and a slot, lets the next run wait for a slot, and trains. next is closed
// in any case, or the later runs would wait for ever.
func (q *Queue) run(j *job, turn <-chan struct{}, next chan<- struct{}) (runner.Status, error) {
	defer j.record.Close()
	passed := sync.OnceFunc(func() { close(next) })
	err := j.gate.Enter(turn, passed, false, j)
	if errors.Is(err, train.ErrStopped) {
		return j.stopEarly()
	}
	if err != nil {
		return j.fail(err)
	}
	defer j.gate.Leave()
	return q.train(j)
}

// collectFrom is the memory of a run, in bytes, from which its end is worth a garbage collection. A
// collection takes milliseconds, as long as a small run.
const collectFrom = 16 << 20

// train trains the run. A fault in a mapped file fails this run alone. It returns how the run
// ended, which the log says already.
func (q *Queue) train(j *job) (status runner.Status, err error) {
	debug.SetPanicOnFault(true)
	defer func() {
		if p := recover(); p != nil { // a panic before or after the training
			status, err = j.fail(runner.ReportPanic(q.settings.Reports, p))
		}
	}()
	share, err := train.ReserveMemory(q.ctx, &j.meta.Spec, j.data.Dataset, j.meta.Parameters)
	if err != nil {
		return j.fail(err)
	}
	defer func() {
		if share.Bytes() >= collectFrom {
			runtime.GC() // before the next run builds its network
		}
		share.Release()
	}()
	r, err := train.New(train.Plan{
		Meta:    j.meta,
		Data:    j.data.Dataset,
		Record:  j.record,
		Gate:    j.gate,
		Network: q.network(j),
		Leader:  q.leader(j),
		Threads: j.threads,
		Knobs:   j.knobs,
		Until:   int64(j.until) * j.meta.StepsPerEpoch,
		Notes:   j.notes(),
		Reports: q.settings.Reports,
		Now:     q.settings.now,
	})
	if err != nil {
		return j.fail(err)
	}
	defer r.Close()
	if o, ok := j.record.(runner.Observer); ok {
		defer q.machine.Follow(q.observer(j, o), j.processes...)()
	}
	return r.Do(j.from)
}

// Wait is for the end of a program, after the last Start or after ctx was cancelled. It returns the
// outcome of every run, one for each, in no order, once all runs have ended. If the queue was told
// to stop, no other runs follow.
func (q *Queue) Wait() []Outcome {
	q.starting <- struct{}{} // after a start that is under way: its goroutines count, too
	<-q.starting
	q.wg.Wait()
	q.machine.End()
	q.mu.Lock()
	defer q.mu.Unlock()
	return slices.Collect(maps.Values(q.outcomes))
}

var _ runner.Verbs = (*Queue)(nil)
