package bridge_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"drolab/dro"
	"drolab/dro/testsize"
	"drolab/runner"
	"drolab/runner/record"
	"drolab/runner/spec"
)

// TestProcsWord: the word procs= is a number of processes, and only of a program that says that it
// computes in several.
func TestProcsWord(t *testing.T) {
	t.Parallel()
	r := newRunsFolder(t)
	const want = "expected the number of the program's processes, 1 to 64"
	for words, want := range map[string]string{"procs=0": "procs=0: " + want,
		"procs=x": "procs=x: " + want, "procs=65": "procs=65: " + want, "--procs=": want,
		"procs=2 alone=1": "does not compute in several processes, as a program with " +
			"drolab.torch does: leave out procs=2"} {
		_, err := r.start(t, "", withWords(bridged(dro.ERM), strings.Fields(words)...))
		wantError(t, words, err, want)
		wantLine(t, words, fmt.Sprint(err))
	}
}

// TestParts: what several processes answer for their parts of the samples is put together in the
// order of the samples, even if there are more processes than samples in a batch.
func TestParts(t *testing.T) {
	t.Setenv("DROLAB_TEST_TABLE", "100")
	r := newRunsFolder(t)
	s := bridged(dro.SFK)
	s.ValFraction, s.Select = 0, "last"
	want := r.log(t, must(r.start(t, "", s))(t)[0])
	for _, procs := range testsize.Few(2, "procs=1", "procs=3", "procs=2", "procs=11") {
		id := must(r.start(t, "", withWords(s, procs)))(t)[0]
		wantLog(t, procs, r.log(t, id), want, 0)
	}
}

// TestHostileRanks: when one of three processes misbehaves, the run ends with one line that names
// it. What the others say, which wait for it or lose it, is not the cause.
func TestHostileRanks(t *testing.T) {
	type trouble struct{ trouble, want string }
	for _, c := range oneOfAKind([]trouble{
		{"kill losses 9 0", "rank 0: P ended with signal: killed"},
		{"kill losses 9 1", "rank 1: P ended with signal: killed"},
		{"exit hello-train 1 2", "rank 2: P ended with exit status 3: MemoryError"},
		{"exit gradient 9 2", "rank 2: P ended with exit status 3: MemoryError"},
		{"exit save 2 1", "rank 1: P ended with exit status 3: MemoryError"},
		{"desert step 9 1", "rank 1: P ended with exit status 3: MemoryError"},
		{"hang hello-train 1 1", "rank 1: P did not answer for 1s when asked for hello"},
		{"hang losses 9 2", "rank 2: P did not answer for 1s when asked for losses"},
		{"stall step 9 1", "rank 1: P did not answer for 1s when asked for a step"},
		{"say losses 3 2", "rank 2: P, asked for losses: CUDA error: out"},
		{"nan hello-train 1 1", "rank 1: P, asked for hello: it has other labels"},
		{"short losses 1 1", "rank 1: P, asked for losses: 10 elements"},
		{"short outputs 3 2", "rank 2: P, asked for classes: 8 elements"},
		{"garbage losses 3 1", "rank 1: P, asked for losses: not a frame"},
		{"deaf losses 3 1", "rank 1: P has closed its pipes but still runs"},
	}, func(c trouble) string { return c.trouble }) {
		if testing.Short() && strings.HasPrefix(c.trouble, "deaf") {
			continue // waits for seconds
		}
		t.Run(c.trouble, func(t *testing.T) {
			t.Parallel()
			r := newRunsFolder(t)
			s := withWords(bridged(dro.SFK), "procs=3")
			if strings.Contains("hang stall", c.trouble[:4]) {
				s.ProgramPatience = 1
			}
			_, err := r.start(t, c.trouble, s)
			want := strings.Replace(c.want, "P", "the program bridge.test", 1)
			wantError(t, "the run", err, want)
			wantLine(t, "the run", fmt.Sprint(err))
		})
	}
}

// TestLogOfRanks: the lines of all processes are in the log, those of all but the first behind
// their number.
func TestLogOfRanks(t *testing.T) {
	testsize.NotShort(t, "starts two processes that write without end: TestHostileRanks shows "+
		"processes of one run")
	t.Parallel()
	r := newRunsFolder(t)
	id := must(r.start(t, "flood losses 3 1", withWords(bridged(dro.ERM), "procs=2")))(t)[0]
	log := must(os.ReadFile(filepath.Join(r.dir, id, runner.ProgramLogName)))(t)
	lines := strings.Split(strings.TrimSpace(string(log)), "\n")
	if len(lines) < 10 {
		t.Errorf("%d lines, want 10 or more", len(lines))
	}
	if want := "rank 1: \x1b[31mflood"; !strings.HasPrefix(lines[0], want) {
		t.Errorf("the first line is %.200q, want it to begin with %q", lines[0], want)
	}
}

// TestOrphanRanks: when drolab is killed, all processes of its programs end.
func TestOrphanRanks(t *testing.T) {
	t.Parallel()
	if runtime.GOOS != "linux" {
		t.Skip("elsewhere, a process ends when it looks at its pipes: TestEnds of pythontest")
	}
	r := newRunsFolder(t)
	cmd := exec.Command(self())
	cmd.Env = append(os.Environ(), fmt.Sprintf("%s=%s\n%s\nrun\norphan losses 9 1\nprocs=3",
		killedEnv, r.dir, r.approvals))
	if out, err := cmd.CombinedOutput(); err == nil {
		t.Fatalf("it lives: %s", out)
	}
	for tick := time.Tick(2 * time.Millisecond); len(processesWith(killedEnv+"="+r.dir)) > 0; {
		<-tick
	}
}

// processesWith returns the processes with an environment in which this text is.
func processesWith(text string) (list []int) {
	paths, _ := filepath.Glob("/proc/[0-9]*/environ")
	for _, path := range paths {
		if b, _ := os.ReadFile(path); strings.Contains(string(b), text) {
			pid, _ := strconv.Atoi(strings.Split(path, "/")[2])
			list = append(list, pid)
		}
	}
	return list
}

// TestProcsInPyTorch: in several processes, drolab's own networks in PyTorch train as in one, with
// unequal parts, with the weights of drolab and with those of forms.
func TestProcsInPyTorch(t *testing.T) {
	means := forked(t)
	for _, c := range []struct {
		a     dro.Algorithm
		words []string
	}{{dro.ERM, []string{"procs=2"}}, {dro.SFK, []string{"procs=2", "procs=3 forms=1"}},
		{"group", []string{"procs=3", "procs=3 forms=1"}},
		{"tilted", []string{"procs=3 forms=1"}}, {"scent", []string{"procs=3 forms=1"}}} {
		t.Run(string(c.a), func(t *testing.T) {
			t.Parallel()
			r := newRunsFolder(t)
			s := pictured("linear", c.a)
			s.Epochs, s.BatchZ, s.CheckpointEvery, s.Clip = 10, 41, 7, dro.Fixed(.5)
			if c.a == "tilted" || c.a == "scent" { // the third process has no samples
				s.Batch, s.Epochs = 2, 1
			}
			folder := written(t, &s)
			log := func(words ...string) map[string]map[string]any {
				id := must(r.queueUp(means, torchJob(t, r, s, folder, words...)))(t)[0]
				events := r.log(t, id)
				if len(events) < 100 {
					t.Errorf("%v: %d events, want 100 or more", words, len(events))
				}
				for _, e := range events {
					for key := range e { // those of one process; those that jump with a sample
						if slices.Contains([]string{"user.mean", "min", "max"}, key) ||
							strings.HasSuffix(key, "calibration_error") {
							delete(e, key)
						}
					}
				}
				return events
			}
			want := log()
			for _, words := range c.words {
				got := log(strings.Fields(words)...)
				wantLog(t, words, got, want, 1e-5)
				t.Logf("%s: apart by %v", words, worst(got, want))
			}
		})
	}
}

// rankJob returns the spec of a run of pythontest/peer/ranks.py.
func rankJob(t *testing.T, r runsFolder, words ...string) spec.Spec {
	t.Helper()
	path := must(filepath.Abs("pythontest/peer/ranks.py"))(t)
	if err := r.approvals.Approve(path); err != nil {
		t.Fatal(err)
	}
	return killsSpec(spec.Program{Path: path, Words: words}.String(), 3)
}

// TestKilledRanks: whichever process is killed, the run says so, and comes to the same bits as a
// run without kills. The network has dropout and running statistics.
func TestKilledRanks(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("finds the processes in /proc")
	}
	// Processes that are not killed need no interpreter of their own, which takes seconds to start.
	unhurt := forked(t)
	means, kills := python(t), 1
	if testsize.Long() {
		// A killed process that stands for an interpreter takes the program with it.
		means, kills = unhurt, 20
	}
	for procs := 2; procs <= 3; procs++ {
		if procs == 3 && !testsize.Long() {
			break
		}
		r := newRunsFolder(t)
		s := rankJob(t, r, fmt.Sprint("procs=", procs))
		s.Epochs = 2 + 2*procs*kills
		whole := must(r.queueUp(unhurt, s))(t)[0]
		log := filepath.Join(r.dir, "killed", "events.jsonl")
		steps := func() int {
			b, _ := os.ReadFile(log)
			return strings.Count(string(b), `"type":"step"`)
		}
		for kill := range procs*kills + 1 {
			q, rank := r.queue(), kill%procs
			by := means
			if kill == procs*kills {
				by = unhurt
			}
			var err error
			if kill == 0 {
				_, err = q.Start(runner.Request{Preset: "test", Specs: []spec.Spec{s},
					IDs:   []string{"killed"},
					Means: runner.Means{Dir: r.dir, Program: by.Program}})
			} else {
				_, err = q.CarryOut(runner.Order{Verb: runner.Resume, Run: "killed", Means: &by})
			}
			if err != nil {
				t.Fatal(err)
			}
			if kill < procs*kills {
				until := steps() + 6 + kill%5
				for tick := time.Tick(time.Millisecond); steps() < until; {
					<-tick
				}
				own := children(os.Getpid())
				for _, pid := range processesWith(fmt.Sprintf("\x00RANK=%d\x00", rank)) {
					if slices.Contains(own, pid) {
						syscall.Kill(pid, syscall.SIGKILL)
					}
				}
			}
			for _, o := range q.Wait() {
				err = o.Err
			}
			if kill == procs*kills && err != nil {
				t.Fatalf("the run ends with %v once nothing is killed", err)
			}
			want := fmt.Sprintf("rank %d: the program ranks.py ended with signal: killed", rank)
			if kill < procs*kills && (err == nil || !strings.Contains(err.Error(), want)) {
				t.Fatalf("kill %d: the run ends with %v, want an error with %q", kill, err, want)
			}
		}
		wantLog(t, fmt.Sprint(procs, " processes"), r.log(t, "killed"), r.log(t, whole), 0)
	}
}

// TestFailedRanks: what one process says or does is the cause of the end, even while the others
// wait for its gradient or have lost it. The run can go on.
func TestFailedRanks(t *testing.T) {
	means := forked(t)
	for how, want := range map[string]string{
		"raises": "rank 1: the program ranks.py, asked for a step: RuntimeError: no gradient " +
			"(ranks.py, line",
		"exits": "rank 1: the program ranks.py ended with exit status 3: it gives up",
	} {
		t.Run(how, func(t *testing.T) {
			t.Parallel()
			r, program := newRunsFolder(t), *means.Program
			program.Env = append(program.Env[:len(program.Env):len(program.Env)],
				"DROLAB_TEST_RANK="+how)
			ids, err := r.queueUp(runner.Means{Program: &program}, rankJob(t, r, "procs=2"))
			if err == nil || !strings.Contains(err.Error(), want) {
				t.Fatalf("the run ends with %v, want an error with %q", err, want)
			}
			q := r.queue()
			_, err = q.CarryOut(runner.Order{Verb: runner.Resume, Run: ids[0], Means: &means})
			for _, o := range q.Wait() {
				err = o.Err
			}
			run := must(record.Find(r.dir, ids[0]))(t)
			if err != nil {
				t.Errorf("the resumed run: %v", err)
			}
			if got := run.Status(); got != runner.Done {
				t.Errorf("the resumed run has the status %s, want %s", got, runner.Done)
			}
		})
	}
}
