package tui

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"drolab/runner/record"
	"drolab/tui/internal/tuitest"
	"drolab/tui/lab"
)

// TestPoisonedRuns attaches to a run each of whose strings, in its turn, would
// steer the terminal: neither the screens nor an export have it as it is.
func TestPoisonedRuns(t *testing.T) {
	dir, out := t.TempDir(), t.TempDir()
	const id = "csv-sfk-s1"
	first := os.DirFS(filepath.Join("..", "runner", "record", "testdata", "first-form"))
	if err := os.CopyFS(filepath.Join(dir, id), first); err != nil {
		t.Fatal(err)
	}
	tuitest.PoisonEach(t, dir, func(where string) {
		r := browsing(t, lab.Folder(dir), "2", 120, 40)
		r.Config.RunsDir = out
		r.fits(t, where)
		if runs, _ := record.List(dir); len(runs) == 1 {
			r.send(lab.Watch{IDs: []string{id}})
			r.wait(time.Second, time.Second/2)
			r.fits(t, where)
			for range 3 {
				r.press("e")
				r.fits(t, where)
				r.press("esc", "tab")
			}
			r.press("i")
			r.fits(t, where)
			r.press("esc")
		}
		r.press("3")
		r.fits(t, where)
		files, err := filepath.Glob(filepath.Join(out, "*"))
		if err != nil {
			t.Fatal(err)
		}
		for _, path := range files {
			text, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			if bad := tuitest.Steered(string(text)); bad != "" {
				t.Fatalf("with %s, an export has %s", where, bad)
			}
			os.Remove(path)
		}
	})
}
