package cli

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"drolab/runner"
	"drolab/runner/record"
)

// TestFormat1 holds the promise that this program and all later ones read, continue and export what
// the first program of format 1 wrote. The files of runner/record/testdata/format1 never change.
// They are a finished run of PAN, a stopped run of SFK with a label, and a sweep whose first rung
// has ended one of its two runs.
func TestFormat1(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "runs")
	from := os.DirFS(filepath.Join("..", "..", "runner", "record", "testdata", "format1"))
	if err := os.CopyFS(dir, from); err != nil {
		t.Fatal(err)
	}
	do := func(args ...string) string {
		t.Helper()
		var out, errs bytes.Buffer
		args = append(args, "--runs", dir)
		code := Process(context.Background(), args, strings.NewReader(""), &out, &errs)
		if code != 0 {
			t.Fatalf("drolab %s: exit %d\n%s%s", strings.Join(args, " "), code, &out, &errs)
		}
		return out.String()
	}
	says := func(text string, words ...string) {
		t.Helper()
		for _, w := range words {
			if !strings.Contains(text, w) {
				t.Errorf("no %s in\n%s", w, text)
			}
		}
	}
	const done, stopped = "csv-pan-s1-20261126-144349-7iyi", "csv-sfk-s1-20261126-144349-y7qd"
	says(do("doctor"), "No problems found in 2 runs")
	says(do("runs"), done, stopped, "56.7 %", "0.6922", "45.8 %", "0.7305")
	says(do("show", stopped), "half way", "kept")
	says(do("compare", "csv"), "56.7", stopped)
	says(do("report", done), "56.7")
	for _, id := range []string{done, stopped} {
		for _, format := range []string{"csv", "tensorboard", "python", "onnx"} {
			do("export", id, "--to", format, "--out", filepath.Join(t.TempDir(), format))
		}
	}
	do("run", "--from", done+"@12", "--set", "lr=0.001", "--inline")
	do("resume", stopped, "--inline")
	r, err := record.Find(dir, stopped)
	check(t, err)
	if r.Status() != runner.Done || r.Steps() != 24 {
		t.Errorf("the resumed run is %v at step %d, want done at step 24", r.Status(), r.Steps())
	}
	says(do("doctor"), "No problems found in 3 runs")
	sweep := filepath.Join(dir, "sweep")
	says(do("sweep", "status", sweep, "--json"), `"done": 1`, `"dropped": 1`)
	file := filepath.Join(t.TempDir(), "s.yaml") // the name that it was started with
	text, err := os.ReadFile(filepath.Join(sweep, "sweep.yaml"))
	if err == nil {
		err = os.WriteFile(file, text, 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
	says(do("sweep", "start", file, "--dir", sweep, "--inline"), "1 done, 1 dropped")
	says(do("sweep", "table", sweep), "erm")
}
