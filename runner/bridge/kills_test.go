package bridge_test

import (
	"bytes"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"drolab/dro"
	"drolab/dro/testsize"
	"drolab/runner"
	"drolab/runner/bridge"
	"drolab/runner/record"
	"drolab/runner/spec"
)

var kills = flag.Int("kills", 100, "of TestKillsForLong")

// resumedEnv is the environment variable for a drolab that begins or resumes a run of a program in
// Python in a folder, until it is killed.
const resumedEnv = "DROLAB_TEST_RESUMED"

// killsSpec returns a spec with more steps than pass during a hundred kills.
func killsSpec(model string, epochs int) spec.Spec {
	s := pictured("convnet", dro.SFK)
	s.Epochs, s.EvalEvery, s.CheckpointEvery = epochs, 5, 3
	if model != "" {
		s.Dataset, s.Samples, s.ValFraction, s.Model = spec.ProgramData, 0, 0, model
		s.SettleProgram("")
	}
	return s
}

// trainResumed is the drolab that resumedEnv asks for. what holds a folder, approvals, a model, a
// Python and a number of epochs.
func trainResumed(what string) int {
	f := strings.Split(what, "\n")
	q := runsFolder{f[0], bridge.Approvals(f[1])}.queue()
	epochs, _ := strconv.Atoi(f[4])
	means := runner.Means{Dir: f[0], Program: &runner.ProgramMeans{Python: f[3], Env: os.Environ()}}
	var err error
	if _, lost := record.Find(f[0], "killed"); lost != nil {
		_, err = q.Start(runner.Request{Preset: "test", Specs: []spec.Spec{killsSpec(f[2], epochs)},
			IDs: []string{"killed"}, Means: means})
	} else {
		_, err = q.CarryOut(runner.Order{Verb: runner.Resume, Run: "killed", Means: &means})
	}
	if out := q.Wait(); err != nil || len(out) == 0 || out[0].Err != nil {
		fmt.Println(err, out)
		return 1
	}
	return 0
}

// TestKillsForLong: a program in PyTorch, drolab, or both are killed a hundred times at random
// moments, with weights of drolab's and then with weights of forms. The run comes to the same bits
// as a run without kills.
func TestKillsForLong(t *testing.T) {
	testsize.OnlyLong(t, "a hundred kills")
	if runtime.GOOS != "linux" {
		t.Skip("takes Linux")
	}
	for _, words := range [][]string{nil, {"forms=1"}} {
		t.Run(strings.Join(words, ""), func(t *testing.T) { killsForLong(t, words) })
	}
}

func killsForLong(t *testing.T, words []string) {
	means := python(t)
	r := newRunsFolder(t)
	native := killsSpec("", max(3, *kills))
	s := torchJob(t, r, native, written(t, &native), words...)
	whole := must(r.queueUp(means, s))(t)[0]

	rng, counts := rand.New(rand.NewPCG(1, 2)), map[string]int{}
	log := filepath.Join(r.dir, "killed", "events.jsonl")
	lines := func() int {
		b, _ := os.ReadFile(log)
		return bytes.Count(b, []byte(`"type":"step"`))
	}
	for kill := 0; ; kill++ {
		cmd := exec.Command(self())
		cmd.Env = append(means.Program.Env, fmt.Sprintf("%s=%s\n%s\n%s\n%s\n%d", resumedEnv,
			r.dir, r.approvals, s.Model, means.Program.Python, s.Epochs))
		var out bytes.Buffer
		cmd.Stdout, cmd.Stderr = &out, &out
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		ended := make(chan error, 1)
		go func() { ended <- cmd.Wait() }()
		if kill >= *kills {
			if err := <-ended; err != nil {
				t.Fatalf("the last drolab, which is not killed: %v: %s", err, out.String())
			}
			break
		}
		until, tick := lines()+4+rng.IntN(9), time.NewTicker(2*time.Millisecond)
		for lines() < until {
			select {
			case err := <-ended:
				t.Fatalf("behind %v it has ended: %v %s", counts, err, out.String())
			case <-tick.C:
			}
		}
		tick.Stop()
		which := []string{"the program", "drolab", "both"}[kill%3]
		counts[which]++
		programs := children(cmd.Process.Pid)
		if which != "drolab" {
			for _, pid := range programs {
				syscall.Kill(pid, syscall.SIGKILL)
			}
		}
		if which != "the program" {
			cmd.Process.Kill()
		}
		<-ended
	}
	t.Logf("killed: %v", counts)
	wantLog(t, "the run that was resumed", r.log(t, "killed"), r.log(t, whole), 0)
}

// children returns the processes that a process has started.
func children(parent int) (list []int) {
	stats, _ := filepath.Glob("/proc/[0-9]*/stat")
	for _, path := range stats {
		b, _ := os.ReadFile(path)
		_, rest, _ := strings.Cut(string(b), ") ")
		if f := strings.Fields(rest); len(f) > 1 && f[1] == strconv.Itoa(parent) {
			pid, _ := strconv.Atoi(strings.Split(path, "/")[2])
			list = append(list, pid)
		}
	}
	return list
}
