package sweep

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"drolab/dro/nn"
	"drolab/dro/testsize"
	"drolab/runner"
	"drolab/runner/record"
	"drolab/runner/spec"
)

// tasked returns a task as a process on a cluster has it.
func tasked(f *Folder, place int) *Task {
	return &Task{Folder: f, Place: place, Host: runner.Host{Kernel: nn.Kernel("fp32")}, Threads: 1}
}

// TestTasksAreTheSweep: runs done one by one as tasks equal the runs of the whole sweep at once.
func TestTasksAreTheSweep(t *testing.T) {
	here, jobs := made(t, tiny), made(t, tiny)
	work(t, here)
	for i := range jobs.List.Runs {
		if err := tasked(jobs, i).Do(context.Background()); err != nil {
			t.Fatal(err)
		}
	}
	sameSweeps(t, here.Dir, jobs.Dir)
	before := logs(t, jobs)
	first := jobs.List.Runs[0].ID
	err := tasked(jobs, 0).Do(context.Background())
	if err != nil {
		t.Errorf("Do() of a task that is done = %v, want nil", err)
	}
	if logs(t, jobs)[first] != before[first] {
		t.Error("a task that was done has written to the log of its run")
	}
	for _, place := range []int{-1, 8} {
		if err := tasked(jobs, place).Do(context.Background()); err == nil {
			t.Errorf("task %d is done", place)
		}
	}
}

// endless is a sweep of one run that takes longer than any test.
const endless = "preset: csv\ngrid: {algo: [erm]}\n" +
	"set: {epochs: 1000000, val_fraction: .3, model: linear, eval_every: 0, log_every: 1}\n"

// interrupted does a task until its run has passed the given number of steps, and then calls end.
func interrupted(t *testing.T, task *Task, steps int64, end func(cancel func())) error {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	done := make(chan error, 1)
	go func() { done <- task.Do(ctx) }()
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	for {
		select {
		case err := <-done:
			t.Fatalf("it ended by itself: %v", err)
		case <-tick.C:
		}
		if r, err := task.Find(task.Place); err == nil && r.Summary().Steps > steps {
			end(cancel)
			return <-done
		}
	}
}

func saved(t *testing.T, f *Folder) int64 {
	t.Helper()
	r, err := f.Find(0)
	if err != nil {
		t.Fatal(err)
	}
	s, ok, err := r.Saved()
	if err != nil {
		t.Fatal(err)
	}
	if !ok {
		t.Fatal("the run has no checkpoint")
	}
	if got := r.Status(); got != runner.Stopped {
		t.Fatalf("the run is %s, want %s", got, runner.Stopped)
	}
	if want := r.Summary().Steps; s.Step != want {
		t.Fatalf("the last checkpoint is of step %d, want %d, where the run stopped", s.Step, want)
	}
	return s.Step
}

// TestTimeLimit: at the warning the run is saved, and the task requeues itself by the job of the
// array and its own number. The run goes on from there.
func TestTimeLimit(t *testing.T) {
	bin := newFakeSlurm(t)
	f := made(t, endless)
	step := int64(0)
	for life := 1; life <= 2; life++ {
		limit := make(chan struct{})
		task := tasked(f, 0)
		task.Limit = limit
		task.Requeue = func() error { return Requeue(context.Background(), "17", "0") }
		if err := interrupted(t, task, step, func(func()) { close(limit) }); err != nil {
			t.Fatal(err)
		}
		at := saved(t, f)
		if at <= step {
			t.Fatalf("life %d came to step %d, want more than the last one's %d", life, at, step)
		}
		step = at
		calls := bin.calls(t)
		if n := strings.Count(calls, "scontrol requeue 17_0\n"); n != life {
			t.Errorf("life %d: the task was requeued %d times, want %d: %q", life, n, life, calls)
		}
	}
	// It came no further: doing it again is useless.
	task := tasked(f, 0)
	if err := f.files.Write(f.limitsPath(0), timeouts{2, step + 1<<40}); err != nil {
		t.Fatal(err)
	}
	task.Requeue = func() error { return errors.New("was asked") }
	if err := task.requeueRun(0); err == nil || !strings.Contains(err.Error(), "came no further") {
		t.Errorf("requeueRun() without progress = %v, want an error with %q", err,
			"came no further")
	}
	if err := f.files.Write(f.limitsPath(0), timeouts{mostRequeues, 0}); err != nil {
		t.Fatal(err)
	}
	if err := task.requeueRun(0); err == nil || !strings.Contains(err.Error(), "20 times") {
		t.Errorf("requeueRun() after 20 times = %v, want an error with %q", err, "20 times")
	}
}

// TestTerm: a task that is told to terminate saves its run, fails, and does not ask to be done
// again.
func TestTerm(t *testing.T) {
	f := made(t, endless)
	task := tasked(f, 0)
	task.Requeue = func() error { t.Error("asked to be done again"); return nil }
	err := interrupted(t, task, 0, func(cancel func()) { cancel() })
	if err == nil || !strings.Contains(err.Error(), "is stopped at step") {
		t.Errorf("Do() of a task that was told to end = %v, want an error with %q", err,
			"is stopped at step")
	}
	saved(t, f)
}

// TestNeverTwoWriters: while one task has a run, another task waits for the run and does not write
// to it.
func TestNeverTwoWriters(t *testing.T) {
	f := made(t, endless)
	err := interrupted(t, tasked(f, 0), 0, func(cancel func()) {
		second := tasked(f, 0)
		second.Patience = 50 * time.Millisecond
		if err := second.Do(context.Background()); !errors.Is(err, errHeld) {
			t.Errorf("Do() of the second task = %v, want %v", err, errHeld)
		}
		cancel()
	})
	if err == nil {
		t.Error("the first was done")
	}
	log := logs(t, f)[f.List.Runs[0].ID]
	if strings.Contains(log, `"type":"resume"`) {
		t.Error("the second has written")
	}
	if runs, _ := record.List(f.Dir); len(runs) != 1 {
		t.Errorf("%d runs", len(runs))
	}
}

// TestRungsAsTasks: each stage is an array, as on a cluster. A task at a place that the rung has
// not filled has nothing to do.
func TestRungsAsTasks(t *testing.T) {
	testsize.NotShort(t, "trains 24 runs: TestTasksAreTheSweep has tasks, and TestHalving rungs")
	text := tiny + "halving: {epochs: [2], keep: .5}\n"
	here, jobs := made(t, text), made(t, text)
	work(t, here)
	for i := range jobs.List.Runs {
		if err := tasked(jobs, i).Do(context.Background()); err != nil {
			t.Fatal(err)
		}
	}
	if got := counts(t, jobs); got[Waiting] != 8 {
		t.Fatalf("at the rung the states of the runs are %v, want 8 waiting", got)
	}
	for place := range jobs.List.mostKept(1) + 1 {
		task := tasked(jobs, place)
		task.Rung = 1
		if err := task.Do(context.Background()); err != nil {
			t.Fatal(err)
		}
	}
	want := counts(t, here)
	if n := want[runner.Done]; n != 4 {
		t.Errorf("here %d runs are done, want 4", n)
	}
	if got := counts(t, jobs); !maps.Equal(got, want) {
		t.Errorf("as tasks the states of the runs are %v, want %v, as here", got, want)
	}
}

// fakeSlurm is a folder of commands with Slurm's names, which record their calls. They
// print the files queue, show, config and accounts: see says. sbatch first does what the script
// "does" says, in which $N is the number of the job and $ARRAY has its tasks.
type fakeSlurm string

func newFakeSlurm(t *testing.T) fakeSlurm {
	t.Helper()
	dir := t.TempDir()
	for name, does := range map[string]string{
		"sbatch": `env > "$D/environment"; n=$(ls "$D" | grep -c '^job-'); N=$((40 + n)); ` +
			`for a; do case $a in --array=*) ARRAY=${a#--array=};; esac; done; ` +
			`[ ! -e "$D/does" ] || . "$D/does"; printf '%s\n' "$@" > "$D/job-$n"; ` +
			`echo "$N;cluster"`,
		"squeue": `cat "$D/queue" 2>/dev/null; exit 0`,
		"scontrol": `[ "$2" != config ] || { cat "$D/config"; exit; }; ` +
			`[ "$1" = requeue ] || cat "$D/show" 2>/dev/null; exit 0`,
		"sacct":   `cat "$D/accounts"`,
		"scancel": `exit 0`,
	} {
		script := "#!/bin/sh\nD='" + dir + "'\necho \"" + name + " $*\" >> \"$D/calls\"\n" +
			does + "\n"
		if err := os.WriteFile(filepath.Join(dir, name), []byte(script), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	t.Setenv("PATH", dir+string(os.PathListSeparator)+os.Getenv("PATH"))
	return fakeSlurm(dir)
}

func (b fakeSlurm) calls(t *testing.T) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(string(b), "calls"))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// jobs returns the arguments of each call of sbatch that has submitted a job.
func (b fakeSlurm) jobs(t *testing.T) (calls [][]string) {
	t.Helper()
	for {
		text, err := os.ReadFile(filepath.Join(string(b), fmt.Sprintf("job-%d", len(calls))))
		if errors.Is(err, fs.ErrNotExist) {
			return calls
		}
		if err != nil {
			t.Fatal(err)
		}
		args := strings.Split(strings.TrimSuffix(string(text), "\n"), "\n")
		calls = append(calls, args[1:]) // without --parsable
	}
}

func (b fakeSlurm) says(t *testing.T, what, text string) {
	t.Helper()
	if err := os.WriteFile(filepath.Join(string(b), what), []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

func ask() *Resources {
	return &Resources{
		Parallel: 4,
		Threads:  2,
		DataDir:  "/data",
		Program:  "/opt/it's/drolab",
		Options:  []string{"partition=main"},
		Estimate: func(s *spec.Spec) (Need, error) {
			if s.Algorithm() == "sfk" {
				return Need{3000, 1 << 30}, nil
			}
			return Need{60, 100 << 20}, nil
		},
	}
}

// count returns the numbers from 0 up to n, without n.
func count(n int) []int {
	list := make([]int, n)
	for i := range list {
		list[i] = i
	}
	return list
}
