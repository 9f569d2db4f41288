package tui

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"drolab/dro"
	"drolab/runner"
	"drolab/tui/cell"
	"drolab/tui/internal/tuitest"
	"drolab/tui/kit"
	"drolab/tui/lab"
)

// TestMarksOfPages: a run has the same mark, number and colour in Runs, on Watch and in Compare,
// with its seeds folded and apart, beside all runs and beside some.
func TestMarksOfPages(t *testing.T) {
	a := tuitest.Archive{Folder: lab.Folder(t.TempDir())}
	methods := []dro.Algorithm{dro.ERM, dro.SFK, dro.SFK, dro.SFK}
	for i, method := range methods {
		for seed := range uint64(2) {
			at := tuitest.Epoch0().Add(time.Duration(2*i+int(seed)) * time.Minute)
			m := tuitest.Archived(method, seed+1, "shapes", at)
			m.Spec.LR = float64(i)
			a.Add(t, fmt.Sprintf("shapes-%d-s%d", i, seed+1), m, runner.Done, "")
		}
	}
	s := &tuitest.Script{Folder: a.Folder, Now: tuitest.Epoch0().Add(time.Hour)}
	r := newDriver(t, s, 160, 50)
	want := func(place string, marks ...string) {
		t.Helper()
		screen := tuitest.Text(r.shot(t))
		for _, mark := range marks {
			if !strings.Contains(screen, mark) {
				t.Errorf("%s: no %q:\n%s", place, mark, screen)
			}
		}
	}
	r.Press("3")
	want("Runs", "◆  erm ", "●  sfk lr 1 ", "●₂ sfk lr 2 ", "●₃ sfk lr 3 ")
	r.Press("o")
	want("Runs, seeds apart", "◆  erm ", "●  sfk lr 1 ", "●₂ sfk lr 2 ", "●₃ sfk lr 3 ")
	r.Press("o", "home", "space", "down", "down", "space", "enter") // two of them
	want("Watch", "● ✓ lr 1 n=2 ", "●₃✓ lr 3 n=2 ")
	colour := r.Theme.Line(kit.MethodNumber(dro.Place(dro.SFK)))
	if painted := cell.ForTerminal(colour.Paint("●₃")); !strings.Contains(r.screen(), painted) {
		t.Errorf("Watch: ●₃ is not in the colour of sfk, as in %s:\n%s", painted, r.screen())
	}
	r.Press("o")
	want("Watch, seeds apart", "● ✓ lr 1 s1 ", "● ✓ lr 1 s2 ", "●₃✓ lr 3 s1 ", "●₃✓ lr 3 s2 ")
	r.Press("c")
	want("Compare", "● lr 1 ", "●₃ lr 3 ")
}
