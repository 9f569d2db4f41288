package tui

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"drolab/tui/internal/tuitest"
	"drolab/tui/kit"
)

// TestGoneRuns: a run that is deleted by a key or by another program leaves Watch, Compare, Samples
// and the selection at once: rows, baseline and sentences name it no more, and the footer says so.
// Runs that are still there stay, though a list may lack them.
func TestGoneRuns(t *testing.T) {
	for name, remove := range map[string]func(r *driver, dir string){
		"a key": func(r *driver, _ string) {
			r.Press("/")
			r.Type("preset:shapes algo:erm")
			r.Press("enter", "D", "y")
		},
		"another program": func(_ *driver, dir string) {
			for _, id := range []string{"shapes-erm-s1", "shapes-erm-s2"} {
				if err := os.RemoveAll(filepath.Join(dir, id)); err != nil {
					t.Fatal(err)
				}
			}
		},
	} {
		if testing.Short() && name == "a key" { // other tests of deletion press it, too
			continue
		}
		t.Run(name, func(t *testing.T) {
			a := tuitest.NewArchive(t)
			r := browsing(t, a.Folder, "3", 120, 40)
			r.Config.RunsDir = string(a.Folder)
			r.Send(kit.Tick(*r.Now))
			r.Press("/")
			r.Type("preset:shapes")
			r.Press("enter", "a", "c", "3", "enter") // on Compare and on Watch
			before := tuitest.Text(r.shot(t))
			if !strings.Contains(before, "vs erm") || !strings.Contains(before, "leads erm") {
				t.Fatalf("erm is not compared with:\n%s", before)
			}
			kept := len(r.watch.Runs.Tracks) - 2
			r.Press("3", "esc", "esc") // without filter and selection
			remove(r, string(a.Folder))
			r.Send(kit.Tick(r.Now.Add(time.Second)))
			if f := r.footer(); !strings.Contains(f, "2 runs were deleted. No page shows them") {
				t.Errorf("the footer says %q", f)
			}
			for _, page := range []string{"2", "4"} {
				r.Press(page)
				if screen := tuitest.Text(r.shot(t)); strings.Contains(screen, "erm") {
					t.Errorf("page %s names a run that is gone:\n%s", page, screen)
				}
			}
			r.Run(r.findGone(nil)) // a list from before they began
			if n := len(r.watch.Runs.Tracks); n != kept || r.watch.Runs.Baseline >= 0 {
				t.Errorf("%d runs are watched, against the run %d, want %d against none", n,
					r.watch.Runs.Baseline, kept)
			}
		})
	}
}
