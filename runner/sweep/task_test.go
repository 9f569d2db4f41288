package sweep

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"drolab/dro/nn"
	"drolab/runner"
	"drolab/runner/bridge"
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
	if err != nil || logs(t, jobs)[first] != before[first] {
		t.Errorf("a task that is done: %v", err)
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
	if err != nil || !ok || r.Status() != runner.Stopped || s.Step != r.Summary().Steps {
		t.Fatalf("it is %s at step %d, saved at %d: %v", r.Status(), r.Summary().Steps, s.Step, err)
	}
	return s.Step
}

// TestTimeLimit: at the warning the run is saved, and the task requeues itself by the job of the
// array and its own number. The run goes on from there.
func TestTimeLimit(t *testing.T) {
	bin := fakes(t)
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
		if at := saved(t, f); at <= step {
			t.Fatalf("life %d came to step %d, the one before to %d", life, at, step)
		} else {
			step = at
		}
		if got := bin.calls(t); strings.Count(got, "scontrol requeue 17_0\n") != life {
			t.Errorf("life %d: %q", life, got)
		}
	}
	// It came no further: doing it again is useless.
	task := tasked(f, 0)
	if err := f.files.Write(f.limitsPath(0), limits{2, step + 1<<40}); err != nil {
		t.Fatal(err)
	}
	task.Requeue = func() error { return errors.New("was asked") }
	if err := task.requeueRun(0); err == nil || !strings.Contains(err.Error(), "came no further") {
		t.Errorf("without progress: %v", err)
	}
	if err := f.files.Write(f.limitsPath(0), limits{mostRequeues, 0}); err != nil {
		t.Fatal(err)
	}
	if err := task.requeueRun(0); err == nil || !strings.Contains(err.Error(), "20 times") {
		t.Errorf("after 20 times: %v", err)
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
		t.Errorf("%v", err)
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
			t.Errorf("the second: %v", err)
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
	text := tiny + "halving: {epochs: [2], keep: .5}\n"
	here, jobs := made(t, text), made(t, text)
	work(t, here)
	for i := range jobs.List.Runs {
		if err := tasked(jobs, i).Do(context.Background()); err != nil {
			t.Fatal(err)
		}
	}
	if got := counts(t, jobs); got[Waiting] != 8 {
		t.Fatalf("at the rung: %v", got)
	}
	for place := range jobs.List.mostKept(1) + 1 {
		task := tasked(jobs, place)
		task.Rung = 1
		if err := task.Do(context.Background()); err != nil {
			t.Fatal(err)
		}
	}
	if a, b := counts(t, here), counts(t, jobs); a[runner.Done] != 4 ||
		fmt.Sprint(a) != fmt.Sprint(b) {
		t.Errorf("here %v, as tasks %v", a, b)
	}
}

// bin is a folder of commands with Slurm's names, which record their calls.
type bin string

func fakes(t *testing.T) bin {
	t.Helper()
	dir := t.TempDir()
	for name, does := range map[string]string{
		"sbatch": `n=$(ls "$D" | grep -c '^job-'); printf '%s\n' "$@" > "$D/job-$n"; ` +
			`echo "$((40 + n));cluster"`,
		"squeue":   `cat "$D/queue" 2>/dev/null; exit 0`,
		"scontrol": `[ "$1" = requeue ] || cat "$D/show" 2>/dev/null; exit 0`,
		"scancel":  `exit 0`,
	} {
		script := "#!/bin/sh\nD='" + dir + "'\necho \"" + name + " $*\" >> \"$D/calls\"\n" +
			does + "\n"
		if err := os.WriteFile(filepath.Join(dir, name), []byte(script), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	t.Setenv("PATH", dir+string(os.PathListSeparator)+os.Getenv("PATH"))
	return bin(dir)
}

func (b bin) calls(t *testing.T) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(string(b), "calls"))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func (b bin) says(t *testing.T, what, text string) {
	t.Helper()
	if err := os.WriteFile(filepath.Join(string(b), what), []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

func ask() *Resources {
	return &Resources{
		Parallel:  4,
		Threads:   2,
		DataDir:   "/data",
		Program:   "/opt/it's/drolab",
		Partition: "main",
		Estimate: func(s *spec.Spec) (Need, error) {
			if s.Algorithm() == "sfk" {
				return Need{3000, 1 << 30}, nil
			}
			return Need{60, 100 << 20}, nil
		},
	}
}

func TestScripts(t *testing.T) {
	b := fakes(t)
	f := made(t, tiny)
	stages, err := f.Batches([]int{0, 1, 3, 4, 5, 6, 7}, ask())
	if err != nil {
		t.Fatal(err)
	}
	calls, err := f.Submit(context.Background(), stages, ask(), Sbatch)
	if err != nil || len(calls) != 2 {
		t.Fatalf("%d calls, want one for each class of needs; %v", len(calls), err)
	}
	if given, err := os.ReadFile(filepath.Join(string(b), "job-0")); err != nil ||
		string(given) != "--parsable\n"+strings.Join(calls[0], "\n")+"\n" {
		t.Errorf("sbatch was given\n%s%v", given, err)
	}
	for _, want := range []string{
		"--array=0-1,3%4",
		"--cpus-per-task=2",
		"--mem=1536M",
		"--time=0-02:00:00",
		"--signal=B:USR1@120",
		"--requeue",
		"--open-mode=append",
		"--output=" + f.ownPath("slurm") + "/%A_%a.log",
		"--partition=main",
		`--wrap=exec '/opt/it'\''s/drolab' --data '/data' --threads "$SLURM_CPUS_PER_TASK" ` +
			"sweep task " + Quote(f.Dir) + " $SLURM_ARRAY_TASK_ID",
	} {
		if !slices.Contains(calls[0], want) {
			t.Errorf("no %q in %q", want, calls[0])
		}
	}
	if !slices.Contains(calls[1], "--array=4-7%4") ||
		!slices.Contains(calls[1], "--time=0-00:10:00") {
		t.Errorf("the class of erm: %q", calls[1])
	}
	jobs, err := f.submitted()
	if err != nil || len(jobs) != 2 || jobs[0].Job != "40" || jobs[1].Job != "41" {
		t.Fatalf("noted %+v, %v", jobs, err)
	}
	if err := f.Cancel(context.Background()); err != nil || !strings.Contains(b.calls(t),
		"scancel --name="+f.jobName()) {
		t.Errorf("%v: %s", err, b.calls(t))
	}
}

func TestScriptsOfRungs(t *testing.T) {
	fakes(t)
	f := made(t, tiny+"halving: {epochs: [1, 2], keep: .5}\n")
	stages, err := f.Batches(count(8), ask())
	if err != nil || len(stages) != 3 {
		t.Fatal(len(stages), err)
	}
	calls, err := f.Submit(context.Background(), stages, ask(), Sbatch)
	if err != nil || len(calls) != 4 {
		t.Fatal(len(calls), err)
	}
	for i, want := range []string{"--array=0-3%4", "--array=4-7%4", "--array=0-3%4",
		"--array=0-3%4"} {
		if !slices.Contains(calls[i], want) {
			t.Errorf("no %q in %q", want, calls[i])
		}
	}
	for i, want := range map[int]string{2: "--dependency=afterany:40:41",
		3: "--dependency=afterany:42"} {
		if !slices.Contains(calls[i], want) || !strings.HasSuffix(calls[i][len(calls[i])-1],
			fmt.Sprintf("$SLURM_ARRAY_TASK_ID --rung %d", i-1)) {
			t.Errorf("no %q in %q", want, calls[i])
		}
	}
}

// TestHostileNames: whatever is in a text that reaches a job, it stays one argument of sbatch, and
// one argument of the task. What a dry run prints is the same call.
func TestHostileNames(t *testing.T) {
	b := fakes(t)
	run := func(script string) []string {
		t.Helper()
		c := exec.Command("sh", "-c", script)
		c.Env = append(os.Environ(), "SLURM_ARRAY_TASK_ID=7", "SLURM_CPUS_PER_TASK=2")
		out, err := c.Output()
		if err != nil {
			t.Fatalf("%s: %v", script, err)
		}
		return strings.Split(string(out), "\x00")
	}
	words := filepath.Join(string(b), "words")
	if err := os.WriteFile(words, []byte("#!/bin/sh\nprintf '%s\\0' \"$@\"\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	for _, text := range []string{"a b", "it's", `"`, "$(touch PWNED)", "`touch PWNED`", "#b", "100%",
		"%A", `back\slash`, "a\ntouch PWNED #b", "-x", "*", "~", "a;b&c|d", "\x1b[2J", ""} {
		f := made(t, tiny)
		f.Dir += "/" + text
		a := &Resources{Threads: 1, Time: time.Hour, Partition: text + "x", Constraint: text + "x",
			DataDir: text, Program: words, Approved: []bridge.Approval{{Path: text, Sum: "1"}}}
		args := f.job(&Batch{Tasks: []int{7}}, a, nil)
		typed := words
		for _, arg := range args {
			typed += " " + Quote(arg)
		}
		if got := run(typed); !slices.Equal(got, append(args, "")) {
			t.Errorf("%q: sbatch is given %q, want %q", text, got, args)
		}
		for _, want := range []string{"--partition=" + text + "x", "--constraint=" + text + "x"} {
			if !slices.Contains(args, want) {
				t.Errorf("no %q in %q", want, args)
			}
		}
		wrap, _ := strings.CutPrefix(args[len(args)-1], "--wrap=")
		want := []string{"--data", text, "--threads", "2", "sweep", "task", f.Dir, "7", "--program",
			a.Approved[0].String(), ""}
		if got := run(wrap); !slices.Equal(got, want) {
			t.Errorf("%q: the task is given %q, want %q", text, got, want)
		}
	}
	if found, err := filepath.Glob("PWNED"); err != nil || found != nil {
		t.Errorf("a text was run: %v %v", found, err)
	}
}

// TestArraysOfAThousand: the indices of a Slurm array stay below MaxArraySize.
func TestArraysOfAThousand(t *testing.T) {
	f := made(t, strings.Replace(tiny, "seeds: 2", "seeds: 600", 1))
	stages, err := f.Batches(count(2400), &Resources{Threads: 1, Time: time.Hour})
	if err != nil || len(stages) != 1 || len(stages[0]) != 3 {
		t.Fatalf("%d stages, %v", len(stages), err)
	}
	last := f.job(&stages[0][2], &Resources{Threads: 1, Time: time.Hour}, nil)
	if !slices.Contains(last, "--array=0-399") ||
		!strings.HasSuffix(last[len(last)-1], "$((2000 + SLURM_ARRAY_TASK_ID))") {
		t.Error(last)
	}
}

// TestWhatSlurmSays: tasks are known by the job of their array and their number, also the last task
// of an array. A task that Slurm has given up is shown with the reason.
func TestWhatSlurmSays(t *testing.T) {
	b := fakes(t)
	f := made(t, tiny)
	stages, err := f.Batches(count(8), &Resources{Threads: 1, Time: time.Minute})
	if err != nil {
		t.Fatal(err)
	}
	_, err = f.Submit(context.Background(), stages, &Resources{Threads: 1}, Sbatch)
	if err != nil {
		t.Fatal(err)
	}
	b.says(t, "queue", "40 |0 |PENDING | |2 |BeginTime |\n"+
		"40|1|RUNNING|n3|0|None|\n"+
		"40|N/A|PENDING||0|x|\n"+
		"garbage\n"+
		"40|7|PENDING||0|Resources|\n")
	b.says(t, "show", "JobId=43 ArrayJobId=40 ArrayTaskId=2 "+
		"JobState=NODE_FAIL Reason=NodeDown Restarts=1 NodeList=n2\n"+
		"JobId=44 ArrayJobId=40 ArrayTaskId=3 "+
		"JobState=COMPLETED Reason=None NodeList=n1\n")
	jobs, err := f.Jobs(context.Background(), true)
	if err != nil || !jobs.Busy() {
		t.Fatal(jobs, err)
	}
	if err := tasked(f, 3).Do(context.Background()); err != nil {
		t.Fatal(err)
	}
	list := states(t, f)
	jobs.Mark(list)
	for i, want := range map[int][2]string{
		0: {"queued", "Slurm: pending (BeginTime), requeued 2 times"},
		1: {"queued", "Slurm: running on n3"},
		2: {"failed", "Slurm: node_fail (NodeDown) on n2, requeued once"},
		3: {"done", ""},
		4: {"missing", ""},
		7: {"queued", "Slurm: pending (Resources)"},
	} {
		if got := [2]string{string(list[i].Status), list[i].Cause}; got != want {
			t.Errorf("run %d: %v, want %v", i, got, want)
		}
	}
}

func TestParseTime(t *testing.T) {
	for text, want := range map[string]time.Duration{
		"30":         30 * time.Minute,
		"1:30":       90 * time.Second,
		"04:00:00":   4 * time.Hour,
		"2-0":        48 * time.Hour,
		"1-2:30":     26*time.Hour + 30*time.Minute,
		"1-02:03:04": 26*time.Hour + 3*time.Minute + 4*time.Second,
	} {
		if got, err := ParseTime(text); err != nil || got != want {
			t.Errorf("%s: %v, %v", text, got, err)
		}
	}
	for _, text := range []string{"", "0", "4h", "1:2:3:4", "-1", "1-", "x-1"} {
		if got, err := ParseTime(text); err == nil {
			t.Errorf("%q: %v", text, got)
		}
	}
	if got := ranges([]int{0, 1, 2, 5, 7, 8}); got != "0-2,5,7-8" {
		t.Error(got)
	}
}

// TestHolderOfALease: a life of a task that Slurm has ended holds no lease.
func TestHolderOfALease(t *testing.T) {
	b := fakes(t)
	f := made(t, tiny)
	b.says(t, "queue", "40|1|RUNNING|n3|1|None|\n40|2|PENDING||1|BeginTime|\n")
	h := f.Holder("40", "5", "2")
	if h.Name != "slurm 40_5 2" {
		t.Error(h.Name)
	}
	for name, want := range map[string][2]bool{
		"slurm 40_1 1": {true, true},
		"slurm 40_1 0": {false, true},
		"slurm 40_2 0": {false, true},
		"slurm 40_3 0": {false, true},
		"slurm 40_5 1": {false, true},
		"slurm 40_5 2": {false, false},
		"somebody":     {false, false},
		"":             {false, false},
	} {
		if alive, known := h.Alive(name); alive != want[0] || known != want[1] {
			t.Errorf("%q: alive %v, known %v", name, alive, known)
		}
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
