package sweep

import (
	"errors"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// TestOptionsThatAreRefused: an option that drolab sets itself is refused with the reason, also
// where sbatch would take a part of its name for it. So is what is not one option.
func TestOptionsThatAreRefused(t *testing.T) {
	for option, want := range map[string]string{
		"array=0-5":         "array: drolab sets this option itself: drolab numbers the tasks",
		"arr=0-5":           "arr: expected the whole name of an option of sbatch",
		"time=10":           "give --time",
		"cpus-per-task=3":   "give --cpus",
		"wrap=rm":           "setup: in the sweep file",
		"no-requeue":        "continues from its checkpoint",
		"outp=x":            "expected the whole name",
		"A vision":          "expected the long name of an option of sbatch",
		"account vision":    "expected the long name of an option of sbatch",
		"--account=vision":  "expected the long name of an option of sbatch",
		"":                  "expected the long name of an option of sbatch",
		"acc=x":             "acc: expected the whole name of an option of sbatch, such",
		"mem-per-c=4G":      "mem-per-c: expected the whole name of an option of sbatch",
		"part=y":            "such as partition",
		"cluster=a":         "set SLURM_CLUSTERS",
		"mem":               "mem: expected a value, as in mem=VALUE",
		"mail-user":         "mail-user: expected a value, as in mail-user=VALUE",
		"contiguous=yes":    "contiguous=yes: expected no value, because sbatch takes none for",
		"account=a\n--x":    "expected no control characters in a Slurm job",
		"comment=\x1b[2J":   "expected no control characters in a Slurm job",
		"account\r=vision":  "expected no control characters in a Slurm job",
		"comment=\u0085end": "expected no control characters in a Slurm job",
	} {
		if err := CheckOption(option); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("CheckOption(%q) = %v, want an error with %q", option, err, want)
		}
	}
	values := slices.Clone(harmless)
	for i, name := range values {
		if !slices.Contains(bare, name) {
			values[i] += "=1"
		}
	}
	for _, option := range append(values, "account=a b=c", "gres=gpu:h100:2", "exclusive", "nice",
		"export=NONE", "mail-user=a@b.c", "time-min=10", "wait-all-nodes=1", "mem=",
		"contiguous=", "option-of-a-site", "option-of-a-site=x") {
		if err := CheckOption(option); err != nil {
			t.Errorf("CheckOption(%q) = %v, want nil", option, err)
		}
	}
}

// TestKnownOptions: each option stands in one list.
func TestKnownOptions(t *testing.T) {
	sorted := slices.Sorted(slices.Values(known))
	if once := slices.Compact(slices.Clone(sorted)); len(once) != len(sorted) {
		t.Errorf("%d options are known, and only %d differ", len(sorted), len(once))
	}
	for _, name := range slices.Concat(bare, optional) {
		if !slices.Contains(known, name) {
			t.Errorf("%s may go without a value, and is not known", name)
		}
	}
}

// TestContradictions: two values of one option are refused in one start and in one file, and so are
// two ways to ask for memory.
func TestContradictions(t *testing.T) {
	err := CheckTwice([]string{"partition=y", "account=a", "partition=x"})
	want := "partition: expected one value, and partition=y and partition=x are given"
	if errText(err) != want {
		t.Errorf("CheckTwice() = %v, want %s", err, want)
	}
	if err := CheckTwice([]string{"partition=y", "account=a"}); err != nil {
		t.Error(err)
	}
	_, errs := Parse("bad.yaml", []byte(tiny+"sbatch: [qos=a, qos=b]\n"))
	got := errText(errors.Join(errs...))
	if !strings.HasPrefix(got, "bad.yaml:7: sbatch: qos: expected one value") {
		t.Errorf("a file with two values: %q, want an error in line 7", got)
	}
	for _, other := range []string{"mem-per-cpu=1G", "mem-per-gpu=8G"} {
		got := errText(CheckMemory([]string{"mem=4G", "qos=a", other}))
		if want := "mem=4G and " + other + ": sbatch takes one option for memory: forget the " +
			"other, as with --sbatch mem="; got != want {
			t.Errorf("CheckMemory() = %q, want %q", got, want)
		}
		merged := MergeOptions([]string{"mem=4G"}, []string{other, "mem="})
		if err := CheckMemory(merged); err != nil {
			t.Errorf("after mem= : %v, want nil", err)
		}
	}
}

func TestMergeOptions(t *testing.T) {
	got := MergeOptions([]string{"account=a", "qos=long", "exclusive"},
		[]string{"account=b", "comment=YQ=="}, []string{"qos=", "account=c"})
	if want := []string{"account=c", "exclusive", "comment=YQ=="}; !slices.Equal(got, want) {
		t.Errorf("MergeOptions() = %q, want %q", got, want)
	}
}

// TestOptionsOfJobs: options follow drolab's own, and what a user asks of memory counts in place of
// the estimate.
func TestOptionsOfJobs(t *testing.T) {
	f, a := made(t, tiny), ask()
	a.Options = []string{"account=vision", "gres=gpu:1", "exclusive"}
	batches, err := f.Batches([]int{0}, nil, a)
	if err != nil {
		t.Fatal(err)
	}
	args := f.job(&batches[0], a, nil)
	for _, want := range []string{"--account=vision", "--gres=gpu:1", "--exclusive",
		"--mem=1536M"} {
		if !slices.Contains(args, want) {
			t.Errorf("no %q in %q", want, args)
		}
	}
	for _, own := range []string{"mem=64G", "mem-per-cpu=4G", "mem-per-gpu=80G"} {
		a.Options = []string{own}
		args := f.job(&batches[0], a, nil)
		if slices.Contains(args, "--mem=1536M") || !slices.Contains(args, "--"+own) {
			t.Errorf("with %s, sbatch is given %q, want this memory alone", own, args)
		}
	}
}

// TestKeptOptions: the options of one start hold for the next ones. In the folder of a stranger
// only requests for resources count.
func TestKeptOptions(t *testing.T) {
	f := made(t, tiny)
	notKept, err := f.KeepOptions([]string{"account=a", "container=/tmp/image", "qos=long"})
	if want := []string{"container=/tmp/image"}; err != nil || !slices.Equal(notKept, want) {
		t.Fatalf("KeepOptions() = %q, %v, want %q", notKept, err, want)
	}
	if err := f.noteSubmitted([]Batch{{Job: "40"}}); err != nil { // has the same file
		t.Fatal(err)
	}
	if _, err := f.KeepOptions([]string{"account=b", "qos="}); err != nil {
		t.Fatal(err)
	}
	got, err := f.KeptOptions()
	if want := []string{"account=b"}; err != nil || !slices.Equal(got, want) {
		t.Errorf("KeptOptions() = %q, %v, want %q", got, err, want)
	}
	err = f.writeSubmissions(submissions{Options: []string{"export=ALL,LD_PRELOAD=/tmp/x",
		"wrap=x", "qos=long", "comment=\x1b"}})
	if err != nil {
		t.Fatal(err)
	}
	got, err = f.KeptOptions()
	if want := []string{"qos=long"}; err != nil || !slices.Equal(got, want) {
		t.Errorf("KeptOptions() of a stranger's folder = %q, %v, want %q", got, err, want)
	}
}

// TestSiteInFiles: a sweep file gives options and setup lines, and errors with their lines. What
// may start a program needs trust in the file.
func TestSiteInFiles(t *testing.T) {
	for site, want := range map[string]string{
		"sbatch: [account=vision, gres=gpu:1]\n": "",
		"sbatch: [container=/x]\n":               "sbatch: container: only a sweep file that",
		"sbatch: ['export=ALL,X=1']\n":           "sbatch: export: only a sweep file that",
		"setup: [module load cuda/12]\n":         "setup: only a sweep file that you have approved",
	} {
		err := parse(t, tiny+site).CheckTrust()
		if got := errText(err); !strings.HasPrefix(got, want) || want == "" && got != "" {
			t.Errorf("CheckTrust() of %q = %q, want %q", site, got, want)
		}
	}
	bad := tiny + "sbatch: [array=1-3, time=10]\nsetup: \"one line\"\n"
	_, errs := Parse("bad.yaml", []byte(bad))
	all := errText(errors.Join(errs...))
	for _, want := range []string{"bad.yaml:7: sbatch: array: drolab sets this option itself",
		"bad.yaml:7: sbatch: time: drolab sets this option itself: give --time",
		"bad.yaml:8: setup: \"one line\": expected a list of lines of a shell"} {
		if !strings.Contains(all, want) {
			t.Errorf("no %q in\n%s", want, all)
		}
	}
	if _, errs := Parse("bad.yaml", []byte(tiny+`setup: ["a\nb"]`+"\n")); len(errs) != 1 {
		t.Errorf("a setup line of two lines gives %v, want one error", errs)
	}
}

func errText(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}

// TestSetup: the lines of setup run before the task, in the task's own process, and a line that
// fails ends the task before the program starts.
func TestSetup(t *testing.T) {
	f := made(t, tiny)
	a := &Resources{Threads: 1, Time: time.Hour, DataDir: "d", Program: "/bin/echo",
		Setup: []string{"load() { LOADED=\"$LOADED $1\"; export LOADED; }", "load 'a  b'",
			"echo \"has$LOADED\" $$"}}
	run := func() (string, error) {
		args := f.job(&Batch{Tasks: []int{7}}, a, nil)
		wrap, _ := strings.CutPrefix(args[len(args)-1], "--wrap=")
		c := exec.Command("sh", "-c", "echo $$; "+wrap)
		c.Env = []string{"PATH=/usr/bin:/bin", "HOME=" + filepath.Join(f.Dir, "no-home"),
			"SLURM_ARRAY_TASK_ID=7", "SLURM_CPUS_PER_TASK=2"}
		out, err := c.Output()
		return string(out), err
	}
	out, err := run()
	pid, rest, _ := strings.Cut(out, "\n")
	want := "has a  b " + pid + "\n--data d --threads 2 sweep task " + f.Dir + " 7\n"
	if err != nil || rest != want {
		t.Errorf("the job prints %q, %v, want %q", rest, err, want)
	}
	a.Setup = append(a.Setup, "false")
	out, err = run()
	if err == nil || strings.Contains(out, "sweep task") {
		t.Errorf("after a line that fails the job prints %q, %v, want an error and no task", out,
			err)
	}
}
