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
// or else a number. Seeds share the name for charts, and the label adds the seed.
func LabelTracks(tracks []*Track, groups [][]int) {
	all := compare.Names(metas(tracks))
	names := lists.Map(groups, func(g []int) string { return all[g[0]] })
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
			t.Label = fmt.Sprintf("%s s%d%s", names[n], t.Meta.Spec.Seed,
				strings.TrimPrefix(numbered, names[n]))
		}
	}
	names = lists.Map(tracks, func(t *Track) string { return t.Short })
	for i, briefs := range compare.Briefs(names) {
		tracks[i].Briefs = briefs
	}
}

// OrderTracks sorts runs as the paper's table does: by algorithm, then by seed.
func OrderTracks(tracks []*Track) {
	rank := func(t *Track) int { return dro.Place(t.Meta.Spec.Algorithm()) }
	slices.SortStableFunc(tracks, func(a, b *Track) int {
		return cmp.Or(cmp.Compare(rank(a), rank(b)),
			cmp.Compare(a.Meta.Spec.Seed, b.Meta.Spec.Seed), a.Meta.Created.Compare(b.Meta.Created))
	})
}
