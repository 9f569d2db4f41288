package panel

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"drolab/dro"
	"drolab/runner"
	"drolab/runner/compare"
	"drolab/runner/page"
	"drolab/runner/record"
	"drolab/runner/spec"
	"drolab/tui/kit"
	"drolab/tui/lab"
)

// Runs is the list of watched runs, in the order of their methods, with the cursor and the
// baseline. Every int here is an index into Tracks, never a row: rows come and go as seeds are
// taken apart, and a cursor that is a run survives that.
type Runs struct {
	Tracks   []*Track
	Groups   [][]int // runs that differ in seed alone, in the order of their colours
	EachSeed bool    // whether each seed has a row and a line of its own
	At       int     // run under the cursor
	Pointed  bool    // whether the cursor was put there
	Baseline int     // run that bars are compared with; -1 for none
	// Epoch is the last epoch that the runs of the story have in common; 0 without one.
	Epoch float64
}

// CommonEpoch returns the epoch at which panels compare runs. It is that of the story, or the last
// of the run under the cursor while the story has none or leaves that run out.
func (w *Runs) CommonEpoch() float64 {
	if run := w.Run(); run != nil && run.Eval != nil && run.EvalAt(w.Epoch) == nil {
		return run.Eval.Epoch
	}
	return w.Epoch
}

// Methods returns the method of each watched run.
func (w *Runs) Methods() []dro.Algorithm {
	return kit.Map(w.Tracks, func(t *Track) dro.Algorithm { return t.Meta.Spec.Algorithm() })
}

// Own returns the measures that programs define themselves, as far as the runs have logged them.
func (w *Runs) Own() []lab.Measure {
	sides := runner.UserSides{}
	for _, t := range w.Tracks {
		for _, last := range []*runner.StepEvent{t.Last, t.read().Last} {
			if last != nil {
				sides.Add(t.Meta, last.Values)
			}
		}
	}
	return sides.Measures()
}

// Run returns the run under the cursor; nil without runs.
func (w *Runs) Run() *Track {
	if w.At >= len(w.Tracks) {
		return nil
	}
	return w.Tracks[w.At]
}

// IDs returns the IDs of the watched runs, in the order of Tracks.
func (w *Runs) IDs() []string {
	return kit.Map(w.Tracks, func(t *Track) string { return t.ID })
}

func metas(tracks []*Track) []*runner.Meta {
	return kit.Map(tracks, func(t *Track) *runner.Meta { return t.Meta })
}

// SeedGroups groups the runs that differ in seed alone, in the order of their first runs. A run
// joins a group if its seed differs from those of all runs in it: two runs with one seed are not
// two samples.
func SeedGroups(tracks []*Track) (groups [][]int) {
	for i, t := range tracks {
		g := slices.IndexFunc(groups, func(of []int) bool {
			return !slices.ContainsFunc(of, func(j int) bool { return !t.differsInSeed(tracks[j]) })
		})
		if g < 0 {
			g, groups = len(groups), append(groups, nil)
		}
		groups[g] = append(groups[g], i)
	}
	return groups
}

// differsInSeed reports whether two runs differ in the seed and in nothing else. It is false for a
// fork: part of its curves is its parent's, so a band would count that part twice.
func (t *Track) differsInSeed(o *Track) bool {
	if t.Meta.Spec.Seed == o.Meta.Spec.Seed || t.Meta.Parent != "" || o.Meta.Parent != "" {
		return false
	}
	diffs := compare.Diff([]spec.Spec{t.Meta.Spec, o.Meta.Spec})
	return len(diffs) == 1 && diffs[0].Key == "seed"
}

// Rows returns the runs of each row of the table.
func (w *Runs) Rows() [][]int {
	if w.EachSeed || len(w.Groups) == len(w.Tracks) {
		return w.singles()
	}
	return w.Groups
}

// singles returns rows of one run each, which curves over time need even where seeds are together.
func (w *Runs) singles() [][]int {
	return kit.Map(page.Indices(len(w.Tracks)), func(i int) []int { return []int{i} })
}

// visible returns the rows whose curves are not hidden.
func (w *Runs) visible(rows [][]int) [][]int {
	hidden := func(row []int) bool { return w.Tracks[row[0]].Hidden }
	return slices.DeleteFunc(slices.Clone(rows), hidden)
}

// Shown returns the runs whose curves are not hidden.
func (w *Runs) Shown() []*Track {
	return slices.DeleteFunc(slices.Clone(w.Tracks), func(t *Track) bool { return t.Hidden })
}

// RowAt returns the row under the cursor, as an index into Rows.
func (w *Runs) RowAt() int {
	under := func(row []int) bool { return slices.Contains(row, w.At) }
	return max(0, slices.IndexFunc(w.Rows(), under))
}

// Of returns the runs of a row.
func (w *Runs) Of(row []int) []*Track {
	return kit.Map(row, func(at int) *Track { return w.Tracks[at] })
}

// RowOf returns the row that a run is in.
func (w *Runs) RowOf(run int) []int {
	for _, row := range w.Rows() {
		if slices.Contains(row, run) {
			return row
		}
	}
	return []int{run}
}

// Pick puts the cursor on a run, and PointBegun then leaves it there.
func (w *Runs) Pick(at int) {
	w.At, w.Pointed = at, true
}

// PointBegun moves the cursor from a queued run to one that has begun, unless somebody has put it
// there. Runs start one after the other, and panels of one run would be empty until the first one's
// turn.
func (w *Runs) PointBegun() {
	if w.Pointed || w.Tracks[w.At].Status != runner.Queued {
		return
	}
	begun := func(t *Track) bool { return t.Status == runner.Running }
	if i := slices.IndexFunc(w.Tracks, begun); i >= 0 {
		w.At = i
	}
}

// Comparable reports whether a measure asks the same question of all runs. Where it does not, the
// table marks no best value: a risk at a smaller radius is lower, and not better.
func (w *Runs) Comparable(m *lab.Measure) bool {
	other := func(t *Track) bool { return t.Asks[m.Asks] != w.Tracks[0].Asks[m.Asks] }
	return !slices.ContainsFunc(w.Tracks, other)
}

// questions is the list of a run's keys, one for each kind of question that a measure can ask. In a
// measure of a kind, only runs with the same key can be better than each other.
type questions [dro.OfObjective + 1]string

// QuestionsOf returns the keys of a run. They are found once, because every row of every frame
// compares them.
func QuestionsOf(m *runner.Meta) (q questions) {
	for asks := range q {
		q[asks] = compare.Question(dro.Question(asks), m)
	}
	return q
}

// ranking returns the run by which classes are sorted: the baseline, once it is evaluated, or else
// the run of Measured. With a baseline the order stays when the cursor moves, so rows can be
// followed by eye.
func (w *Runs) ranking() *Track {
	of := lab.ListNamed("class_accuracy")
	if w.Baseline >= 0 && len(w.Tracks[w.Baseline].PlacesAt(w.CommonEpoch(), of)) > 0 {
		return w.Tracks[w.Baseline]
	}
	return w.Measured(of)
}

// Measured returns the run under the cursor. Where that has no evaluation at the common epoch, it
// returns another run with the same classes or groups that has one, if there is any.
func (w *Runs) Measured(of lab.Measure) *Track {
	run, epoch := w.Run(), w.CommonEpoch()
	if len(run.PlacesAt(epoch, of)) > 0 {
		return run
	}
	for _, t := range w.Tracks {
		same := slices.Equal(t.Meta.Places(of.Axis), run.Meta.Places(of.Axis))
		if same && len(t.PlacesAt(epoch, of)) > 0 {
			return t
		}
	}
	return run
}

// Compared returns the baseline, with which the bars of the run under the cursor are compared. It
// is nil without a baseline, with the cursor on it, for a measure that is neither better nor worse,
// and for a run that is further than the common epoch.
func (w *Runs) Compared(of lab.Measure) *Track {
	if w.Baseline < 0 || w.Baseline == w.At || of.Better == dro.Neither ||
		!w.Run().EndsAt(w.CommonEpoch()) {
		return nil
	}
	return w.Tracks[w.Baseline]
}

// LabelTracks names the groups of runs by what tells them apart: the settings in which they differ,
// or else a number. Seeds share the name for charts, and the label adds the seed.
func LabelTracks(tracks []*Track, groups [][]int) {
	all := compare.Names(metas(tracks))
	names := kit.Map(groups, func(g []int) string { return all[g[0]] })
	for n, numbered := range compare.NumberRepeats(names) {
		for _, i := range groups[n] {
			t := tracks[i]
			t.Short = numbered
			t.Label = fmt.Sprintf("%s s%d%s", names[n], t.Meta.Spec.Seed,
				strings.TrimPrefix(numbered, names[n]))
		}
	}
	names = kit.Map(tracks, func(t *Track) string { return t.Short })
	for i, briefs := range compare.Briefs(names) {
		tracks[i].Briefs = briefs
	}
}

// OrderTracks sorts runs as the paper's table does: by algorithm, then by seed.
func OrderTracks(tracks []*Track) {
	rank := func(t *Track) int { return slices.Index(dro.Algorithms(), t.Meta.Spec.Algorithm()) }
	slices.SortStableFunc(tracks, func(a, b *Track) int {
		return cmp.Or(cmp.Compare(rank(a), rank(b)),
			cmp.Compare(a.Meta.Spec.Seed, b.Meta.Spec.Seed), a.Meta.Created.Compare(b.Meta.Created))
	})
}

// This file chooses the runs to watch: those with the given names, or the newest runs that belong
// together. If there are too many, it takes the first seeds of as many configurations as there are
// colours.

// FindRuns returns the runs with the given names. Without names it returns all runs of kept, in
// their order, or the newest runs that belong together if kept is nil. A name that is not found is
// a problem; the other runs are watched nevertheless.
func FindRuns(s lab.Source, kept *lab.Kept, ids []string) (runs []*record.Run, problems []error) {
	switch {
	case len(ids) == 0 && kept != nil:
		runs, err := kept.Runs()
		if err != nil {
			return nil, []error{err}
		}
		return runs, nil
	case len(ids) == 0:
		all, problems := s.List()
		return newestRuns(all), problems
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
		if seeds[of]++; seeds[of] == 1 {
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

// newestRuns returns the live runs. If there are none, it returns the newest run and the runs that
// one command started with it. With a fork it also returns the race that the fork has joined: the
// run that it comes from and the runs that were started with that. all is in the order of List, the
// newest first.
func newestRuns(all []*record.Run) (runs []*record.Run) {
	wanted := map[*record.Run]bool{}
	with := func(first *record.Run) {
		for _, r := range all {
			apart := first.Meta.Created.Sub(r.Meta.Created).Abs()
			if r.Meta.Preset == first.Meta.Preset && apart <= time.Minute {
				wanted[r] = true
			}
		}
	}
	for _, r := range all {
		wanted[r] = !r.Status().Ended()
	}
	if len(all) > 0 && !slices.ContainsFunc(all, func(r *record.Run) bool { return wanted[r] }) {
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
