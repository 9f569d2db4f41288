package track

import (
	"cmp"
	"slices"

	"drolab/runner/compare"
	"drolab/runner/record"
	"drolab/tui/kit"
	"drolab/tui/lab"
)

// This file chooses the runs to watch: those with the given names, or the newest runs that belong
// together. If there are too many, it takes the first seeds of as many configurations as there are
// colours.

// Wanted returns the runs with the given names. Without names it returns all runs of kept, in their
// order, or the newest runs that belong together if kept is nil. A name that is not found is a
// problem; the other runs are watched nevertheless.
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

// Fewer returns at most lab.MaxWatched of the runs, of at most as many configurations as there are
// colours. The configurations with the most seeds stay, because one that ran only once is there to
// be compared with them. The last seeds are dropped rather than a method, such as the one that the
// others are compared with.
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
	// The sort is stable: of configurations with equally many seeds the newer ones stay, because
	// runs are listed newest first.
	wanted := configurations[:min(len(configurations), kit.Colors)]
	list = slices.DeleteFunc(slices.Clone(runs), func(r *record.Run) bool {
		return !slices.Contains(wanted, compare.Configuration(&r.Meta))
	})
	slices.SortStableFunc(list, func(a, b *record.Run) int {
		return cmp.Compare(a.Meta.Spec.Seed, b.Meta.Spec.Seed)
	})
	return list[:min(len(list), lab.MaxWatched)]
}

// Newest returns the live runs. If there are none, it returns the newest run and the runs of the
// same preset that were created within a minute before it: the runs that one command started. all
// is in the order of List, the newest first.
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
