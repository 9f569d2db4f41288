package sweep

import (
	"context"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"drolab/runner"
)

// TestNumberOfAJob: the number is the last line of the form of --parsable, whatever a site prints.
func TestNumberOfAJob(t *testing.T) {
	for out, want := range map[string]string{
		"40\n":         "40",
		"40;cluster\n": "40",
		"Welcome!\nYou have used 1200 of 5000 hours\n2026\n40;cluster\n": "40",
		"40\r\n\nsee http://docs/7 for help\n":                           "40",
		"  40;cluster  \n":                                               "40",
		"Submitted batch job 40\n":                                       "",
		"1200 of 5000 hours\n":                                           "",
		"40 ;cluster\n40;\n-3\n":                                         "",
		"":                                                               "",
	} {
		if got := jobNumber(out); got != want {
			t.Errorf("jobNumber(%q) = %q, want %q", out, got, want)
		}
	}
}

// start starts a sweep on the made cluster, as drolab sweep start does.
func (b fakeSlurm) start(t *testing.T, f *Folder, a *Resources) ([]Batch, error) {
	t.Helper()
	ctx := t.Context()
	if err := f.Adopt(ctx); err != nil {
		t.Fatal(err)
	}
	queue, err := f.Queue(ctx)
	if err != nil {
		t.Fatal(err)
	}
	batches, err := f.Batches(count(len(f.List.Runs)), queue, a)
	if err != nil {
		t.Fatal(err)
	}
	return f.Submit(ctx, batches, queue, a, Sbatch)
}

// enqueue makes squeue show the tasks of a job as pending.
func (b fakeSlurm) enqueue(t *testing.T, job string, tasks ...int) {
	t.Helper()
	text, _ := os.ReadFile(filepath.Join(string(b), "queue")) // nothing is queued at first
	for _, task := range tasks {
		text = fmt.Appendf(text, "%s|%d|PENDING||0|x|\n", job, task)
	}
	b.says(t, "queue", string(text))
}

// TestJobWithoutANumber: sbatch succeeds without a line that has the number. If the job is in the
// queue it is taken from there. If not, the error says how to look. No later start queues a task
// again.
func TestJobWithoutANumber(t *testing.T) {
	one := strings.Replace(tiny, "algo: [sfk, erm]", "algo: [erm]", 1) // one class
	for _, seen := range []bool{true, false} {
		b, f := newFakeSlurm(t), made(t, one)
		b.says(t, "does", `printf '%s\n' "$@" > "$D/job-$n"; echo Welcome; exit 0`)
		if seen {
			b.enqueue(t, "40", 0, 1, 2, 3)
		}
		submitted, err := b.start(t, f, ask())
		if seen {
			if err != nil || len(submitted) != 1 || submitted[0].Job != "40" {
				t.Fatalf("the start submits %v, %v, want job 40", submitted, err)
			}
		} else {
			for _, want := range []string{`no job's number is in its answer "Welcome\n"`,
				"a job may be queued: look with squeue --name=" + f.jobName()} {
				if err == nil || !strings.Contains(err.Error(), want) {
					t.Fatalf("the start gives %v, want an error with %q", err, want)
				}
			}
			b.enqueue(t, "40", 0, 1, 2, 3) // it appears later
		}
		if submitted, err := b.start(t, f, ask()); err != nil || len(submitted) > 0 {
			t.Errorf("seen at once %v: the next start submits %v, %v, want nothing", seen,
				submitted, err)
		}
		if n := len(b.jobs(t)); n != 1 {
			t.Errorf("seen at once %v: sbatch has submitted %d jobs, want 1", seen, n)
		}
	}
}

// TestSbatchThatIsEnded: a start that is cancelled while sbatch waits has noted the job that sbatch
// had submitted.
func TestSbatchThatIsEnded(t *testing.T) {
	b := newFakeSlurm(t)
	b.says(t, "does", `echo 40; echo > "$D/printed"; exec sleep 1000`)
	f := made(t, strings.Replace(tiny, "[sfk, erm]", "[erm]", 1))
	batches, err := f.Batches(count(4), nil, ask())
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	go func() {
		defer cancel()
		for {
			if _, err := os.Stat(filepath.Join(string(b), "printed")); err == nil {
				return
			}
			runtime.Gosched()
		}
	}()
	submitted, err := f.Submit(ctx, batches, nil, ask(), Sbatch)
	if err != nil || len(submitted) != 1 || submitted[0].Job != "40" {
		t.Errorf("Submit() = %v, %v, want job 40", submitted, err)
	}
	if list, err := f.submittedBatches(); err != nil || len(list) != 1 || list[0].Job != "40" {
		t.Errorf("the noted jobs are %v, %v, want 40", list, err)
	}
}

// TestForeignJobIsNotTaken: a job of the sweep's name with other tasks is not the one that a start
// has lost.
func TestForeignJobIsNotTaken(t *testing.T) {
	b, f := newFakeSlurm(t), made(t, tiny)
	if err := f.noteSubmitted([]Batch{{Tasks: []int{0, 1}}}); err != nil {
		t.Fatal(err)
	}
	b.enqueue(t, "39", 1, 2)
	if err := f.Adopt(t.Context()); err != nil {
		t.Fatal(err)
	}
	if list, err := f.submittedBatches(); err != nil || len(list) > 0 {
		t.Errorf("Adopt() leaves %v, %v, want no batch", list, err)
	}
}

// TestHalfSubmittedRungs: a start fails after any number of its jobs. The next start submits the
// others, each after the jobs of the stage before, and the third has nothing to do.
func TestHalfSubmittedRungs(t *testing.T) {
	text := tiny + "halving: {epochs: [1, 2], keep: .5}\n"
	whole := newFakeSlurm(t)
	if _, err := whole.start(t, made(t, text), ask()); err != nil {
		t.Fatal(err)
	}
	all := whole.jobs(t)
	if len(all) != 4 {
		t.Fatalf("a start submits %d jobs, want 4", len(all))
	}
	for fails := range all {
		b, f := newFakeSlurm(t), made(t, text)
		b.says(t, "does", fmt.Sprintf(`[ "$n" -lt %d ] || { echo no >&2; exit 1; }`, fails))
		submitted, err := b.start(t, f, ask())
		if err == nil || len(submitted) != fails {
			t.Fatalf("the start submits %d jobs, %v, want %d and an error", len(submitted), err,
				fails)
		}
		for _, batch := range submitted {
			b.enqueue(t, batch.Job, batch.Tasks...)
		}
		b.says(t, "does", "")
		rest, err := b.start(t, f, ask())
		if err != nil || len(rest) != len(all)-fails {
			t.Fatalf("the start after %d jobs submits %d jobs, %v, want %d", fails, len(rest), err,
				len(all)-fails)
		}
		for _, batch := range rest {
			b.enqueue(t, batch.Job, batch.Tasks...)
		}
		var waits, want []string
		for i, call := range b.jobs(t) {
			waits = append(waits, options(call, "--array=", "--dependency="))
			want = append(want, options(all[i], "--array=", "--dependency="))
		}
		if !slices.Equal(waits, want) {
			t.Errorf("after %d jobs the jobs are %q, want %q", fails, waits, want)
		}
		if again, err := b.start(t, f, ask()); err != nil || len(again) > 0 {
			t.Errorf("the third start submits %v, %v, want nothing", again, err)
		}
	}
}

// options returns the arguments that begin with one of some prefixes.
func options(args []string, prefixes ...string) string {
	var list []string
	for _, arg := range args {
		if slices.ContainsFunc(prefixes, func(p string) bool { return strings.HasPrefix(arg, p) }) {
			list = append(list, arg)
		}
	}
	return strings.Join(list, " ")
}

// TestRungsThatAreQueued: once a later stage is queued, a start leaves the stage before as it is.
func TestRungsThatAreQueued(t *testing.T) {
	b, f := newFakeSlurm(t), made(t, tiny+"halving: {epochs: [1], keep: .5}\n")
	submitted, err := b.start(t, f, ask())
	if err != nil {
		t.Fatal(err)
	}
	last := submitted[len(submitted)-1]
	b.enqueue(t, last.Job, last.Tasks...) // all tasks of the first stage have ended
	if again, err := b.start(t, f, ask()); err != nil || len(again) > 0 {
		t.Errorf("the next start submits %v, %v, want nothing", again, err)
	}
}

// TestAllocationAroundUs: of the variables of a job around drolab, only those that name the cluster
// reach Slurm's commands. The user's own options of sbatch do.
func TestAllocationAroundUs(t *testing.T) {
	b, f := newFakeSlurm(t), made(t, tiny)
	want := map[string]bool{"SLURM_CONF": true, "SLURM_CONF_SERVER": true, "SLURM_JWT": true,
		"SLURM_CLUSTERS": true, "SBATCH_ACCOUNT": true, "SLURM_CPU_BIND": false,
		"SLURM_CPU_BIND_TYPE": false, "SLURM_JOB_ID": false, "SLURM_MEM_PER_NODE": false,
		"SLURM_NTASKS": false, "SLURMD_NODENAME": true, "PMI_RANK": false, "PMIX_RANK": false,
		"PMI2_SIZE": false, "SQUEUE_STATES": false, "SACCT_FORMAT": false, "SCONTROL_ALL": false}
	for name := range want {
		t.Setenv(name, "x")
	}
	if _, err := b.start(t, f, ask()); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(filepath.Join(string(b), "environment"))
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range want {
		if got := strings.Contains("\n"+string(text), "\n"+name+"=x\n"); got != want {
			t.Errorf("sbatch has %s: %v, want %v", name, got, want)
		}
	}
}

// TestArraysOfASite: arrays are as large as the site allows. Where few tasks may run at once, the
// arrays of a class wait for one another.
func TestArraysOfASite(t *testing.T) {
	b := newFakeSlurm(t)
	f := made(t, strings.NewReplacer("seeds: 2", "seeds: 13", "[sfk, erm]", "[erm]").Replace(tiny))
	if got := MostTasks(t.Context()); got != 0 {
		t.Errorf("MostTasks() where scontrol fails = %d, want 0", got)
	}
	b.says(t, "config", "MaxArrayJobs = 5\nMaxArraySize            = 11\nMaxDBDMsgs = 20012\n")
	a := ask()
	if a.MostTasks = MostTasks(t.Context()); a.MostTasks != 11 {
		t.Fatalf("MostTasks() = %d, want 11", a.MostTasks)
	}
	for parallel, want := range map[int][3]string{
		0: {"--array=0-10", "--array=0-10", "--array=0-3"},
		4: {"--array=0-10%4", "--array=0-10%4 --dependency=afterany:40",
			"--array=0-3%4 --dependency=afterany:41"},
		25: {"--array=0-10%25", "--array=0-10%25", "--array=0-3%25 --dependency=afterany:40"},
	} {
		b, f := newFakeSlurm(t), made(t, string(f.List.File))
		a.Parallel = parallel
		if _, err := b.start(t, f, a); err != nil {
			t.Fatal(err)
		}
		calls := b.jobs(t)
		if len(calls) != 3 {
			t.Fatalf("26 runs make %d arrays, want 3", len(calls))
		}
		for i, call := range calls {
			if got := options(call, "--array=", "--dependency="); got != want[i] {
				t.Errorf("--parallel %d: array %d has %q, want %q", parallel, i, got, want[i])
			}
		}
		end := "$((22 + SLURM_ARRAY_TASK_ID))"
		if last := slices.Concat(calls...); !strings.HasSuffix(last[len(last)-1], end) {
			t.Errorf("the last command is %q, want one that ends with %q", calls[2], end)
		}
	}
}

// TestLimitOfASite: where the site's limit on jobs leaves room for some tasks, these are submitted,
// and an error says how to submit the rest. The next starts do so.
func TestLimitOfASite(t *testing.T) {
	b, f := newFakeSlurm(t), made(t, strings.Replace(tiny, "[sfk, erm]", "[erm]", 1))
	const limit = `sbatch: error: Batch job submission failed: Job violates accounting/QOS ` +
		`policy (job submit limit, user's size and/or time limits)`
	refuse := `echo "` + limit + `" >&2; exit 1`
	b.says(t, "does", `case $ARRAY in 0-3%4|2-3%4) `+refuse+`;; esac`)
	submitted, err := b.start(t, f, ask())
	if len(submitted) != 1 || !slices.Equal(submitted[0].Tasks, []int{0, 1}) {
		t.Fatalf("the start submits %v, want the tasks 0 and 1", submitted)
	}
	for _, want := range []string{"job submit limit", "start the sweep again when some tasks"} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("the start gives %v, want an error with %q", err, want)
		}
	}
	b.enqueue(t, "40", 0, 1)
	submitted, err = b.start(t, f, ask())
	if err == nil || len(submitted) != 1 || !slices.Equal(submitted[0].Tasks, []int{2}) {
		t.Errorf("the next start submits %v, %v, want task 2 and an error", submitted, err)
	}
	b.enqueue(t, "41", 2)
	b.says(t, "does", refuse)
	if submitted, err = b.start(t, f, ask()); err == nil || len(submitted) != 0 {
		t.Errorf("a start without room submits %v, %v, want nothing and an error", submitted, err)
	}
	b.says(t, "does", "")
	submitted, err = b.start(t, f, ask())
	if err != nil || len(submitted) != 1 || !slices.Equal(submitted[0].Tasks, []int{3}) {
		t.Errorf("the last start submits %v, %v, want task 3", submitted, err)
	}
}

// TestCauseOfLimits: a task that is out of memory or time is named as that, with the remedy, as
// scontrol says, or the accounting where scontrol has forgotten it.
func TestCauseOfLimits(t *testing.T) {
	b, f := newFakeSlurm(t), made(t, tiny)
	if err := f.noteSubmitted([]Batch{{Job: "40", Tasks: count(8)}}); err != nil {
		t.Fatal(err)
	}
	b.says(t, "show", "JobId=43 ArrayJobId=40 ArrayTaskId=0 "+
		"JobState=OUT_OF_MEMORY Reason=OutOfMemory NodeList=n2\n"+
		"JobId=44 ArrayJobId=40 ArrayTaskId=1 JobState=TIMEOUT Reason=TimeLimit NodeList=n1\n")
	const memory = ": start the sweep again with more, as in --sbatch mem=64G"
	const time = ": its time limit came before the run was saved: start the sweep again with " +
		"more --time"
	want := map[int]string{0: "Slurm: out of memory on n2" + memory,
		1: "Slurm: timeout (TimeLimit) on n1" + time}
	check := func(what string) {
		t.Helper()
		jobs, err := f.Jobs(context.Background(), true)
		if err != nil {
			t.Fatal(err)
		}
		list := states(t, f)
		list[2].Status, list[2].Cause = runner.Failed, "signal: killed"
		jobs.Mark(list)
		got := map[int]string{}
		for i := range list {
			if list[i].Cause != "" {
				got[i] = list[i].Cause
			}
		}
		if !maps.Equal(got, want) {
			t.Errorf("%s: the causes are %v, want %v", what, got, want)
		}
	}
	want[2] = "signal: killed" // nobody knows more
	check("without accounting")
	b.says(t, "accounts", "40_0|FAILED|n9\n40_2|FAILED|n3\n40_2.batch|OUT_OF_MEMORY|n3\n"+
		"40_3|CANCELLED by 1000|n1\n40_4.batch|FAILED|n1\n"+
		"40_[5-6]|PENDING|None assigned\n|||\nx\n")
	want[2] = "Slurm: out of memory on n3" + memory + "; signal: killed"
	want[3] = "Slurm: cancelled on n1"
	check("with accounting")
}
