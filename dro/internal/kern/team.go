package kern

import (
	"runtime"
	"runtime/debug"
	"sync"
	"sync/atomic"
)

// A job is a number of independent tasks. Neither the thread that runs a task nor the time at which
// it runs may change what the task computes.
type job interface{ task(i int) }

// Team is a set of threads that share the tasks of one operation at a time. The calling goroutine
// is one of them; a nil Team or a team of 1 starts no goroutine. A Team serves one caller at a
// time; networks that train at once have a Team each.
//
//	caller: job, shares, epoch=e -> wake the parked -> take tasks -> epoch=0
//	        -> wait until no worker is inside
//	worker: wait for an epoch -> inside++ -> an epoch still open? take tasks -> inside--
//	        -> wake the caller
//
// A thread that waits spins first, and then parks.
//
// The caller never waits for a worker that is still asleep, so a busy machine costs a worker, not a
// stall.
type Team struct {
	job      job
	tasks    int64
	jobCount uint32 // the caller's count of jobs

	_      [cacheLine]byte
	epoch  atomic.Uint32 // the number of the open job; 0 while none is open
	inside atomic.Int32  // workers that may read job and tasks
	closed atomic.Bool
	_      [cacheLine]byte

	failed atomic.Pointer[failure] // the panic of a task of the open job

	shares  []taskShare // by thread, the caller's first
	caller  parker
	workers []*parker
	done    sync.WaitGroup
}

// taskShare counts the tasks taken from the share of one thread. A share is a run of neighbouring
// tasks. It is the same in every operation of one size, so that a thread finds in its cache what it
// wrote before. A thread that has finished its own share helps with the others.
type taskShare struct {
	next atomic.Int64
	_    [cacheLine]byte
}

// parker is where a thread of the team sleeps.
type parker struct {
	parked atomic.Bool
	wake   chan struct{} // capacity 1: a token for a thread that parked
	_      [cacheLine]byte
}

func (b *parker) unpark() {
	if b.parked.CompareAndSwap(true, false) {
		b.wake <- struct{}{}
	}
}

// await returns once ready returns true: it spins first, and then sleeps until unparked. Whoever
// makes ready true must unpark the thread afterwards.
func (b *parker) await(ready func() bool) {
	for {
		for spins := 1; spins <= spinRounds; spins++ {
			if ready() {
				return
			}
			pause(spinPause)
			if spins%spinYield == 0 {
				runtime.Gosched()
			}
		}
		b.parked.Store(true)
		// ready may have become true after the last look and before parked was set, when nobody was
		// there to unpark it. Look again, and take the token if one is on its way.
		if !ready() || !b.parked.CompareAndSwap(true, false) {
			<-b.wake
		}
	}
}

// Spinning bridges the gaps between the operations of a step (a few microseconds each); parking
// keeps an idle team free of cost. A spin round is short, because half a round is lost at the
// beginning and at the end of an operation: a step of a linear model is seven operations in 50 µs.
const (
	spinRounds = 1600 // about 180 µs
	spinPause  = 8    // PAUSE instructions a round, about 0.1 µs (14 ns each on a Sapphire Rapids)
	spinYield  = 64   // rounds between yields to the Go scheduler
)

// NewTeam returns a team of n threads, at least 1. Close releases it.
func NewTeam(n int) *Team {
	t := &Team{shares: make([]taskShare, max(n, 1)), caller: parker{wake: make(chan struct{}, 1)}}
	for i := 1; i < n; i++ {
		b := &parker{wake: make(chan struct{}, 1)}
		t.workers = append(t.workers, b)
		t.done.Add(1)
		go t.work(b, i)
	}
	return t
}

// Size returns the number of threads, the caller's included.
func (t *Team) Size() int {
	if t == nil {
		return 1
	}
	return 1 + len(t.workers)
}

// Close ends the team's goroutines and waits for them. The team must be idle; it stays usable with
// the caller as its only thread.
func (t *Team) Close() {
	if t == nil || t.closed.Swap(true) {
		return
	}
	t.unparkWorkers()
	t.done.Wait()
	t.workers = nil
}

// failure holds the value that a task panicked with. As a rule, the task read a mapped file that
// was cut.
type failure struct{ value any }

// run runs the tasks 0 to n-1 of j and returns when all are done. If a task panics, on whatever
// thread, run panics with the same value once no thread is inside any more; other tasks may then
// not have run.
func (t *Team) run(n int, j job) {
	if n == 1 || t.Size() == 1 {
		for i := range n {
			j.task(i)
		}
		return
	}
	t.job, t.tasks = j, int64(n)
	for i := range t.shares {
		t.shares[i].next.Store(t.shareStart(i))
	}
	t.jobCount = max(t.jobCount+1, 1)
	t.epoch.Store(t.jobCount)
	t.unparkWorkers()
	t.runTasks(0)
	t.epoch.Store(0)
	t.caller.await(func() bool { return t.inside.Load() == 0 })
	t.job = nil
	if f := t.failed.Swap(nil); f != nil {
		panic(f.value)
	}
}

// RunEach runs f(0) to f(n-1), which the threads share, and returns when all are done.
func (t *Team) RunEach(n int, f func(i int)) { t.run(n, taskFunc(f)) }

type taskFunc func(i int)

func (e taskFunc) task(i int) { e(i) }

// shareStart returns the first task of a thread's share.
func (t *Team) shareStart(thread int) int64 {
	return t.tasks * int64(thread) / int64(len(t.shares))
}

// shareOf returns the first task of the share that task i of n is in, and the one after its last.
func (t *Team) shareOf(i, n int) (first, end int) {
	threads := t.Size()
	for thread := range threads {
		end = n * (thread + 1) / threads
		if i < end {
			return n * thread / threads, end
		}
	}
	return n, n
}

// runTasks runs tasks until none is left, beginning with the tasks of the given thread's share.
func (t *Team) runTasks(thread int) {
	defer t.recoverPanic()
	for range t.shares {
		end := t.shareStart(thread + 1)
		for i := t.shares[thread].next.Add(1) - 1; i < end; i = t.shares[thread].next.Add(1) - 1 {
			t.job.task(int(i))
		}
		thread = (thread + 1) % len(t.shares)
	}
}

// recoverPanic recovers a panic of this thread and keeps it for the caller.
func (t *Team) recoverPanic() {
	if p := recover(); p != nil {
		t.failed.Store(&failure{p})
	}
}

func (t *Team) unparkWorkers() {
	for _, b := range t.workers {
		b.unpark()
	}
}

// work is the loop of a worker: it waits for an epoch and takes tasks, until the team is closed.
func (t *Team) work(b *parker, thread int) {
	defer t.done.Done()
	debug.SetPanicOnFault(true) // reading a mapped file that was cut then fails the task
	last := uint32(0)           // the epoch that this worker was in
	for !t.closed.Load() {
		b.await(func() bool {
			e := t.epoch.Load()
			return e != 0 && e != last || t.closed.Load()
		})
		t.inside.Add(1)
		// The job may have ended, or the next one begun, since await looked: only an epoch seen
		// from inside is safe to read.
		if e := t.epoch.Load(); e != 0 {
			last = e
			t.runTasks(thread)
		}
		if t.inside.Add(-1) == 0 {
			t.caller.unpark()
		}
	}
}
