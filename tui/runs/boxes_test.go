package runs

import (
	"strings"
	"testing"
	"time"

	"drolab/dro"
	"drolab/runner"
	"drolab/runner/box"
	"drolab/tui/internal/tuitest"
	"drolab/tui/lab"
)

// TestPlaces: on 80 cells the list says where runs are, and both accuracies, also where the box of
// live runs is silent and their states have an age. Runs of a line that are in several places have
// the number of these.
func TestPlaces(t *testing.T) {
	there := tuitest.Archive{Folder: lab.Folder(t.TempDir())}
	at := tuitest.Epoch0()
	there.Add(t, "far-live", tuitest.Archived(dro.PGD, 3, "live", at), runner.Running, "")
	there.Add(t, "far-done", tuitest.Archived(dro.SFK, 3, "shapes", at), runner.Done, "")
	here := tuitest.NewArchive(t)
	for age, silent := range map[time.Duration]bool{time.Second: false, 59 * time.Minute: true} {
		boxes := []box.Linked{tuitest.NewBox(t, "gpu1", string(there.Folder), at.Add(-age))}
		source := lab.WithBoxes(t.Context(),
			lab.OpenCatalogued(string(here.Folder), "", true), boxes, "")
		l := tuitest.NewLab(t, source, lab.Config{RunsDir: "/runs", Boxes: boxes}, 80, 22)
		l.LookAtBoxes(at)
		r := tuitest.NewDriver(l, New(l))
		s := tuitest.Text(r.Shot())
		wants := []string{"2 places", " gpu1 ", "worst %", "mean %"}
		if silent {
			wants = append(wants, "running?")
		}
		for _, want := range wants {
			if !strings.Contains(s, want) {
				t.Errorf("silent %v: the list lacks %q:\n%s", silent, want, s)
			}
		}
	}
}
