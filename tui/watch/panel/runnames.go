package panel

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"drolab/dro"
	"drolab/runner/compare"
	"drolab/runner/lists"
)

// LabelTracks names the groups of runs by what tells them apart: the settings in which they differ,
// or else a number. Seeds share the name for charts, and the label adds the seed. Where the runs
// are of several machines, " @gpu1" says which has a run, or all seeds of a name.
func LabelTracks(tracks []*Track, groups [][]int) {
	all := compare.Names(metas(tracks))
	names := lists.Map(groups, func(g []int) string { return all[g[0]] })
	machines := machineMarks(tracks)
	for n, g := range groups {
		names[n] += sharedMark(machines, g)
	}
	started := func(n int) time.Time {
		first := slices.MinFunc(groups[n], func(i, j int) int {
			return tracks[i].Meta.Created.Compare(tracks[j].Meta.Created)
		})
		return tracks[first].Meta.Created
	}
	for n, numbered := range compare.NumberRepeats(names, started) {
		for _, i := range groups[n] {
			t := tracks[i]
			t.Short = numbered
			name := strings.TrimSuffix(names[n], sharedMark(machines, groups[n]))
			t.Label = fmt.Sprintf("%s s%d%s%s", name, t.Meta.Spec.Seed, machines[i],
				strings.TrimPrefix(numbered, names[n]))
		}
	}
	names = lists.Map(tracks, func(t *Track) string { return t.Short })
	for i, briefs := range compare.Briefs(names) {
		tracks[i].Briefs = briefs
	}
}

// machineMarks returns the mark of the machine of each run: " @gpu1" of a box, and "" of this
// machine. All are "" where the runs are of one machine.
func machineMarks(tracks []*Track) []string {
	marks := lists.Map(tracks, func(t *Track) string {
		if t.Run == nil || t.Run.Mirrored() == nil {
			return ""
		}
		return " @" + t.Run.Mirrored().Box
	})
	if len(slices.Compact(slices.Sorted(slices.Values(marks)))) < 2 {
		clear(marks)
	}
	return marks
}

// sharedMark returns the mark that all runs of a group have; "" where they differ.
func sharedMark(marks []string, group []int) string {
	for _, i := range group {
		if marks[i] != marks[group[0]] {
			return ""
		}
	}
	return marks[group[0]]
}

// OrderTracks sorts runs as the paper's table does: by algorithm, then by seed.
func OrderTracks(tracks []*Track) {
	rank := func(t *Track) int { return dro.Place(t.Meta.Spec.Algorithm()) }
	slices.SortStableFunc(tracks, func(a, b *Track) int {
		return cmp.Or(cmp.Compare(rank(a), rank(b)),
			cmp.Compare(a.Meta.Spec.Seed, b.Meta.Spec.Seed), a.Meta.Created.Compare(b.Meta.Created))
	})
}
