//go:build unix

package engine_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"drolab/dro/peertest"
	"drolab/dro/testsize"
	"drolab/runner"
	"drolab/runner/engine"
	"drolab/runner/record"
)

// ranks runs peer/ranks.py and returns the words of the lines that it prints.
func (r runsDir) ranks(t *testing.T, what ...string) [][]string {
	t.Helper()
	lines, err := r.python(t, "numpy torch", "ranks.py", what...)
	if err != nil {
		t.Fatal(err)
	}
	var words [][]string
	for _, line := range lines {
		words = append(words, strings.Fields(line))
	}
	return words
}

// TestRanks: 3 processes, and 2 and 4 with DROLAB_LONG=1, come to the numbers of one that has the
// same batches, also where they have unequal parts of a batch, and where a sampler repeats samples
// of an evaluation.
func TestRanks(t *testing.T) {
	t.Parallel()
	r := runsDir(t.TempDir())
	lines := r.ranks(t, "numbers")
	splits := 1
	if testsize.Long() {
		splits = 4
	}
	if len(lines) != splits*10 {
		t.Fatalf("ranks.py prints %d lines, want %d: %q", len(lines), splits*10, lines)
	}
	for _, words := range lines {
		if len(words) != 5 {
			t.Fatalf("ranks.py prints %q, want five words", words)
		}
		want, got := r.log(t, words[3]), r.log(t, words[4])
		wantLog(t, fmt.Sprint(words), got, want, 1e-4, 42)
		for name := range want {
			for _, z := range []string{"lambda", "eta"} {
				a, b := want[name].(map[string]any)[z], got[name].(map[string]any)[z]
				if at := differ(b, a, 1e-6, name+"."+z); at != "" {
					t.Errorf("%q: the log differs from that of one process: %s", words, at)
				}
			}
		}
		run, err := record.Find(string(r), words[4])
		if err != nil {
			t.Fatal(err)
		}
		processes := 1 + strings.Count(words[2], "-")
		if got := run.Meta.Program.Processes; got != processes {
			t.Errorf("%q: the run has %d processes, want %d", words, got, processes)
		}
	}
}

// TestFaultsOfRanks: whatever goes wrong on a rank, all others say it in one line, the run has the
// right status, and a new start continues it to the same bits.
func TestFaultsOfRanks(t *testing.T) {
	t.Parallel()
	for _, size := range []string{"2", "3"} {
		if size == "3" && !testsize.Long() {
			continue
		}
		t.Run(size, func(t *testing.T) {
			t.Parallel()
			r := runsDir(t.TempDir())
			var cause string
			runs := 0
			for _, words := range r.ranks(t, "faults", size) {
				switch words[0] {
				case "says":
					cause = strings.Join(words[5:], " ")
				case "run":
					runs++
					run, err := record.Find(string(r), words[1])
					if err != nil {
						t.Fatal(err)
					}
					if words[2] == "done" {
						wantStatus(t, fmt.Sprint(words), run, runner.Done)
					}
					if words[2] == "failed" && !hasCause(t, run, cause) {
						t.Errorf("%q: no event has the cause %q", words, cause)
					}
				}
			}
			if runs < 8 {
				t.Errorf("%d runs, want 8 or more", runs)
			}
		})
	}
}

// TestSharded: FSDP2 in two processes has the gradient norms and the parameters of one process,
// also with two parts of each batch.
func TestSharded(t *testing.T) {
	t.Parallel()
	r := runsDir(t.TempDir())
	lines := r.ranks(t, "sharded")
	if len(lines) != 2 {
		t.Fatalf("ranks.py prints %q, want two lines", lines)
	}
	for _, words := range lines {
		want, got := r.log(t, words[2]), r.log(t, words[3])
		wantLog(t, fmt.Sprint(words), got, want, 1e-5, len(want))
		norms := 0
		for name, event := range want {
			at := event.(map[string]any)
			norm, _ := at["grad_norm"].(float64)
			if norm > 0 {
				norms++
			}
			if _, sharded := got[name]; !sharded {
				t.Errorf("%q: the run of FSDP2 has no event %s", words, name)
			}
		}
		if norms != 8 {
			t.Errorf("%q: %d events have a grad_norm, want 8", words, norms)
		}
	}
}

// TestRestartedRanks: a script whose processes the elastic agent starts again after a fault
// continues its run to the same bits, if it asks for that. Otherwise it begins a new run, whose log
// says so, and the run before it has ended.
func TestRestartedRanks(t *testing.T) {
	t.Parallel()
	ends := map[string]string{}
	for _, words := range [][]string{{"auto", "raise-1"}, {"auto", "kill-0"}, {"new", "raise-0"}} {
		what := strings.Join(words, " ")
		r := runsDir(t.TempDir())
		lines, err := r.python(t, "numpy torch", "elastic.py", words...)
		if err != nil {
			t.Fatalf("%s: %v", what, err)
		}
		if len(lines) != 3 {
			t.Fatalf("%s: elastic.py prints %q, want three lines", what, lines)
		}
		ends[lines[2]] = what
		first, second := strings.Fields(lines[0])[1], strings.Fields(lines[1])[1]
		run, err := record.Find(string(r), second)
		if err != nil {
			t.Fatal(err)
		}
		wantStatus(t, what, run, runner.Done)
		text, err := os.ReadFile(filepath.Join(run.Dir, "events.jsonl"))
		if err != nil {
			t.Fatal(err)
		}
		isNew := words[0] == "new"
		if (first != second) != isNew {
			t.Errorf("%s: the runs are %s and %s", what, first, second)
		}
		if said := strings.Contains(string(text), "this is a new run"); said != isNew {
			t.Errorf("%s: the log says that the run is new: %t, want %t", what, said, isNew)
		}
		if isNew {
			before, err := record.Find(string(r), first)
			if err != nil {
				t.Fatal(err)
			}
			wantStatus(t, what, before, runner.Failed)
		}
	}
	if len(ends) != 1 {
		t.Errorf("the runs end at %v, want one parameter", ends)
	}
}

// TestShufflesOfRanks: ranks that shuffle the training split each in its own way see a part of it
// twice in an epoch, and ranks that do not share it out see all of it twice. The log says so once.
// It says nothing of ranks that share it out, or draw with replacement.
func TestShufflesOfRanks(t *testing.T) {
	t.Parallel()
	r := runsDir(t.TempDir())
	lines := r.ranks(t, "shuffles")
	if len(lines) != 5 {
		t.Fatalf("%d runs, want 5: %q", len(lines), lines)
	}
	for _, words := range lines {
		want := words[2]
		text, err := os.ReadFile(filepath.Join(string(r), words[1], "events.jsonl"))
		if err != nil {
			t.Fatal(err)
		}
		said := regexp.MustCompile(`1200 samples of an epoch are ([0-9]+) different ones`).
			FindAllStringSubmatch(string(text), -1)
		switch {
		case want == "0" && len(said) > 0:
			t.Errorf("%q: the log says %q: want nothing", words, said)
		case want != "0" && (len(said) != 1 || said[0][1] != want):
			t.Errorf("%q: the log says %q: want %s samples, once", words, said, want)
		}
	}
}

// hasCause reports whether the log of a run says that it failed for this cause.
func hasCause(t *testing.T, run *record.Run, cause string) bool {
	text, err := os.ReadFile(filepath.Join(run.Dir, "events.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(text)) {
		if strings.Contains(line, `"status":"failed"`) && strings.Contains(line, cause) {
			return true
		}
	}
	return false
}

// TestKillsOfRanks: a rank may be killed at any place, and the resumed run has the same bits.
func TestKillsOfRanks(t *testing.T) {
	testsize.OnlyLong(t, "a hundred kills")
	for _, size := range []string{"2", "3"} {
		t.Run(size, func(t *testing.T) {
			t.Parallel()
			r := runsDir(t.TempDir())
			lines := r.ranks(t, "kills", size, "20")
			want := r.log(t, lines[0][0])
			for _, words := range lines[1:] {
				wantLog(t, fmt.Sprint(words), r.log(t, words[0]), want, 0, 15)
			}
		})
	}
}

// rankRun is a run in two processes that train until they are stopped.
type rankRun struct {
	*testing.T
	runsDir
	client *engine.Client
	pids   string
	ended  chan []string // what the ranks said last
	id     string
}

func startRanks(t *testing.T) *rankRun {
	peertest.Python(t, "numpy", "torch") // skips here, because a goroutine cannot
	o := &rankRun{T: t, runsDir: runsDir(t.TempDir()), pids: t.TempDir(),
		ended: make(chan []string)}
	o.client = engine.NewClient(engine.Client{RunsDir: string(o.runsDir),
		RuntimeDir: os.Getenv("XDG_RUNTIME_DIR")})
	go func() {
		lines, err := o.python(t, "numpy torch", "ranks.py", "orders", o.pids)
		if err != nil {
			t.Error(err)
		}
		o.ended <- lines
	}()
	o.until(runner.Running)
	return o
}

// until waits until the run has the status.
func (o *rankRun) until(status runner.Status) {
	o.Helper()
	for range await(o.T) {
		run, err := record.Find(string(o.runsDir), "latest")
		if err == nil && run.Status() == status {
			o.id = run.Meta.ID
			return
		}
		if err == nil && run.Status().Ended() {
			o.Fatalf("it is %s, and was to be %s", run.Status(), status)
		}
	}
}

func (o *rankRun) must(err error) {
	o.Helper()
	if err != nil {
		o.Fatal(err)
	}
}

// pause pauses the run and returns the process of a rank.
func (o *rankRun) pause(rank string) *os.Process {
	o.Helper()
	o.must(o.client.Pause(o.id))
	o.until(runner.Paused)
	text, err := os.ReadFile(filepath.Join(o.pids, rank))
	o.must(err)
	pid, err := strconv.Atoi(string(text))
	o.must(err)
	p, err := os.FindProcess(pid)
	o.must(err)
	return p
}

// TestOrdersToRanks: a pause, a knob, a wish for a checkpoint and a stop come to all ranks at the
// same step.
func TestOrdersToRanks(t *testing.T) {
	t.Parallel()
	o := startRanks(t)
	o.pause("0")
	o.must(o.client.Knob(o.id, "lr", "0.003"))
	o.must(o.client.Resume(o.id))
	_, err := o.client.Checkpoint(o.id)
	o.must(err)
	o.must(o.client.Stop(o.id))
	said := <-o.ended
	o.wantSame(said, `"lr": 0.003`)
	o.until(runner.Stopped)
}

// wantSame fails unless both ranks have said the same, which contains want.
func (o *rankRun) wantSame(said []string, want string) {
	o.Helper()
	if len(said) != 2 {
		o.Fatalf("the ranks say %q, want a line of each of two", said)
	}
	if said[0] != said[1] {
		o.Errorf("rank 1 says %q, want what rank 0 says, %q", said[1], said[0])
	}
	if !strings.Contains(said[0], want) {
		o.Errorf("rank 0 says %q, want it to have %q", said[0], want)
	}
}

// TestPausedRanks: a kill and a signal to end reach a paused run.
func TestPausedRanks(t *testing.T) {
	testsize.OnlyLong(t, "starts PyTorch twice and waits for a patience")
	o := startRanks(t)
	o.must(o.pause("1").Kill())
	said := <-o.ended
	if want := "RunStopped: rank 1 ended without a word"; !strings.Contains(said[0], want) {
		t.Errorf("rank 0 says %q, want %q", said[0], want)
	}
	o.until(runner.Failed)

	o = startRanks(t)
	o.must(o.pause("0").Signal(syscall.SIGTERM))
	said = <-o.ended
	o.wantSame(said, `"at":`)
	o.until(runner.Stopped)
}

// TestSignalsToScripts: a signal that ends a process is the wish to stop, on all ranks at the same
// step, in a script of one process, and in one whose terminal has gone. Processes that start a run
// each say so when they learn of each other, and a machine that does not see the folder of the run
// says that it must.
func TestSignalsToScripts(t *testing.T) {
	t.Parallel()
	r := runsDir(t.TempDir())
	lines := r.ranks(t, "signals")
	lines = append(lines, r.ranks(t, "apart")...)
	for _, words := range lines {
		run, err := record.Find(string(r), words[1])
		if err != nil {
			t.Fatal(err)
		}
		wantStatus(t, fmt.Sprint(words), run, runner.Status(words[2]))
	}
	if len(lines) != 8 {
		t.Errorf("%d runs, want 8", len(lines))
	}
}

// TestTorchrun: the example runs in two processes as it runs alone.
func TestTorchrun(t *testing.T) {
	t.Parallel()
	r := runsDir(t.TempDir())
	folder, err := filepath.Abs(client)
	if err != nil {
		t.Fatal(err)
	}
	c := exec.Command(peertest.Python(t, "numpy", "torch"), "-m", "torch.distributed.run",
		"--standalone", "--nproc-per-node", "2", filepath.Join(folder, "examples", "own_loop.py"),
		"--epochs", "2", "--method", "group", "--runs", string(r))
	c.Env = append(os.Environ(), "DROLAB_COMMAND="+self(), "PYTHONPATH="+folder,
		"PYTHONDONTWRITEBYTECODE=1", "OMP_NUM_THREADS=1")
	if out, err := c.CombinedOutput(); err != nil {
		t.Fatalf("the example ends with %v:\n%s", err, out)
	}
	run, err := record.Find(string(r), "latest")
	if err != nil {
		t.Fatal(err)
	}
	if got := run.Meta.Program.Processes; got != 2 {
		t.Errorf("the example has %d processes, want 2", got)
	}
	wantLearned(t, run)
}
