package engine

import (
	"os"
	"strconv"
	"testing"

	"drolab/runner"
	"drolab/runner/record"

	"golang.org/x/sys/unix"
)

// TestOutOfFiles starts more runs than the engine may open files for. None of the new runs is left
// behind, and a run that trains goes on.
func TestOutOfFiles(t *testing.T) {
	c := spawning(t, short(t), short(t), "test")
	r := brief("sfk", 1_000_000)
	ids, err := c.Start(r)
	must(t, err)
	s, err := c.Status()
	must(t, err)
	open, err := os.ReadDir("/proc/" + strconv.Itoa(s.PID) + "/fd")
	must(t, err)
	few := uint64(len(open) + 30)
	must(t, unix.Prlimit(s.PID, unix.RLIMIT_NOFILE, &unix.Rlimit{Cur: few, Max: few}, nil))
	many := brief("sfk", 1)
	for len(many.Specs) < 60 {
		many.Specs = append(many.Specs, many.Specs[0])
	}
	if _, err := c.Start(many); err == nil {
		t.Error("Start of 60 runs with room for 30 files = nil, want an error")
	}
	left, problems := record.List(c.RunsDir)
	if len(left) != 1 {
		t.Errorf("%d runs are left, want the first one alone", len(left))
	}
	if len(problems) > 0 {
		t.Errorf("the list of runs has the problems %v, want none", problems)
	}
	is := func(want runner.Status) func() bool {
		return func() bool {
			r, err := record.Find(c.RunsDir, ids[0])
			return err == nil && r.Status() == want
		}
	}
	if is(runner.Paused)() { // it found no file to save to, as on a full disk
		must(t, c.Resume(ids[0]))
	}
	await(t, is(runner.Running))
	must(t, c.Stop(ids[0]))
	await(t, is(runner.Stopped))
	must(t, c.Shutdown(true))
}
