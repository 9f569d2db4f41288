package runs

import (
	"strings"
	"testing"
	"time"

	"drolab/dro"
	"drolab/runner"
	"drolab/runner/box"
	"drolab/runner/record"
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

// TestPlacesOf: what was done to runs of boxes, and a question about it, name the boxes.
func TestPlacesOf(t *testing.T) {
	here, there := tuitest.NewArchive(t), tuitest.Archive{Folder: lab.Folder(t.TempDir())}
	there.Add(t, "far", tuitest.Archived(dro.PGD, 3, "far", tuitest.Epoch0()), runner.Done, "")
	b := tuitest.NewBox(t, "gpu1", string(there.Folder), tuitest.Epoch0())
	own, _ := here.Folder.List()
	far, err := record.Find(b.Dir, "far")
	if err != nil {
		t.Fatal(err)
	}
	for want, runs := range map[string][]*record.Run{
		"deleted 1 run":                       own[:1],
		"deleted 1 run on box gpu1":           {far},
		"deleted 2 runs here and on box gpu1": {own[0], far},
	} {
		done := changeEach(runs, "deleted %s", func(*record.Run) error { return nil })()
		if got := done.(changedMsg).done; got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
	if got := lab.Describe(far); !strings.HasSuffix(got, "far on box gpu1") {
		t.Errorf("%q, want the box at its end", got)
	}
}
