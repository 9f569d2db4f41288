package sweep

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"drolab/runner/bridge"
	"drolab/runner/disk"
	"drolab/runner/internal/atomicfile/atomicfiletest"
	"drolab/runner/spec"

	"github.com/google/go-cmp/cmp"
)

// TestSubmitPoints: a start on a cluster ends at each of its operations. The next start submits
// what is missing, and no run is in the queue twice.
func TestSubmitPoints(t *testing.T) {
	b := newFakeSlurm(t)
	ctx := context.Background()
	start := func(files disk.Files, dir string, queue *string) error {
		f, err := openBy(files, dir)
		if err != nil {
			return err
		}
		jobs := strings.Count(*queue, "|0|PENDING")
		return f.WithLock(func() error {
			if err := f.Adopt(ctx); err != nil {
				return err
			}
			there, err := f.Queue(ctx)
			if err != nil {
				return err
			}
			batches, err := f.Batches(count(4), there,
				&Resources{Threads: 1, Estimate: func(s *spec.Spec) (Need, error) {
					return Need{Seconds: 3000 * s.Rho}, nil // two classes: two arrays
				}})
			if err != nil {
				return err
			}
			submit := func(_ context.Context, args []string) (string, error) {
				_, array, _ := strings.Cut(strings.Join(args, " "), "--array=")
				var from, to int
				fmt.Sscanf(array, "%d-%d", &from, &to)
				for task := from; task <= to; task++ {
					*queue += fmt.Sprintf("%d|%d|PENDING||0|x|\n", 40+jobs, task)
				}
				jobs++
				b.says(t, "queue", *queue)
				return fmt.Sprint(39 + jobs), nil
			}
			_, err = f.Submit(ctx, batches, there, &Resources{Threads: 1}, submit)
			return err
		})
	}
	once := func(at string, x *atomicfiletest.Faults) {
		f, queue := made(t, fewer), ""
		b.says(t, "queue", "")
		start(disk.Files{Open: x.Open}, f.Dir, &queue)
		for range 2 {
			if err := start(disk.Files{}, f.Dir, &queue); err != nil {
				t.Errorf("%s: the next start: %v", at, err)
			}
		}
		tasks := map[string]int{}
		for line := range strings.Lines(queue) {
			tasks[strings.Split(line, "|")[1]]++
		}
		jobs, err := f.Jobs(ctx, false)
		if err != nil {
			t.Fatalf("%s: Jobs(): %v", at, err)
		}
		if want := map[string]int{"0": 1, "1": 1, "2": 1, "3": 1}; !maps.Equal(tasks, want) {
			t.Errorf("%s: the queue has each task so many times: %v, want %v", at, tasks, want)
		}
		if n := len(jobs); n != 4 {
			t.Errorf("%s: Jobs() knows %d tasks, want 4: %v", at, n, jobs)
		}
	}
	whole := &atomicfiletest.Faults{}
	once("whole", whole)
	for at, x := range atomicfiletest.Points(whole.Trace(), pointSteps(8), errors.New("fails")) {
		if x.Part == 0 {
			once(at, x)
		}
	}
}

func TestScripts(t *testing.T) {
	b := newFakeSlurm(t)
	f := made(t, tiny)
	batches, err := f.Batches([]int{0, 1, 3, 4, 5, 6, 7}, nil, ask())
	if err != nil {
		t.Fatal(err)
	}
	calls := f.Calls(batches, nil, ask())
	submitted, err := f.Submit(context.Background(), batches, nil, ask(), Sbatch)
	if err != nil {
		t.Fatal(err)
	}
	if len(submitted) != 2 {
		t.Fatalf("Submit() makes %d calls, want one for each of 2 classes of needs", len(calls))
	}
	given, err := os.ReadFile(filepath.Join(string(b), "job-0"))
	if err != nil {
		t.Fatal(err)
	}
	want := "--parsable\n" + strings.Join(calls[0], "\n") + "\n"
	if diff := cmp.Diff(want, string(given)); diff != "" {
		t.Errorf("the arguments of sbatch differ (-want +got):\n%s", diff)
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
	for _, want := range []string{"--array=4-7%4", "--time=0-00:10:00"} {
		if !slices.Contains(calls[1], want) {
			t.Errorf("no %q in the call for the runs of erm, %q", want, calls[1])
		}
	}
	if batches, err = f.submittedBatches(); err != nil {
		t.Fatal(err)
	}
	var jobs []string
	for _, b := range batches {
		jobs = append(jobs, b.Job)
	}
	if want := []string{"40", "41"}; !slices.Equal(jobs, want) {
		t.Fatalf("the noted jobs are %q, want %q", jobs, want)
	}
	if err := f.Cancel(t.Context()); err != nil {
		t.Errorf("Cancel(): %v", err)
	}
	if want := "scancel --name=" + f.jobName(); !strings.Contains(b.calls(t), want) {
		t.Errorf("the calls of Slurm are\n%s, want %q among them", b.calls(t), want)
	}
}

func TestScriptsOfRungs(t *testing.T) {
	b := newFakeSlurm(t)
	f := made(t, tiny+"halving: {epochs: [1, 2], keep: .5}\n")
	batches, err := f.Batches(count(8), nil, ask())
	if err != nil {
		t.Fatal(err)
	}
	if _, err := f.Submit(context.Background(), batches, nil, ask(), Sbatch); err != nil {
		t.Fatal(err)
	}
	calls := b.jobs(t)
	if len(calls) != 4 {
		t.Fatalf("Submit() makes %d calls, want 4", len(calls))
	}
	for i, want := range []string{"--array=0-3%4", "--array=4-7%4", "--array=0-3%4",
		"--array=0-3%4"} {
		if !slices.Contains(calls[i], want) {
			t.Errorf("no %q in %q", want, calls[i])
		}
	}
	for i, want := range map[int]string{2: "--dependency=afterany:40:41",
		3: "--dependency=afterany:42"} {
		if !slices.Contains(calls[i], want) {
			t.Errorf("no %q in %q", want, calls[i])
		}
		end := fmt.Sprintf("$SLURM_ARRAY_TASK_ID --rung %d", i-1)
		if command := calls[i][len(calls[i])-1]; !strings.HasSuffix(command, end) {
			t.Errorf("the command of call %d is %q, want one that ends with %q", i, command, end)
		}
	}
}

// TestHostileNames: whatever is in a text that reaches a job, it stays one argument of sbatch, and
// one argument of the task. What a dry run prints is the same call.
func TestHostileNames(t *testing.T) {
	b := newFakeSlurm(t)
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
		a := &Resources{Threads: 1, Time: time.Hour, Options: []string{"partition=" + text + "x"},
			DataDir: text, Program: words, Approved: []bridge.Approval{{Path: text, Sum: "1"}}}
		args := f.job(&Batch{Tasks: []int{7}}, a, nil)
		typed := words
		for _, arg := range args {
			typed += " " + Quote(arg)
		}
		if got := run(typed); !slices.Equal(got, append(args, "")) {
			t.Errorf("%q: sbatch is given %q, want %q", text, got, args)
		}
		if want := "--partition=" + text + "x"; !slices.Contains(args, want) {
			t.Errorf("no %q in %q", want, args)
		}
		wrap, _ := strings.CutPrefix(args[len(args)-1], "--wrap=")
		want := []string{"--data", text, "--threads", "2", "sweep", "task", f.Dir, "7", "--program",
			a.Approved[0].String(), ""}
		if got := run(wrap); !slices.Equal(got, want) {
			t.Errorf("%q: the task is given %q, want %q", text, got, want)
		}
	}
	if _, err := os.Stat("PWNED"); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("Stat(PWNED) = %v, want no such file: a shell has run one of the texts", err)
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
		"4h":         4 * time.Hour,
		"1d12h":      36 * time.Hour,
	} {
		if got, err := ParseTime(text); err != nil || got != want {
			t.Errorf("ParseTime(%q) = %v, %v, want %v", text, got, err, want)
		}
	}
	for _, text := range []string{"", "0", "0s", "9ms", "4x", "999999w",
		"1:2:3:4", "-1", "1-", "x-1"} {
		if got, err := ParseTime(text); err == nil {
			t.Errorf("ParseTime(%q) = %v, want an error", text, got)
		}
	}
}

func TestRanges(t *testing.T) {
	list, want := []int{0, 1, 2, 5, 7, 8}, "0-2,5,7-8"
	if got := ranges(list); got != want {
		t.Errorf("ranges(%v) = %q, want %q", list, got, want)
	}
}
