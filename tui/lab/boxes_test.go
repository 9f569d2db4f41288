package lab

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"drolab/dro"
	"drolab/runner"
	"drolab/runner/box"
	"drolab/runner/record"
	"drolab/runner/record/recordtest"
)

// boxedRuns returns the Source of a run of this machine and of one of box gpu1, and the runs.
func boxedRuns(t *testing.T) ([]*record.Run, Source) {
	t.Helper()
	here, there := recordtest.NewFolder(t), recordtest.NewFolder(t)
	here.Add(recordtest.Result{Method: dro.ERM, Worst: .5})
	there.Add(recordtest.Result{Method: dro.SFK, Worst: .6})
	dir := filepath.Join(t.TempDir(), "mirror")
	m, err := record.OpenMirror(dir, "gpu1")
	if err != nil {
		t.Fatal(err)
	}
	defer m.Close()
	head, err := there.Runs[0].Head()
	if err != nil {
		t.Fatal(err)
	}
	if err := m.Put(head); err != nil {
		t.Fatal(err)
	}

	link := box.NewLink("gpu1", dir, nil)
	s := WithBoxes(t.Context(), OpenCatalogued(here.Store.Dir(), "", false),
		[]box.Linked{{Name: "gpu1", Dir: dir, Link: link}}, "")
	runs, problems := s.List()
	if len(problems) > 0 {
		t.Fatalf("listing: %v, want no problem", problems)
	}
	return runs, s
}

// TestRunsOfBoxes: the runs of a box stand beside those of this machine. What only their box can do
// with them is refused with the line that does it.
func TestRunsOfBoxes(t *testing.T) {
	runs, s := boxedRuns(t)
	own, far := runs[0], runs[1]
	if own.Mirrored() != nil {
		own, far = far, own
	}
	got := map[string]string{}
	for _, r := range runs {
		got[r.Meta.ID] = r.Summary().Box
	}
	want := map[string]string{own.Meta.ID: "", far.Meta.ID: "gpu1"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("the boxes of the runs (+), want (-): %s", diff)
	}
	for id := range want {
		if r, err := s.Find(id); err != nil || r.Meta.ID != id {
			t.Errorf("finding run %s: %v, want it", id, err)
		}
	}

	line := "run " + far.Meta.ID + " is on box gpu1: ssh gpu1 .local/bin/drolab delete " +
		far.Meta.ID
	if err := s.Delete(far.Meta.ID); err == nil || err.Error() != line {
		t.Errorf("deleting a run of a box: %v, want %q", err, line)
	}
	if err := s.Delete(own.Meta.ID); err != nil {
		t.Errorf("deleting a run of this machine: %v, want no error", err)
	}
	if _, err := os.Stat(own.Dir); !os.IsNotExist(err) {
		t.Errorf("the deleted run of this machine: %v, want none", err)
	}

	l := &Lab{Source: s, Config: Config{RunsGoOn: true}}
	l.Note(Listed{Runs: runs})
	if l.Controls(far.Meta.ID) || !l.Controls(own.Meta.ID) {
		t.Errorf("the interface controls the run of the box: %v, and that of this machine: %v; "+
			"want only the latter", l.Controls(far.Meta.ID), l.Controls(own.Meta.ID))
	}
	answer, _ := l.Ask("stop", far.Meta.ID)().(Answered)
	line = "run " + far.Meta.ID + " is on box gpu1: ssh gpu1 .local/bin/drolab stop " + far.Meta.ID
	if answer.Err == nil || answer.Err.Error() != line {
		t.Errorf("stopping a run of a box: %v, want %q", answer.Err, line)
	}
	started, _ := l.Start(runner.Request{Parent: far.Meta.ID + "@3"})().(Started)
	if started.Err == nil {
		t.Error("a fork of a run of a box starts here, want an error")
	}
}
