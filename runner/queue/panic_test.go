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

// panickingNetwork is a network that panics at its first step.
type panickingNetwork struct{ train.Network }

func (panickingNetwork) Gradient([]float64, bool) { panic("broken\nat a step") }

// breaking builds networks that panic with some seeds: with seed 1 at a step, with seed 2 when they
// are built.
func breaking(s *spec.Spec, d *data.Dataset, threads int) (train.Network, error) {
	if s.Seed == 2 {
		panic(fmt.Sprint("broken while built ", strings.Repeat("x", 1<<20)))
	}
	n, err := train.Native(s, d, threads)
	if s.Seed == 1 {
		n = panickingNetwork{n}
	}
	return n, err
}

// only returns the path and the text of the one report in a folder.
func only(t *testing.T, dir string) (path, text string) {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(dir, ".*"))
	if err != nil {
		t.Fatalf("Glob in %s: %v", dir, err)
	}
	if len(files) != 1 {
		t.Fatalf("%s has the reports %v, want one", dir, files)
	}
	b, err := os.ReadFile(files[0])
	if err != nil {
		t.Fatal(err)
	}
	info, err := os.Stat(files[0])
	if err != nil {
		t.Fatal(err)
	}
	if mode := info.Mode().Perm(); mode != 0o600 && runtime.GOOS != "windows" {
		t.Errorf("the report has the mode %v, want 0600", mode)
	}
	if len(b) > 64<<10 {
		t.Errorf("the report has %d bytes, want at most %d", len(b), 64<<10)
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
			store, dir := newMemoryStore(), t.TempDir()
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
			for _, part := range []string{"goroutine ", "drolab/runner"} {
				if !strings.Contains(text, part) {
					t.Errorf("the report lacks %q:\n%s", part, text)
				}
			}
			for _, id := range ids[:2] {
				events := store.runs[id].events
				last, ok := events[len(events)-1].(*runner.StatusEvent)
				if !ok {
					t.Fatalf("the last event of run %s is %+v, want its status", id,
						events[len(events)-1])
				}
				if last.Status != runner.Failed {
					t.Errorf("run %s is %s, want %s", id, last.Status, runner.Failed)
				}
				expectReportedLine(t, last.Cause, want, path)
				expectReportedLine(t, ends[id].Err.Error(), want, path)
			}
		})
	}
}

// expectReportedLine expects one short line that begins with what happened and ends with the path
// of a report.
func expectReportedLine(t *testing.T, line, begin, path string) {
	t.Helper()
	if !strings.HasPrefix(line, begin) {
		t.Errorf("the line is %q, want one that begins with %q", line, begin)
	}
	if end := "with the file " + path; !strings.HasSuffix(line, end) {
		t.Errorf("the line is %q, want one that ends with %q", line, end)
	}
	if strings.Contains(line, "\n") {
		t.Errorf("%q is more than one line", line)
	}
	if len(line) > 500 {
		t.Errorf("the line has %d bytes, want at most 500: %q", len(line), line)
	}
}

// TestPanicOfData: a panic while data are opened gives the same kind of error, and no run is left.
func TestPanicOfData(t *testing.T) {
	t.Cleanup(source.Register(data.Provider{Name: "broken", Purpose: "for a test",
		Open: func(string, data.Options) (*data.Dataset, error) { panic("broken data") }}))
	store, dir := newMemoryStore(), t.TempDir()
	q := NewQueue(context.Background(), Settings{Store: store, Threads: 1, Reports: dir})
	s := brief(dro.ERM)
	s.Dataset = "broken"
	_, err := q.Start(runner.Request{Specs: []spec.Spec{s}})
	path, _ := only(t, dir)
	want := "internal error: broken data: please report it, with the file " + path
	if err == nil || err.Error() != want {
		t.Errorf("Start() = %v, want %q", err, want)
	}
	if n := len(store.runs); n > 0 {
		t.Errorf("the store has %d runs, want none", n)
	}
	if n := len(q.Wait()); n > 0 {
		t.Errorf("the queue has %d outcomes, want none", n)
	}
}

// TestReportWithoutAFolder: a report without a usable folder is written into a folder of its own.
func TestReportWithoutAFolder(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir())
	for _, dir := range []string{"", filepath.Join(t.TempDir(), "missing")} {
		e, ok := runner.ReportPanic(dir, "x").(*runner.PanicError)
		if !ok {
			t.Fatalf("ReportPanic(%q) returns no PanicError", dir)
		}
		got, want := filepath.Dir(filepath.Dir(e.Report)), filepath.Clean(os.TempDir())
		if got != want {
			t.Fatalf("ReportPanic(%q) reports in a folder of %q, want one of %q", dir, got, want)
		}
		only(t, filepath.Dir(e.Report))
	}
}
