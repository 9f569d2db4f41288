package tui

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"drolab/dro/testsize"
	"drolab/runner/certificate"
	"drolab/runner/record"
	"drolab/runner/spec"
	"drolab/tui/internal/tuitest"
	"drolab/tui/lab"
)

// imported returns a folder with a run that was imported from the predictions of another program.
// The folder has no checksums, because with them the run would be refused once it is poisoned.
func imported(t *testing.T, table string) (dir, id string) {
	t.Helper()
	dir = t.TempDir()
	path := filepath.Join(t.TempDir(), "predictions.csv")
	if err := os.WriteFile(path, []byte(table), 0o600); err != nil {
		t.Fatal(err)
	}
	store, err := record.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	p, err := certificate.ReadPredictions(t.Context(), path, nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	s := spec.Defaults()
	s.MinGroup = 1
	m, err := p.Import(store, certificate.Import{Method: "xgboost", File: path, Spec: s})
	if err != nil {
		t.Fatal(err)
	}
	return dir, m.ID
}

const someRows = "label,group,p_yes,p_no\nyes,a,.9,.1\nno,b,.2,.8\nno,a,.6,.4\nyes,b,.7,.3\n"

// TestImportedOnEveryPage: Runs, Watch, Compare and Samples show an imported run.
func TestImportedOnEveryPage(t *testing.T) {
	dir, _ := imported(t, someRows)
	r := browsing(t, lab.Folder(dir), "3", 120, 40)
	sees := func(page string, words ...string) {
		t.Helper()
		screen := tuitest.Text(r.shot(t))
		for _, word := range words {
			if !strings.Contains(screen, word) {
				t.Errorf("%s lacks %q:\n%s", page, word, screen)
			}
		}
	}
	sees("Runs", "xgboost", "imported from predictions.csv", "75.0")
	r.Press("F")
	sees("Runs", "no network")
	r.Press("esc", "enter")
	r.Wait(time.Second, time.Second/2)
	sees("Watch", "xgboost s1", "done", "75.0", "100%", "Loss · test", "predictions lack this")
	if screen := tuitest.Text(r.shot(t)); strings.Contains(screen, "λ max") {
		t.Errorf("an axis of what there is not:\n%s", screen)
	}
	r.Press("3", "space", "c")
	sees("Compare", "xgboost", "test loss")
	r.Press("3", "P")
	sees("Samples", "0.9163, p = 0.4") // of row 2
}

// TestPoisonedImport: no string of an imported run controls the terminal.
func TestPoisonedImport(t *testing.T) {
	dir, id := imported(t, someRows)
	n := 0
	tuitest.PoisonEach(t, dir, func(where string) {
		if n++; !testsize.Long() && n%3 != 0 || testing.Short() && n%10 != 0 {
			return
		}
		r := browsing(t, lab.Folder(dir), "3", 120, 40)
		r.fits(t, where)
		r.Send(lab.Watch{IDs: []string{id}})
		r.Wait(time.Second, time.Second/2)
		r.fits(t, where)
		r.Press("3", "P")
		r.fits(t, where)
	})
	if n < 30 {
		t.Errorf("%d strings were found", n)
	}
}
