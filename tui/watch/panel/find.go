package panel

import (
	"cmp"
	"slices"
	"time"

	"drolab/runner"
	"drolab/runner/record"
	"drolab/tui/kit"
	"drolab/tui/lab"
)

// FindRuns returns the runs with the given names. Without names it returns all runs of kept, in
// their order, or the newest runs that belong together if kept is nil. A name that is not found is
// a problem; the other runs are watched nevertheless. Runs of silent boxes do not count as live.
func FindRuns(
	s lab.Source, kept *lab.FixedRuns, ids []string, silent lab.Silences,
) (runs []*record.Run, problems []error) {
	switch {
	case len(ids) == 0 && kept != nil:
		runs, err := kept.Runs()
		if err != nil {
			return nil, []error{err}
		}
		return runs, nil
	case len(ids) == 0:
		all, problems := s.List()
		return newestRuns(all, silent.Live(all)), problems
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

// Watchable returns at most lab.MaxWatched of the runs, of at most as many configurations as there
// are colours. The configurations with the most seeds stay, because one that ran only once is there
// to be compared with them. The last seeds are dropped rather than a method, such as the one that
// the others are compared with.
func Watchable(runs []*record.Run) (list []*record.Run) {
	seeds := map[string]int{}
	var configurations []string
	for _, r := range runs {
		of := r.Configuration()
		seeds[of]++
		if seeds[of] == 1 {
			configurations = append(configurations, of)
		}
	}
	slices.SortStableFunc(configurations, func(a, b string) int { return seeds[b] - seeds[a] })
	// The sort is stable: of configurations with equally many seeds the newer ones stay, because
	// runs are listed newest first.
	wanted := configurations[:min(len(configurations), kit.Colors)]
	list = slices.DeleteFunc(slices.Clone(runs), func(r *record.Run) bool {
		return !slices.Contains(wanted, r.Configuration())
	})
	slices.SortStableFunc(list, func(a, b *record.Run) int {
		return cmp.Compare(a.Meta.Spec.Seed, b.Meta.Spec.Seed)
	})
	return list[:min(len(list), lab.MaxWatched)]
}

// newestRuns returns the live ones of all runs or, if there are none, the newest run, each with the
// runs that one command started with it: those that are done already are what the others are
// compared with. With a fork it also returns the race that the fork has joined: the run that it
// comes from and the runs that were started with that. all is in the order of List, the newest
// first.
func newestRuns(all, live []*record.Run) (runs []*record.Run) {
	wanted := map[*record.Run]bool{}
	with := func(first *record.Run) {
		for _, r := range all {
			apart := first.Meta.Created.Sub(r.Meta.Created).Abs()
			if r.Meta.Preset == first.Meta.Preset && apart <= time.Minute {
				wanted[r] = true
			}
		}
	}
	for _, r := range live {
		if !wanted[r] {
			with(r)
		}
	}
	if len(all) > 0 && len(live) == 0 {
		with(all[0])
	}
	for _, r := range all { // a fork is newer than the run that it comes from
		parent, _, err := runner.ParseParent(r.Meta.Parent)
		i := slices.IndexFunc(all, func(o *record.Run) bool { return o.Meta.ID == parent })
		if wanted[r] && err == nil && i >= 0 && !wanted[all[i]] {
			with(all[i])
		}
	}
	return slices.DeleteFunc(slices.Clone(all), func(r *record.Run) bool { return !wanted[r] })
}
