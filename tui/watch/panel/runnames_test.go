package panel

import (
	"slices"
	"testing"

	"drolab/dro"
	"drolab/runner"
	"drolab/runner/record"
	"drolab/tui/internal/tuitest"
	"drolab/tui/lab"
)

// TestMachineInNames: names say which machine has a run, or all seeds of a group, where the runs
// are of several machines.
func TestMachineInNames(t *testing.T) {
	one := func(id string, m dro.Algorithm, seed uint64) lab.Folder {
		a := tuitest.Archive{Folder: lab.Folder(t.TempDir())}
		a.Add(t, id, tuitest.Archived(m, seed, "far", tuitest.Epoch0()), runner.Done, "")
		return a.Folder
	}
	track := func(dir, id string) *Track {
		r, err := record.Find(dir, id)
		if err != nil {
			t.Fatal(err)
		}
		return NewTrack(RunLog{Run: r})
	}
	here := track(string(one("here", dro.SFK, 1)), "here")
	far := func(box, id string, seed uint64) *Track {
		there := tuitest.NewBox(t, box, string(one(id, dro.SFK, seed)), tuitest.Epoch0())
		return track(there.Dir, id)
	}
	one1, one2, two := far("gpu1", "a", 1), far("gpu1", "b", 2), far("gpu2", "c", 1)
	for _, c := range []struct {
		tracks        []*Track
		groups        [][]int
		short, labels []string
	}{
		{[]*Track{here, one1, two}, [][]int{{0}, {1}, {2}},
			[]string{"sfk", "sfk @gpu1", "sfk @gpu2"},
			[]string{"sfk s1", "sfk s1 @gpu1", "sfk s1 @gpu2"}},
		{[]*Track{here, one2}, [][]int{{0, 1}}, []string{"sfk", "sfk"},
			[]string{"sfk s1", "sfk s2 @gpu1"}},
		{[]*Track{one1, one2}, [][]int{{0, 1}}, []string{"sfk", "sfk"},
			[]string{"sfk s1", "sfk s2"}},
	} {
		LabelTracks(c.tracks, c.groups)
		var short, labels []string
		for _, track := range c.tracks {
			short, labels = append(short, track.Short), append(labels, track.Label)
		}
		if !slices.Equal(short, c.short) || !slices.Equal(labels, c.labels) {
			t.Errorf("names %q and %q, want %q and %q", short, labels, c.short, c.labels)
		}
	}
}
