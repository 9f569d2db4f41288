package track

import (
	"cmp"
	"slices"

	"drolab/runner/compare"
	"drolab/runner/record"
	"drolab/tui/kit"
	"drolab/tui/lab"
)

// Which runs are watched: those of the given names, or the newest that belong together, and of too
// many the first seeds of as many configurations as there are colours.

// Wanted are the runs of the given names or, without names, all that are kept, in their
// order, or the newest that belong together. A name that is not found is a problem, and the
// others are watched nevertheless.
func Wanted(s lab.Source, kept *lab.Kept, ids []string) (runs []*record.Run, problems []error) {
	switch {
	case len(ids) == 0 && kept != nil:
		runs, err := kept.Runs()
		if err != nil {
			return nil, []error{err}
		}
		return runs, nil
	case len(ids) == 0:
		all, problems := s.List()
		return Newest(all), problems
	}
	for _, id := range ids {
		r, err := s.Find(id)
		if err != nil {
			problems = append(problems, err)
			continue
		}
		runs = append(runs, r)
	}
	return runs, problems
}

// Fewer are as many of the runs as are watched at once, of as many configurations as there
// are colours. Those of most seeds stay, since one that has been run once is there to be held
// against them. The last seeds go, rather than a method, such as the one that the others are
// compared with.
func Fewer(runs []*record.Run) (list []*record.Run) {
	seeds := map[string]int{}
	var configurations []string
	for _, r := range runs {
		of := compare.Configuration(&r.Meta)
		if seeds[of]++; seeds[of] == 1 {
			configurations = append(configurations, of)
		}
	}
	slices.SortStableFunc(configurations, func(a, b string) int { return seeds[b] - seeds[a] })
	// The sort is stable: of as many seeds the newer ones stay, as runs are listed.
	wanted := configurations[:min(len(configurations), kit.Colors)]
	list = slices.DeleteFunc(slices.Clone(runs), func(r *record.Run) bool {
		return !slices.Contains(wanted, compare.Configuration(&r.Meta))
	})
	slices.SortStableFunc(list, func(a, b *record.Run) int {
		return cmp.Compare(a.Meta.Spec.Seed, b.Meta.Spec.Seed)
	})
	return list[:min(len(list), lab.MaxWatched)]
}

// Newest returns the live runs. Without any, it is the newest run and the ones
// that were created within a minute before it from the same preset: those that
// one command started. The argument is in the order of List, the newest first.
func Newest(all []*record.Run) (runs []*record.Run) {
	ended := func(r *record.Run) bool { return r.Status().Ended() }
	runs = slices.DeleteFunc(slices.Clone(all), ended)
	if len(runs) == 0 {
		runs = slices.DeleteFunc(slices.Clone(all), func(r *record.Run) bool {
			first := &all[0].Meta
			return r.Meta.Preset != first.Preset || first.Created.Sub(r.Meta.Created).Minutes() > 1
		})
	}
	return runs
}
