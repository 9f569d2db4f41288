package kern

import (
	"runtime"
	"sync"
	"sync/atomic"
)

// A job is a number of independent tasks. Who runs a task, and when, must not change what it computes.
type job interface{ task(i int) }

// Team is a set of threads that share the tasks of one operation at a time. The calling goroutine is one of them; a nil Team or a team
// of 1 starts no goroutine. A Team serves one caller at a time; networks that train at once have a Team each.
//
//	caller: job, next=0, epoch=e -> wake the parked -> take tasks -> epoch=0 -> wait until no worker is inside
//	worker: wait for an epoch (spin, then park) -> inside++ -> same epoch still open? take tasks -> inside--
//
// The caller never waits for a worker that is still asleep, so a busy machine costs a worker, not a stall.
type Team struct {
	job   job
	tasks int64
	turn  uint32 // the caller's count of jobs

	_      [cacheLine]byte
	next   atomic.Int64 // the next task to take
	_      [cacheLine]byte
	epoch  atomic.Uint32 // the open job's turn; 0 while none is open
	inside atomic.Int32  // workers that may read job and tasks
	closed atomic.Bool
	_      [cacheLine]byte

	workers []*worker
	done    sync.WaitGroup
}

// worker is what the team keeps of one goroutine of its own.
type worker struct {
	parked atomic.Bool
	wake   chan struct{} // capacity 1: a token for a worker that parked
	_      [cacheLine]byte
}

// Spinning bridges the gaps between the operations of a step (a few microseconds each); parking keeps an idle team free of cost.
const (
	spinRounds = 400 // about 40 µs
	spinPause  = 64  // PAUSE instructions a round, about 0.1 µs
	spinYield  = 16  // rounds between yields to the Go scheduler
)

// NewTeam returns a team of n threads, at least 1. Close releases it.
func NewTeam(n int) *Team {
	t := &Team{}
	for range n - 1 {
		w := &worker{wake: make(chan struct{}, 1)}
		t.workers = append(t.workers, w)
		t.done.Add(1)
		go t.work(w)
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

// Close ends the team's goroutines and waits for them. The team must be idle; it stays usable with the caller as its only thread.
func (t *Team) Close() {
	if t == nil || t.closed.Swap(true) {
		return
	}
	t.wakeAll()
	t.done.Wait()
	t.workers = nil
}

// run runs tasks 0..n-1 of j and returns when all are done.
func (t *Team) run(n int, j job) {
	if n == 1 || t.Size() == 1 {
		for i := range n {
			j.task(i)
		}
		return
	}
	t.job, t.tasks = j, int64(n)
	t.next.Store(0)
	t.turn = max(t.turn+1, 1)
	t.epoch.Store(t.turn)
	t.wakeAll()
	t.take()
	t.epoch.Store(0)
	for spins := 1; t.inside.Load() != 0; spins++ {
		pause(spinPause)
		if spins%spinYield == 0 {
			runtime.Gosched()
		}
	}
	t.job = nil
}

// take runs tasks until none is left.
func (t *Team) take() {
	for {
		i := t.next.Add(1) - 1
		if i >= t.tasks {
			return
		}
		t.job.task(int(i))
	}
}

func (t *Team) wakeAll() {
	for _, w := range t.workers {
		if w.parked.CompareAndSwap(true, false) {
			w.wake <- struct{}{}
		}
	}
}

func (t *Team) work(w *worker) {
	defer t.done.Done()
	last := uint32(0)
	for !t.closed.Load() {
		last = t.await(w, last)
		t.inside.Add(1)
		// The job may have ended, or the next one begun, since await saw it: only an epoch seen from inside is safe to read.
		if e := t.epoch.Load(); e != 0 {
			last = e
			t.take()
		}
		t.inside.Add(-1)
	}
}

// await returns the open epoch as soon as it differs from last, or last when the team closes.
func (t *Team) await(w *worker, last uint32) uint32 {
	for {
		for spins := 1; spins <= spinRounds; spins++ {
			if e := t.epoch.Load(); e != 0 && e != last {
				return e
			}
			if t.closed.Load() {
				return last
			}
			pause(spinPause)
			if spins%spinYield == 0 {
				runtime.Gosched()
			}
		}
		w.parked.Store(true)
		e := t.epoch.Load()
		news := e != 0 && e != last || t.closed.Load()
		if !news || !w.parked.CompareAndSwap(true, false) {
			<-w.wake
		}
	}
}
