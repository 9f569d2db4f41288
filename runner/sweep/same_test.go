package sweep

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"drolab/runner"
	"drolab/runner/eventlog"
	"drolab/runner/measure"
	"drolab/runner/record"
)

// TestSameSweeps compares two sweeps on the disk, DROLAB_SAME=DIR:DIR. .ci/measure/slurm runs it
// with a sweep that a cluster has trained.
func TestSameSweeps(t *testing.T) {
	a, b, ok := strings.Cut(os.Getenv("DROLAB_SAME"), ":")
	if !ok {
		t.Skip("DROLAB_SAME=DIR:DIR names no sweeps")
	}
	sameSweeps(t, a, b)
}

// sameSweeps fails unless the runs of two sweeps are done and equal to the last bit: every step and
// evaluation in force, and the last weights.
func sameSweeps(t *testing.T, dirA, dirB string) {
	t.Helper()
	a, b := open(t, dirA), open(t, dirB)
	if len(a.List.Runs) == 0 {
		t.Fatal("the first sweep has no runs")
	}
	if got, want := len(b.List.Runs), len(a.List.Runs); got != want {
		t.Fatalf("the second sweep has %d runs, want %d, as the first", got, want)
	}
	events := 0
	for i, r := range a.List.Runs {
		if r.ID != b.List.Runs[i].ID {
			t.Fatalf("run %d is %s in one and %s in the other", i, r.ID, b.List.Runs[i].ID)
		}
		linesA, weightsA := trace(t, a, i)
		linesB, weightsB := trace(t, b, i)
		if !slices.Equal(linesA, linesB) {
			t.Errorf("%s: the events differ", r.ID)
		}
		if !bytes.Equal(weightsA, weightsB) {
			t.Errorf("%s: the weights differ", r.ID)
		}
		events += len(linesA)
	}
	t.Logf("%d runs, %d events: equal to the last bit", len(a.List.Runs), events)
}

func open(t *testing.T, dir string) *Folder {
	t.Helper()
	f, err := Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// trace returns the results of a finished run: its steps and evaluations without times, and its
// last weights.
func trace(t *testing.T, f *Folder, i int) (lines []string, weights []byte) {
	t.Helper()
	r, err := f.Find(i)
	if err != nil {
		t.Fatalf("run %d: %v", i, err)
	}
	if got := r.Status(); got != runner.Done {
		t.Fatalf("run %d is %s, want %s", i, got, runner.Done)
	}
	for _, e := range standing(t, r) {
		if step, ok := e.(*runner.StepEvent); ok {
			step.ImagesPerSecond = measure.Number{}
		}
		e.Header().Seq, e.Header().Time = 0, time.Time{}
		line, err := runner.EncodeEvent(e)
		if err != nil {
			t.Fatal(err)
		}
		lines = append(lines, string(line))
	}
	steps, err := r.Checkpoints()
	if err != nil {
		t.Fatalf("run %d: %v", i, err)
	}
	if len(steps) == 0 {
		t.Fatalf("run %d has no checkpoints", i)
	}
	if len(lines) == 0 {
		t.Fatalf("run %d has logged no steps and evaluations", i)
	}
	saved := filepath.Join(r.Dir, "checkpoints", fmt.Sprintf("step-%010d", steps[len(steps)-1]))
	weights, err = os.ReadFile(saved + ".safetensors")
	if r.Meta.Spec.IsProgram() {
		weights, err = os.ReadFile(saved + ".program")
	}
	if err != nil {
		t.Fatal(err)
	}
	return lines, weights
}

// standing returns the steps and evaluations of a log that no resume has discarded.
func standing(t *testing.T, r *record.Run) (list []runner.Event) {
	t.Helper()
	h, err := eventlog.ReadHistory(r.Tail(), nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range h.Steps {
		list = append(list, e)
	}
	for _, e := range h.Evals {
		list = append(list, e)
	}
	return list
}

// TestOverhead reports the overhead of a sweep on the disk, DROLAB_OVERHEAD=DIR:PARALLEL, as
// .ci/measure/sweep runs it. The overhead is the time that the machine's slots waited: from a run's
// last event to the beginning of the next run's first step, with the reading of data and the making
// of the network.
func TestOverhead(t *testing.T) {
	dir, text, ok := strings.Cut(os.Getenv("DROLAB_OVERHEAD"), ":")
	parallel, err := strconv.Atoi(text)
	if !ok || err != nil {
		t.Skip("DROLAB_OVERHEAD=DIR:PARALLEL names no sweep")
	}
	f := open(t, dir)
	var first, last time.Time
	trained := time.Duration(0)
	for i := range f.List.Runs {
		r, err := f.Find(i)
		if err != nil {
			t.Fatal(err)
		}
		var began, ended time.Time
		tail := r.Tail()
		for events, err := tail.Read(); len(events) > 0 || err != nil; events, err = tail.Read() {
			if err != nil {
				t.Fatal(err)
			}
			for _, e := range events {
				s, ok := e.(*runner.StatusEvent)
				if ended = e.Header().Time; ok && s.Status == runner.Running {
					began = ended
				}
			}
		}
		if first.IsZero() || r.Meta.Created.Before(first) {
			first = r.Meta.Created
		}
		if ended.After(last) {
			last = ended
		}
		trained += ended.Sub(began)
	}
	n := time.Duration(len(f.List.Runs))
	wall := last.Sub(first)
	beside := wall*time.Duration(parallel) - trained
	t.Logf("%d runs in %v, %v each; %v beside them a run", n, wall.Round(time.Second),
		(trained / n).Round(time.Millisecond), (beside / n).Round(time.Millisecond))
}
