package kern

import (
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
)

// taskCounts is a job that counts how often each task runs.
type taskCounts []atomic.Int32

func (c taskCounts) task(i int) { c[i].Add(1) }

func TestTeamRunsEachTaskOnce(t *testing.T) {
	for _, n := range []int{1, 2, 3, 8} {
		team := NewTeam(n)
		if team.Size() != n {
			t.Errorf("Size = %d, want %d", team.Size(), n)
		}
		for round := range 2000 {
			c := make(taskCounts, 1+round%17)
			team.run(len(c), c)
			for i := range c {
				if got := c[i].Load(); got != 1 {
					t.Fatalf("%d threads, round %d: task %d ran %d times", n, round, i, got)
				}
			}
		}
		team.Close()
		team.Close()
		c := make(taskCounts, 3)
		team.run(3, c)
		if c[2].Load() != 1 {
			t.Error("a closed team does not run on its caller")
		}
	}
}

// TestTeamsSideBySide runs more teams than there are processors, with pauses in which workers park.
func TestTeamsSideBySide(t *testing.T) {
	var all sync.WaitGroup
	for range 6 {
		all.Add(1)
		go func() {
			defer all.Done()
			team := NewTeam(3)
			defer team.Close()
			for round := range 300 {
				c := make(taskCounts, 20)
				team.run(len(c), c)
				for i := range c {
					if c[i].Load() != 1 {
						t.Errorf("task %d did not run once", i)
						return
					}
				}
				if round%50 == 0 {
					for !team.allParked() {
						runtime.Gosched()
					}
				}
			}
		}()
	}
	all.Wait()
}

func (t *Team) allParked() bool {
	for _, w := range t.workers {
		if !w.parked.Load() {
			return false
		}
	}
	return true
}

func TestSerialTeamStartsNoGoroutine(t *testing.T) {
	before := runtime.NumGoroutine()
	team := NewTeam(1)
	if after := runtime.NumGoroutine(); after > before { // one of another test may end meanwhile
		t.Errorf("a team of 1 started %d goroutines", after-before)
	}
	team.Close()
	var none *Team
	if none.Size() != 1 {
		t.Error("a nil team is not one thread")
	}
	none.Close()
}

// panicOf returns the value that f panics with, or nil.
func panicOf(f func()) (what any) {
	defer func() { what = recover() }()
	f()
	return nil
}

// The panic of a task surfaces in the caller of the operation, and the team works as before.
func TestTeamPanicsInItsCaller(t *testing.T) {
	for _, n := range []int{1, 2, 5} {
		team := NewTeam(n)
		for round := range 50 {
			bad := round % 9
			if p := panicOf(func() {
				team.RunEach(9, func(i int) {
					if i == bad {
						panic(i)
					}
				})
			}); p != bad {
				t.Errorf("%d threads: task %d panicked, the caller with %v", n, bad, p)
			}
			c := make(taskCounts, 9)
			team.run(len(c), c)
			for i := range c {
				if c[i].Load() != 1 {
					t.Fatalf("%d threads: after a panic, task %d did not run once", n, i)
				}
			}
		}
		team.Close()
	}
}

// shareOf returns the tasks that a thread takes if nobody helps it.
func TestShareOf(t *testing.T) {
	for _, n := range []int{2, 5, 8} {
		team := NewTeam(3)
		team.tasks = int64(n)
		for i := range n {
			first, end := team.shareOf(i, n)
			thread := 0
			for int(team.shareStart(thread+1)) <= i {
				thread++
			}
			if first != int(team.shareStart(thread)) || end != int(team.shareStart(thread+1)) {
				t.Errorf("task %d of %d: share %d to %d, taken from %d to %d", i, n, first, end,
					team.shareStart(thread), team.shareStart(thread+1))
			}
		}
		team.Close()
	}
	if first, end := (*Team)(nil).shareOf(3, 8); first != 0 || end != 8 {
		t.Errorf("alone: %d to %d", first, end)
	}
}
