package queue

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"drolab/dro"
	"drolab/runner"
	"drolab/runner/data"
	"drolab/runner/data/source"
	"drolab/runner/spec"
	"drolab/runner/train"
)

// brittle is a network that panics at its first step.
type brittle struct{ train.Network }

func (brittle) Gradient([]float64, bool) { panic("broken\nat a step") }

// breaking builds networks that panic with some seeds: with seed 1 at a step, with seed 2 when they
// are built.
func breaking(s *spec.Spec, d *data.Dataset, threads int) (train.Network, error) {
	if s.Seed == 2 {
		panic(fmt.Sprint("broken while built ", strings.Repeat("x", 1<<20)))
	}
	n, err := train.Native(s, d, threads)
	if s.Seed == 1 {
		n = brittle{n}
	}
	return n, err
}

// only returns the path and the text of the one report in a folder.
func only(t *testing.T, dir string) (path, text string) {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(dir, ".*"))
	if err != nil || len(files) != 1 {
		t.Fatalf("reports %v, %v", files, err)
	}
	b, err := os.ReadFile(files[0])
	if err != nil {
		t.Fatal(err)
	}
	info, err := os.Stat(files[0])
	if err != nil || info.Mode().Perm() != 0o600 && runtime.GOOS != "windows" || len(b) > 64<<10 {
		t.Errorf("a report of mode %v with %d bytes, %v", info.Mode(), len(b), err)
	}
	return files[0], string(b)
}

// TestPanicOfARun: a panic fails its own run, with one line that has the path of a report. Only the
// report has the stack.
func TestPanicOfARun(t *testing.T) {
	for seed, want := range map[uint64]string{1: "step 0: internal error: broken at a step: " +
		"please report it",
		2: "internal error: broken while built xxx"} {
		t.Run(fmt.Sprint("seed ", seed), func(t *testing.T) {
			store, dir := newMemory(), t.TempDir()
			q := NewQueue(context.Background(),
				Settings{Store: store, Threads: 1, Network: breaking, Reports: dir})
			bad, good := brief(dro.ERM), brief(dro.ERM)
			bad.Seed, good.Seed = seed, 3
			ids, err := q.Start(runner.Request{Specs: []spec.Spec{bad, bad, good}})
			if err != nil {
				t.Fatal(err)
			}
			ends := map[string]Outcome{}
			for _, o := range q.Wait() {
				ends[o.ID] = o
			}
			if o := ends[ids[2]]; o.Status != runner.Done || o.Err != nil {
				t.Errorf("the run beside is %s: %v", o.Status, o.Err)
			}
			path, text := only(t, dir) // one of both: it is the same fault
			if !strings.Contains(text, "goroutine ") || !strings.Contains(text, "drolab/runner") {
				t.Errorf("the report is\n%s", text)
			}
			for _, id := range ids[:2] {
				events := store.runs[id].events
				last, ok := events[len(events)-1].(*runner.StatusEvent)
				for _, line := range []string{last.Cause, ends[id].Err.Error()} {
					if !ok || last.Status != runner.Failed || !strings.HasPrefix(line, want) ||
						!strings.HasSuffix(line, "with the file "+path) ||
						strings.Contains(line, "\n") || len(line) > 500 {
						t.Errorf("the run is %s: %s", last.Status, line)
					}
				}
			}
		})
	}
}

// TestPanicOfData: a panic while data are opened gives the same kind of error, and no run is left.
func TestPanicOfData(t *testing.T) {
	t.Cleanup(source.Register(data.Provider{Name: "broken", Purpose: "for a test",
		Open: func(string, data.Options) (*data.Dataset, error) { panic("broken data") }}))
	store, dir := newMemory(), t.TempDir()
	q := NewQueue(context.Background(), Settings{Store: store, Threads: 1, Reports: dir})
	s := brief(dro.ERM)
	s.Dataset = "broken"
	_, err := q.Start(runner.Request{Specs: []spec.Spec{s}})
	path, _ := only(t, dir)
	if err == nil || err.Error() != "internal error: broken data: please report it, with the file "+
		path {
		t.Error(err)
	}
	if len(store.runs) > 0 || len(q.Wait()) > 0 {
		t.Error("a run is left")
	}
}

// TestReportWithoutAFolder: a report without a usable folder is written into a folder of its own.
func TestReportWithoutAFolder(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir())
	for _, dir := range []string{"", filepath.Join(t.TempDir(), "missing")} {
		e, ok := runner.ReportPanic(dir, "x").(*runner.PanicError)
		if !ok || filepath.Dir(filepath.Dir(e.Report)) != filepath.Clean(os.TempDir()) {
			t.Fatalf("%q: %+v", dir, e)
		}
		only(t, filepath.Dir(e.Report))
	}
}
