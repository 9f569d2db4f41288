//go:build unix

package record

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"syscall"
	"testing"

	"drolab/dro/testsize"
	"drolab/runner"
	"drolab/runner/data"
	"drolab/runner/internal/atomicfile/atomicfiletest"
	"drolab/runner/queue"
	"drolab/runner/spec"
	runtrain "drolab/runner/train"
)

// TestEveryEndHasItsSummary: however a run ends, before or while it trains, its summary says so.
func TestEveryEndHasItsSummary(t *testing.T) {
	s := newStore(t)
	begun, on := make(chan uint64, 2), make(chan struct{})
	network := func(sp *spec.Spec, d *data.Dataset, threads int) (runtrain.Network, error) {
		begun <- sp.Seed
		<-on
		return nil, errors.New("it cannot be built")
	}
	q := queue.NewQueue(t.Context(),
		queue.Settings{Store: s, Threads: 1, Parallel: 1, Network: network})
	two := tiny()
	two.Seeds = 2
	ids, err := q.Start(runner.Request{Specs: two.Expand()})
	must(t, err)
	begins, waits := ids[0], ids[1] // whichever gets the only place
	if <-begun != two.Expand()[0].Seed {
		begins, waits = waits, begins
	}
	must(t, q.Stop(waits))
	close(on)
	q.Wait()
	for id, want := range map[string]runner.Status{begins: runner.Failed, waits: runner.Stopped} {
		var sum runner.Summary
		must(t, in(t, filepath.Join(s.dir, id)).ReadJSON(summaryName, &sum))
		if sum.Status != want {
			t.Errorf("%s: the summary says %s, want %s", id, sum.Status, want)
		}
		if sum.Cause == "" {
			t.Errorf("%s: the summary has no cause", id)
		}
	}
	list, _, err := Examine(s.dir, false)
	must(t, err)
	if len(list) > 0 {
		t.Errorf("the doctor found %s, want nothing", findings(list))
	}
}

// TestEndWithoutDescriptors: a run that fails while no descriptor is left has a summary and a
// status.
func TestEndWithoutDescriptors(t *testing.T) {
	s := newStore(t)
	m := newMeta(1)
	r := create(t, s, m)
	must(t, r.Append(status(0, runner.Running)))
	e := runner.NewStatus(head(3), runner.Failed, errors.New("no descriptor is left"))
	var limit syscall.Rlimit
	must(t, syscall.Getrlimit(syscall.RLIMIT_NOFILE, &limit))
	few := limit
	few.Cur = 256
	must(t, syscall.Setrlimit(syscall.RLIMIT_NOFILE, &few))
	defer syscall.Setrlimit(syscall.RLIMIT_NOFILE, &limit)
	for {
		f, err := os.Open(os.DevNull)
		if errors.Is(err, syscall.EMFILE) {
			break
		}
		must(t, err)
		defer f.Close()
	}
	if _, err := r.Checkpoint(newState(3)); !errors.Is(err, syscall.EMFILE) {
		t.Fatalf("Checkpoint without descriptors: %v, want EMFILE", err)
	}
	must(t, r.Finish(m.Ended(e.Status, e.Cause, 3, &runner.State{})))
	must(t, r.Append(e))
	must(t, r.Close())
	run := findRun(s, original)
	if run.Status() != runner.Failed {
		t.Errorf("status %s, want %s", run.Status(), runner.Failed)
	}
	if cause := run.Summary().Cause; cause != e.Cause {
		t.Errorf("cause %q, want %q", cause, e.Cause)
	}
}

// TestWarnedOnce: a run that is killed at any moment and goes on, from a checkpoint or from its
// start, has no warning twice in its log.
func TestWarnedOnce(t *testing.T) {
	sp := tiny()
	sp.LRDropEpoch = 5
	req := runner.Request{Specs: []spec.Spec{sp}}
	warnings := func(s *Store) (list []string) {
		for _, w := range history(t, findRun(s, original).Tail()).Warnings {
			list = append(list, fmt.Sprint(w.Step, " ", w.Message))
		}
		return list
	}
	whole := &atomicfiletest.Faults{}
	s := newStore(t)
	s.open = whole.Open
	must(t, train(s, nil, req))
	want := warnings(s)
	if len(want) == 0 {
		t.Fatal("the run has no warning")
	}
	for at := 1; at <= len(whole.Trace()); at += testsize.Pick(24, 8, 8) {
		s := newStore(t)
		s.open = (&atomicfiletest.Faults{At: at, Killed: true}).Open
		train(s, nil, req)
		s.open = nil
		had := findRun(s, original)
		if had != nil && had.Status() == runner.Done {
			continue
		}
		must(t, train(s, had, req))
		if got := warnings(s); !slices.Equal(got, want) {
			t.Errorf("killed at operation %d of %d: %q, want %q", at, len(whole.Trace()), got, want)
		}
	}
}
