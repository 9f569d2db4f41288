package watch

import (
	"encoding/csv"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"drolab/runner/page"
	"drolab/tui/internal/tuitest"
	"drolab/tui/lab"
)

// exported presses e and returns the rows of the one new file, by column name.
func (r *driver) exported(t *testing.T) []map[string]string {
	t.Helper()
	dir := r.Config.RunsDir
	if r.Press("e"); r.Overlay == nil {
		t.Fatalf("nothing is said: %q", r.Notice.Text)
	}
	said := strings.Join(r.Overlay.Lines, "")
	r.Press("esc")
	files, err := filepath.Glob(filepath.Join(dir, "export-*.csv"))
	if err != nil {
		t.Fatal(err)
	}
	if len(files) != 1 {
		t.Fatalf("the exports are %v, want one", files)
	}
	if !strings.Contains(said, filepath.Base(files[0])) {
		t.Errorf("%q does not name %s", said, files[0])
	}
	f, err := os.Open(files[0])
	if err != nil {
		t.Fatal(err)
	}
	defer os.Remove(files[0])
	defer f.Close()
	lines, err := csv.NewReader(f).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	var rows []map[string]string
	for _, line := range lines[1:] {
		row := map[string]string{}
		for i, name := range lines[0] {
			row[name] = line[i]
		}
		rows = append(rows, row)
	}
	return rows
}

// TestExportCurves: the exported file has the last loss of each run and only the curves that are
// shown.
func TestExportCurves(t *testing.T) {
	r := watching(t, 120, 40)
	r.Config.RunsDir = t.TempDir()
	r.Press("down", "space") // hides pgd
	last, count := map[string]string{}, map[string]int{}
	for _, row := range r.exported(t) {
		if row["quantity"] == "loss" && row["smoothing"] == "" {
			last[row["method"]] = row["value"]
		}
		count[row["quantity"]+"/"+row["smoothing"]]++
	}
	if len(last) != 3 {
		t.Errorf("losses of %v are exported, want of 3 methods", last)
	}
	if last["pgd"] != "" {
		t.Errorf("the losses of the hidden pgd are exported: %v", last)
	}
	for _, track := range r.watch.Runs.Tracks {
		method, loss := string(track.Meta.Spec.Algorithm()), track.Last.Named("loss")
		if method != "pgd" && last[method] != page.Exact(loss.Float()) {
			t.Errorf("%s: the last loss is %s, want %v", method, last[method], loss)
		}
	}
	if len(count) != 3 {
		t.Errorf("rows by quantity and smoothing: %v, want three kinds", count)
	}
	if raw, smooth := count["loss/"], count["loss/mean of 5"]; raw != smooth {
		t.Errorf("%d losses, and %d that are smoothed, want as many", raw, smooth)
	}
	if count["test_loss/"] == 0 {
		t.Error("no test loss is exported")
	}
}

// TestExportBars: an export of bars has the classes of the run and those of the run that it is
// compared with.
func TestExportBars(t *testing.T) {
	r := watching(t, 120, 40)
	r.Wait(20*time.Second, time.Second) // to the end, which all have in common
	r.Config.RunsDir = t.TempDir()
	r.Press("tab")
	if rows := r.exported(t); len(rows) != 40 {
		t.Errorf("%d rows of all runs, want 40", len(rows))
	}
	r.Config.RunsDir = t.TempDir()
	r.Press("f", "f")
	rows := r.exported(t)
	if len(rows) != 20 {
		t.Fatalf("%d rows, want 20", len(rows))
	}
	sfk := r.watch.Runs.Tracks[0]
	for i, row := range rows[:10] {
		images := strconv.Itoa(sfk.Meta.ClassCounts.Train[i])
		accuracy := page.ExactOf(sfk.Places(r.watch.Runs.Clock, lab.ListNamed("class_accuracy"))[i])
		for head, want := range map[string]string{"method": "sfk", "class": sfk.Meta.Classes[i],
			"training_images": images, "accuracy": accuracy} {
			if row[head] != want {
				t.Errorf("row %d has %s %q, want %q", i, head, row[head], want)
			}
		}
	}
}

// TestExportReadOnly: a read-only view leaves the runs folder as it is, because that folder may
// belong to somebody else.
func TestExportReadOnly(t *testing.T) {
	r := watching(t, 120, 40)
	r.Config.RunsDir, r.Config.ReadOnly = t.TempDir(), true
	t.Chdir(t.TempDir())
	r.Press("e")
	here, err := filepath.Glob("export-*.csv")
	if err != nil {
		t.Fatal(err)
	}
	if len(here) != 1 {
		t.Errorf("the working folder has the exports %v, want one", here)
	}
	beside, err := filepath.Glob(filepath.Join(r.Config.RunsDir, "*"))
	if err != nil {
		t.Fatal(err)
	}
	if len(beside) != 0 {
		t.Errorf("the runs folder has %v, want nothing", beside)
	}
}

// TestExportFails: an export that fails says why.
func TestExportFails(t *testing.T) {
	r := watching(t, 120, 40)
	r.Config.RunsDir = filepath.Join(t.TempDir(), "missing")
	r.Press("e")
	if r.Overlay != nil {
		t.Errorf("an export that fails says %q", r.Overlay.Title)
	}
	if n := r.Notice; !n.Bad || !strings.Contains(n.Text, "missing") {
		t.Errorf("the notice is %+v, want an error with missing in it", n)
	}
}

// TestExportTwice: two exports within a second are two files.
func TestExportTwice(t *testing.T) {
	r := watching(t, 120, 40)
	r.Config.RunsDir = t.TempDir()
	s, rows := tableOf(r.watch.Board, r.watch.screen.focus)
	f := page.Formats()[0]
	if rows == 0 {
		t.Fatal("the panel has no rows to export")
	}
	first, err := f.WriteFile(r.Config.RunsDir, s, tuitest.Epoch0())
	if err != nil {
		t.Fatalf("the first export: %v", err)
	}
	second, err := f.WriteFile(r.Config.RunsDir, s, tuitest.Epoch0())
	if err != nil {
		t.Fatalf("the second export: %v", err)
	}
	if first == second {
		t.Errorf("both exports are %s", first)
	}
}

// TestExportInAnotherFormat: a registered format is offered, and writes the data of the panel.
func TestExportInAnotherFormat(t *testing.T) {
	var head []string
	rows := 0
	write := func(w io.Writer, t *page.Table) error {
		head = t.Heads()
		for range t.All() {
			rows++
		}
		return nil
	}
	defer page.Register(page.Format{Name: "toy", Doc: "for a test", Write: write})()
	r := watching(t, 120, 40)
	r.Config.RunsDir = t.TempDir()
	r.Press("E")
	if s := tuitest.Text(r.Shot()); !strings.Contains(s, "4  toy: for a test") {
		t.Fatalf("the format is not offered:\n%s", s)
	}
	r.Press("4")
	files, _ := filepath.Glob(filepath.Join(r.Config.RunsDir, "*.toy"))
	if len(files) != 1 {
		t.Errorf("the files in the format are %v, want one", files)
	}
	if rows == 0 {
		t.Error("the file has no row")
	}
	if !slices.Contains(head, "value") {
		t.Errorf("the heads are %v, want value among them", head)
	}
}
