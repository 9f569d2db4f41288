package box

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"drolab/runner"
	"drolab/runner/record"
	"drolab/runner/record/recordtest/eventtest"
)

// folderOf returns a Lister of a folder of runs.
func folderOf(dir string) Lister { return record.NewCatalogue(dir, "") }

// mirrorOf returns the folder of the mirror of a box that has the runs of a folder. It is open
// until the test ends.
func mirrorOf(t *testing.T, box, runsDir string) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), box)
	m, err := record.OpenMirror(dir, box)
	must(t, err)
	t.Cleanup(func() { m.Close() })
	newPair(t, runsDir, m)
	return dir
}

// TestEachRunOnce: a run that is in several places is listed once: the copy here, else the one
// whose box records it, else the first. Another run of the same name is a problem, and is not
// listed.
func TestEachRunOnce(t *testing.T) {
	here, one, two := newHistory(t, 1), newHistory(t, 1), newHistory(t, 1)
	make := func(h *history, id string, seed uint64) {
		m := eventtest.Meta(seed)
		m.ID = id
		r, err := h.store.Create(m, nil)
		must(t, err)
		h.live[id], h.metas[id] = r, m
		must(t, r.Append(&runner.StatusEvent{Status: runner.Running}))
	}
	copyTo := func(h *history, to *history, id string) {
		must(t, os.CopyFS(filepath.Join(to.store.Dir(), id),
			os.DirFS(filepath.Join(h.store.Dir(), id))))
	}
	make(one, "only-there", 1)
	make(one, "copied-here", 2)
	copyTo(one, here, "copied-here")
	make(two, "held-by-the-second", 3) // the boxes have one home, and two records the run
	copyTo(two, one, "held-by-the-second")
	make(one, "ended-on-both", 4)
	one.end("ended-on-both", runner.Done)
	copyTo(one, two, "ended-on-both")
	make(here, "another", 5)
	make(two, "another", 6)

	all := NewRuns(folderOf(here.store.Dir()))
	all.Add("gpu1", folderOf(mirrorOf(t, "gpu1", one.store.Dir())))
	all.Add("gpu2", folderOf(mirrorOf(t, "gpu2", two.store.Dir())))
	runs, problems := all.List()
	got := map[string]string{}
	for _, r := range runs {
		if where, twice := got[r.Meta.ID]; twice {
			t.Errorf("run %s is listed twice: %s and %s", r.Meta.ID, where, r.Dir)
		}
		got[r.Meta.ID] = where(r)
	}
	want := map[string]string{
		"only-there":         "on box gpu1",
		"copied-here":        "here",
		"held-by-the-second": "on box gpu2",
		"ended-on-both":      "on box gpu1",
		"another":            "here",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("where the runs are (+), want (-): %s", diff)
	}
	line := "box gpu2: run another is another run than that of this name here: it is not shown"
	if len(problems) != 1 || problems[0].Error() != line {
		t.Errorf("problems %q, want only %q", problems, line)
	}
	for id, place := range want {
		r, err := all.Find(id)
		if err != nil || where(r) != place {
			t.Errorf("run %s is found %v, %v: want %s", id, r, err, place)
		}
	}
	if _, err := all.Find("none"); !os.IsNotExist(err) && err == nil {
		t.Error("a run that is nowhere is found, want an error")
	}
}
