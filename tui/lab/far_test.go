package lab

import (
	"path/filepath"
	"strings"
	"testing"

	"drolab/dro"
	"drolab/runner"
	"drolab/runner/record"
	"drolab/runner/record/recordtest"
)

// TestFar: a status of a run of a silent box has an age as long as the run had not ended, and the
// samples of such a run are refused with the command that shows them.
func TestFar(t *testing.T) {
	here, there := recordtest.NewFolder(t), recordtest.NewFolder(t)
	here.Add(recordtest.Result{Method: dro.ERM})
	there.Add(recordtest.Result{Method: dro.SFK})
	dir := filepath.Join(t.TempDir(), "mirror")
	m, err := record.OpenMirror(dir, "gpu1")
	here.Must(err)
	head, err := there.Runs[0].Head()
	here.Must(err)
	here.Must(m.Put(head))
	here.Must(m.Close())
	own := here.Runs[0]
	far, err := record.Find(dir, there.Runs[0].Meta.ID)
	here.Must(err)

	silent := Silences{"gpu1": "3 h ago"}
	for _, c := range []struct {
		run    *record.Run
		status runner.Status
		want   string
	}{{own, runner.Running, ""}, {far, runner.Running, "3 h ago"}, {far, runner.Queued, "3 h ago"},
		{far, runner.Done, ""}} {
		if got := silent.Ago(c.run, c.status); got != c.want {
			t.Errorf("run %s, %s: %q, want %q", c.run.Meta.ID, c.status, got, c.want)
		}
	}
	if got := (Silences{"gpu2": "3 h ago"}).Ago(far, runner.Running); got != "" {
		t.Errorf("another box is silent: %q, want nothing", got)
	}
	if notes := silent.Notes([]*record.Run{own, far}); len(notes) != 1 ||
		!strings.Contains(notes[0], "gpu1") || !strings.Contains(notes[0], "3 h ago") {
		t.Errorf("the notes are %q, want one on gpu1", notes)
	}
	if runs := Own([]*record.Run{own, far}); len(runs) != 1 || runs[0] != own {
		t.Errorf("the runs of this machine are %v, want one", runs)
	}

	if why := NoSamples(own); why != "" {
		t.Errorf("of a run here: %q, want nothing", why)
	}
	why := NoSamples(far)
	if want := far.Meta.ID + " is on box gpu1: "; !strings.HasPrefix(why, want) ||
		strings.Count(why, far.Meta.ID) != 2 {
		t.Errorf("of a run of a box: %q, want %q and a command about it", why, want)
	}
}
