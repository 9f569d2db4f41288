package engine

import (
	"bytes"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"drolab/dro"
	"drolab/dro/testsize"
	"drolab/runner"
	"drolab/runner/data/source"

	"golang.org/x/sys/unix"
)

// TestHostileData starts runs on data sets that were made to exhaust the memory or to be misread,
// in an engine with little memory. Each is refused in one line or trained on. The engine stays the
// same process, and a run beside them ends with the same bits as a run that trains alone.
func TestHostileData(t *testing.T) {
	testsize.NotShort(t, "opens bad data in an engine with little memory: TestForeignFiles of "+
		"runner/data/source has such files")
	if raceDetector {
		t.Skip("the race detector itself takes more memory than the engine is allowed here")
	}
	sets, each, memory := len(traps()), len(traps()), 80<<20
	if testsize.Long() {
		sets, each, memory = 200, 25, 2<<30
	}
	first, stride := 0, 1
	if testing.Short() {
		first, stride = 2, 6 // some that are soon refused
	}
	want := alone(t)
	c := spawning(t, short(t), short(t), "test")
	_, err := c.Start(calm())
	must(t, err)
	s, err := c.Status()
	must(t, err)
	t.Logf("the engine has %d MB by %s", memory>>20, confine(t, s.PID, memory))
	answers := map[string]int{}
	for n := 0; n < sets; n += each {
		ids, err := c.Start(calm())
		must(t, err)
		for i := n + first; i < n+each; i += stride {
			answers[try(t, c, i, memory)]++
		}
		await(t, func() bool { return statusOf(t, c, ids[0]).Ended() })
		if got := comesTo(t, c.RunsDir, ids[0]); !bytes.Equal(got, want) {
			t.Fatalf("after %d data sets the run beside is another one: it is %s", n+each,
				statusOf(t, c, ids[0]))
		}
		now, err := c.Status()
		if err != nil {
			t.Fatalf("Status after %d data sets: %v", n+each, err)
		}
		if now.PID != s.PID {
			t.Fatalf("after %d data sets the engine is process %d, want still %d", n+each, now.PID,
				s.PID)
		}
	}
	for answer, n := range answers {
		t.Logf("%3d %s", n, answer)
	}
	must(t, c.Shutdown(true))
}

// try starts a run on the i-th data set, and returns the kind of the data set and the answer.
func try(t *testing.T, c *Client, i, memory int) string {
	t.Helper()
	all := traps()
	trap := all[i%len(all)]
	m := &maker{t: t, dir: short(t), rng: rand.New(rand.NewPCG(21, uint64(i))), memory: memory}
	defer os.RemoveAll(m.dir)
	r := brief(dro.ERM, 2)
	r.Specs[0].Dataset = trap.make(m)
	ids, err := c.Start(r)
	for _, id := range ids {
		if err := c.Stop(id); err != nil && !errors.Is(err, runner.ErrNotRunning) {
			t.Fatal(err)
		}
	}
	if err == nil {
		return trap.name + ": is read"
	}
	text := strings.ReplaceAll(err.Error(), m.dir, "")
	what := fmt.Sprintf("%s, number %d", trap.name, i)
	wantPlainLine(t, what, text)
	if strings.Contains(text, errClosed.Error()) {
		t.Errorf("%s: the engine has closed the connection: %v", what, err)
	}
	if errors.Is(err, errLate) {
		t.Errorf("%s: the engine is late: %v", what, err)
	}
	return fmt.Sprintf("%s: %.150s", trap.name, text)
}

func statusOf(t *testing.T, c *Client, id string) runner.Status {
	t.Helper()
	return (&storm{Client: c}).status(t, id)
}

// confine limits the memory of a process and of the processes that it starts: of all together by a
// control group where one can be made, else of each process.
func confine(t *testing.T, pid, bytes int) (how string) {
	t.Helper()
	for root, file := range map[string]string{"/sys/fs/cgroup/memory": "memory.limit_in_bytes",
		"/sys/fs/cgroup": "memory.max"} {
		dir, err := os.MkdirTemp(root, "drolab")
		if err != nil {
			continue
		}
		// A control group has its files from the start. Without them this is an ordinary folder: a
		// folder for groups of the older kind takes files as any other folder does.
		put := func(name string, n int) error {
			f, err := os.OpenFile(filepath.Join(dir, name), os.O_WRONLY, 0)
			if err != nil {
				return err
			}
			_, err = f.WriteString(strconv.Itoa(n))
			return errors.Join(err, f.Close())
		}
		if errors.Join(put(file, bytes), put("cgroup.procs", pid)) == nil {
			t.Cleanup(func() {
				// when its processes are gone
				await(t, func() bool { return os.Remove(dir) == nil })
			})
			return "a control group"
		}
		os.Remove(dir)
	}
	limit := unix.Rlimit{Cur: uint64(bytes), Max: uint64(bytes)}
	must(t, unix.Prlimit(pid, unix.RLIMIT_DATA, &limit, nil))
	return "a limit of each process"
}

// TestEndWhileReading: an engine that is asked to end does not wait for data that never arrive.
func TestEndWhileReading(t *testing.T) {
	mark := filepath.Join(short(t), "a.csv")
	defer source.ReadApart(func() *exec.Cmd {
		return exec.Command("sh", "-c", "touch "+mark+" && exec tail -f /dev/null")
	})()
	p := start(t, nil)
	r := brief(dro.ERM, 2)
	r.Specs[0].Dataset = mark
	given := make(chan error)
	go func() {
		_, err := p.Start(r)
		given <- err
	}()
	await(t, func() bool { _, err := os.Stat(mark); return err == nil })
	must(t, p.Shutdown(true))
	wantError(t, "the start", <-given, "reading it was stopped")
}
