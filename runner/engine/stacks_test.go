//go:build unix

package engine_test

import (
	"slices"
	"strings"
	"testing"

	"drolab/dro/testsize"
	"drolab/runner"
	"drolab/runner/record"
)

const stacks = "numpy torch lightning transformers accelerate"

// TestStacks: the examples of other libraries' trainers have the weights of drolab.start in a loop
// by hand on the same batches, also with accumulation and in two processes.
func TestStacks(t *testing.T) {
	t.Parallel()
	lines, err := runsDir(t.TempDir()).python(t, stacks, "stacks.py", "same")
	if err != nil {
		t.Fatal(err)
	}
	if len(lines) != 9 {
		t.Fatalf("stacks.py prints %d lines, want 9: %q", len(lines), lines)
	}
}

// TestLimitsOfLightning: with limits of the batches and with accumulation, also where the last
// window of an epoch is short, the run has the steps of the Trainer.
func TestLimitsOfLightning(t *testing.T) {
	t.Parallel()
	r := runsDir(t.TempDir())
	lines, err := r.python(t, stacks, "stacks.py", "limits")
	if err != nil {
		t.Fatal(err)
	}
	if len(lines) != 6 {
		t.Fatalf("stacks.py prints %d lines, want 6: %q", len(lines), lines)
	}
	for _, line := range lines {
		words := strings.Fields(line)
		run, err := record.Find(string(r), words[3])
		if err != nil {
			t.Fatal(err)
		}
		wantStatus(t, line, run, runner.Done)
	}
}

// TestTunedLightning: Lightning's search for a step size takes its steps outside the run, which has
// the same bits without it.
func TestTunedLightning(t *testing.T) {
	t.Parallel()
	r := runsDir(t.TempDir())
	lines, err := r.python(t, stacks, "stacks.py", "tuned")
	if err != nil {
		t.Fatal(err)
	}
	if len(lines) != 1 {
		t.Fatalf("stacks.py prints %d lines, want 1: %q", len(lines), lines)
	}
	run, err := record.Find(string(r), strings.Fields(lines[0])[1])
	if err != nil {
		t.Fatal(err)
	}
	wantStatus(t, lines[0], run, runner.Done)
}

// TestAveragedLightning: an average of the weights before or after the callback of drolab has the
// same bits, also in a run that failed and was resumed.
func TestAveragedLightning(t *testing.T) {
	t.Parallel()
	lines, err := runsDir(t.TempDir()).python(t, stacks, "stacks.py", "averaged")
	if err != nil {
		t.Fatal(err)
	}
	if len(lines) != 2 {
		t.Fatalf("stacks.py prints %d lines, want 2: %q", len(lines), lines)
	}
}

// TestWrongStacks: a mistake is refused in one line.
func TestWrongStacks(t *testing.T) {
	t.Parallel()
	lines, err := runsDir(t.TempDir()).python(t, stacks, "stacks.py", "wrong")
	if err != nil {
		t.Fatal(err)
	}
	if len(lines) != 23 {
		t.Fatalf("stacks.py prints %d lines, want 23: %q", len(lines), lines)
	}
}

// TestResumedStacks: an example that is killed and resumed comes to the same bits, and one that is
// stopped goes on, also where SIGTERM stops it in Lightning. A run of two processes goes on in one,
// and the reverse.
func TestResumedStacks(t *testing.T) {
	testsize.OnlyLong(t, "dozens of starts of trainers")
	r := runsDir(t.TempDir())
	lines, err := r.python(t, stacks, "stacks.py", "resumed")
	if err != nil {
		t.Fatal(err)
	}
	if len(lines) != 18 {
		t.Fatalf("stacks.py prints %d lines, want 18: %q", len(lines), lines)
	}
	for _, line := range lines {
		words := strings.Fields(line)
		run, err := record.Find(string(r), words[1])
		if err != nil {
			t.Fatal(err)
		}
		wantStatus(t, line, run, runner.Done)
	}
}

// TestGroupsOfBERT: on made-up tokens, group DRO raises the worst group of a small BERT above that
// of ERM, over four seeds.
func TestGroupsOfBERT(t *testing.T) {
	testsize.OnlyLong(t, "trains twelve networks")
	r := runsDir(t.TempDir())
	lines, err := r.python(t, stacks, "stacks.py", "groups")
	if err != nil {
		t.Fatal(err)
	}
	if len(lines) != 12 {
		t.Fatalf("stacks.py prints %d lines, want 12: %q", len(lines), lines)
	}
	worst := map[string][]float64{}
	for _, line := range lines {
		words := strings.Fields(line)
		run, err := record.Find(string(r), words[1])
		if err != nil {
			t.Fatal(err)
		}
		worst[words[0]] = append(worst[words[0]],
			run.Summary().Named("worst_group_accuracy").Float())
	}
	t.Logf("%v", worst)
	if slices.Max(worst["erm"]) >= slices.Min(worst["group"]) {
		t.Errorf("the worst groups of group DRO = %v, want all above those of ERM, %v",
			worst["group"], worst["erm"])
	}
}
