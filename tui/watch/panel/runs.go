package panel

import (
	"cmp"
	"fmt"
	"slices"

	"drolab/dro"
	"drolab/runner"
	"drolab/runner/compare"
	"drolab/runner/lists"
	"drolab/runner/measure"
	"drolab/runner/page"
	"drolab/runner/spec"
	"drolab/tui/lab"
)

// Runs is the list of watched runs, in the order of their methods, with the cursor and the
// baseline. Every int here is an index into Tracks, never a row: rows come and go as seeds are
// taken apart, and a cursor that is a run survives that.
type Runs struct {
	Tracks   []*Track
	Groups   [][]int // runs that differ in seed alone, in the order of their colours
	EachSeed bool    // whether each seed has a row and a line of its own
	Cursor   int     // run under the cursor
	Pointed  bool    // whether the cursor was put there
	Baseline int     // run that bars are compared with; -1 for none
	// Clock is that of the story: table and panels speak of its evaluations, too.
	Clock compare.Clock
}

// PanelClock returns the clock of the panels. It is that of the story or, where that leaves out the
// run under the cursor before its last epochs, the clock of this run alone; panels say which.
func (r *Runs) PanelClock() compare.Clock {
	if run := r.Run(); run != nil && run.Newest() != nil && len(run.At(r.Clock)) == 0 {
		return compare.Latest(run.Meta, run.Evaluations())
	}
	return r.Clock
}

// Counted returns those runs of a row that the story counts, or all of them if it counts none. A
// figure of a row of seeds is their mean, as in the sentence.
func (r *Runs) Counted(row []*Track) []*Track {
	left := func(t *Track) bool { return !r.Clock.Counts(t.Meta) }
	if counted := slices.DeleteFunc(slices.Clone(row), left); len(counted) > 0 {
		return counted
	}
	return row
}

// Slowest returns the run by which a row of seeds is told where only one can be: its state, its
// epoch, what is done and how long it will take. It is the one that is furthest from its end, of
// those that go on if one does.
func Slowest(row []*Track) *Track {
	ended := func(t *Track) bool { return t.Status.Ended() }
	if live := slices.DeleteFunc(slices.Clone(row), ended); len(live) > 0 {
		row = live
	}
	return slices.MinFunc(row, func(a, b *Track) int { return cmp.Compare(a.Done(), b.Done()) })
}

// Methods returns the method of each watched run.
func (r *Runs) Methods() []dro.Algorithm {
	return lists.Map(r.Tracks, func(t *Track) dro.Algorithm { return t.Meta.Spec.Algorithm() })
}

// Own returns the measures that programs define themselves, as far as the runs have logged them.
func (r *Runs) Own() []measure.Measure {
	sides := runner.UserSides{}
	for _, t := range r.Tracks {
		for _, last := range []*runner.StepEvent{t.Last, t.read().Last} {
			if last != nil {
				sides.Add(t.Meta, last.Values)
			}
		}
	}
	return sides.Measures()
}

// Run returns the run under the cursor; nil without runs.
func (r *Runs) Run() *Track {
	if r.Cursor >= len(r.Tracks) {
		return nil
	}
	return r.Tracks[r.Cursor]
}

// Base returns the baseline; nil without one.
func (r *Runs) Base() *Track {
	if r.Baseline < 0 || r.Baseline >= len(r.Tracks) {
		return nil
	}
	return r.Tracks[r.Baseline]
}

// IDs returns the IDs of the watched runs, in the order of Tracks.
func (r *Runs) IDs() []string {
	return lists.Map(r.Tracks, func(t *Track) string { return t.ID })
}

func metas(tracks []*Track) []*runner.Meta {
	return lists.Map(tracks, func(t *Track) *runner.Meta { return t.Meta })
}

// SeedGroups groups the runs that differ in seed alone, in the order of their first runs. A run
// joins a group if its seed differs from those of all runs in it: two runs with one seed are not
// two samples. Of these the one that counts in the sentence is in the group, and the others are
// alone.
func SeedGroups(tracks []*Track) (groups [][]int) {
	repeats := lists.Map(tracks, func(t *Track) bool {
		return slices.ContainsFunc(tracks, t.repeatedBy)
	})
	for i, t := range tracks {
		g := slices.IndexFunc(groups, func(of []int) bool {
			return !repeats[i] && !repeats[of[0]] &&
				!slices.ContainsFunc(of, func(j int) bool { return !t.differsInSeed(tracks[j]) })
		})
		if g < 0 {
			g, groups = len(groups), append(groups, nil)
		}
		groups[g] = append(groups[g], i)
	}
	return groups
}

// differsInSeed reports whether two runs differ in the seed and otherwise at most in how often they
// are looked at or saved. It is false for a fork: part of its curves is its parent's, so a band
// would count that part twice.
func (t *Track) differsInSeed(o *Track) bool {
	if t.Meta.Spec.Seed == o.Meta.Spec.Seed || t.Meta.Parent != "" || o.Meta.Parent != "" {
		return false
	}
	return len(compare.GroupDiff([]spec.Spec{t.Meta.Spec, o.Meta.Spec})) == 0
}

// repeatedBy reports whether another run has the same configuration and seed and counts in the
// place of this one.
func (t *Track) repeatedBy(o *Track) bool {
	return t.Meta.Spec.Seed == o.Meta.Spec.Seed && t.Meta.Parent == "" && o.Meta.Parent == "" &&
		compare.NewestFirst(o.Meta, t.Meta) < 0 &&
		len(compare.GroupDiff([]spec.Spec{t.Meta.Spec, o.Meta.Spec})) == 0
}

// nameOf returns the name of a row in charts, and shorter and shorter forms of it. They have the
// seed where another row may have the same name without it.
func (r *Runs) nameOf(row []int) (name string, briefs []string) {
	t := r.Tracks[row[0]]
	seeds := func(g []int) bool { return len(g) > 1 && slices.Contains(g, row[0]) }
	if len(row) > 1 || !r.EachSeed && !slices.ContainsFunc(r.Groups, seeds) {
		return t.Short, t.Briefs
	}
	return t.Label, lists.Map(t.Briefs, func(brief string) string {
		return fmt.Sprintf("%s s%d", brief, t.Meta.Spec.Seed)
	})
}

// Rows returns the runs of each row of the table.
func (r *Runs) Rows() [][]int {
	if r.EachSeed || len(r.Groups) == len(r.Tracks) {
		return r.singles()
	}
	return r.Groups
}

// singles returns rows of one run each, which curves over time need even where seeds are together.
func (r *Runs) singles() [][]int {
	return lists.Map(page.Indices(len(r.Tracks)), func(i int) []int { return []int{i} })
}

// visibleRows returns the rows whose curves are not hidden.
func (r *Runs) visibleRows(rows [][]int) [][]int {
	hidden := func(row []int) bool { return r.Tracks[row[0]].Hidden }
	return slices.DeleteFunc(slices.Clone(rows), hidden)
}

// VisibleRuns returns the runs whose curves are not hidden.
func (r *Runs) VisibleRuns() []*Track {
	return slices.DeleteFunc(slices.Clone(r.Tracks), func(t *Track) bool { return t.Hidden })
}

// RowAt returns the row under the cursor, as an index into Rows.
func (r *Runs) RowAt() int {
	under := func(row []int) bool { return slices.Contains(row, r.Cursor) }
	return max(0, slices.IndexFunc(r.Rows(), under))
}

// InRow returns the runs of a row.
func (r *Runs) InRow(row []int) []*Track {
	return lists.Map(row, func(at int) *Track { return r.Tracks[at] })
}

// RowOf returns the row that a run is in.
func (r *Runs) RowOf(run int) []int {
	for _, row := range r.Rows() {
		if slices.Contains(row, run) {
			return row
		}
	}
	return []int{run}
}

// Pick puts the cursor on a run, and PointBegun then leaves it there.
func (r *Runs) Pick(at int) {
	r.Cursor, r.Pointed = at, true
}

// PointBegun moves the cursor from a run that waits for its first step to one that has begun,
// unless somebody has put it there. Runs start one after the other, and panels of one run would be
// empty until the first one's turn. A resumed run waits in the queue, too, but has its curves.
func (r *Runs) PointBegun() {
	if t := r.Tracks[r.Cursor]; r.Pointed || t.Status != runner.Queued || t.Step > 0 {
		return
	}
	begun := func(t *Track) bool { return t.Status == runner.Running }
	if i := slices.IndexFunc(r.Tracks, begun); i >= 0 {
		r.Cursor = i
	}
}

// Comparable reports whether a measure asks the same question of all runs. Where it does not, the
// table marks no best value: a risk at a smaller radius is lower, and not better.
func (r *Runs) Comparable(m *measure.Measure) bool {
	other := func(t *Track) bool { return t.Asks[m.Asks] != r.Tracks[0].Asks[m.Asks] }
	return !slices.ContainsFunc(r.Tracks, other)
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
// the run of MeasuredRun. With a baseline the order stays when the cursor moves, so rows can be
// followed by eye.
func (r *Runs) ranking() *Track {
	of := lab.ListNamed("class_accuracy")
	if r.Baseline >= 0 && len(r.Tracks[r.Baseline].Places(r.PanelClock(), of)) > 0 {
		return r.Tracks[r.Baseline]
	}
	return r.MeasuredRun(of)
}

// MeasuredRun returns the run under the cursor. Where that has no figures by the panels' clock, it
// returns another run with the same classes or groups that has some, if there is any.
func (r *Runs) MeasuredRun(of measure.Measure) *Track {
	run, clock := r.Run(), r.PanelClock()
	if len(run.Places(clock, of)) > 0 {
		return run
	}
	for _, t := range r.Tracks {
		same := slices.Equal(t.Meta.Places(of.Axis), run.Meta.Places(of.Axis))
		if same && len(t.Places(clock, of)) > 0 {
			return t
		}
	}
	return run
}

// BaseOf returns the row that the runs of a row are compared with, which is the same for all
// measures: the baseline's row. If the baseline has another radius or uncertainty set, it is the
// row of the same method that has the runs' own, as in a sweep over radii. It is nil if no row can
// be compared in the measure m.
func (r *Runs) BaseOf(runs []*Track, m *measure.Measure) []*Track {
	if r.Baseline < 0 {
		return nil
	}
	base := r.Tracks[r.Baseline]
	// Of all measures that are compared, the risk restricts the choice most. Asking it for each
	// keeps them against the same run.
	asks := lab.Named("robust_risk").Asks
	fits := func(t *Track) bool {
		return t.Asks[asks] == runs[0].Asks[asks] &&
			t.Meta.Spec.Algorithm() == base.Meta.Spec.Algorithm()
	}
	at := r.Baseline
	if !fits(base) {
		if same := slices.IndexFunc(r.Tracks, fits); same >= 0 {
			at = same
		}
	}
	if r.Tracks[at].Asks[m.Asks] != runs[0].Asks[m.Asks] {
		return nil
	}
	return r.InRow(r.RowOf(at))
}

// ComparedRun returns the baseline, with which the bars of the run under the cursor are compared.
// It is nil without a baseline, with the cursor on it, and for a measure that is neither better nor
// worse.
func (r *Runs) ComparedRun(of measure.Measure) *Track {
	if r.Baseline < 0 || r.Baseline == r.Cursor || of.Better == dro.Neither {
		return nil
	}
	return r.Tracks[r.Baseline]
}
