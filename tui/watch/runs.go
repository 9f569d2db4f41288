package watch

import (
	"cmp"
	"fmt"
	"slices"

	"drolab/dro"
	"drolab/runner"
	"drolab/runner/compare"
	"drolab/tui/lab"
)

// Runs are the watched runs, in the order of their methods, and which of them are meant.
type Runs struct {
	tracks   []*track
	groups   [][]int // of those that differ in seed alone, in the order of their colours
	eachSeed bool    // has a row and a line of its own
	at       int     // run under the cursor
	pointed  bool    // it was put there
	baseline int     // run that bars are compared with; -1 for none
}

// methods are those of the watched runs.
func (w *Runs) methods() (list []dro.Algorithm) {
	for _, t := range w.tracks {
		list = append(list, t.meta.Spec.Algorithm())
	}
	return list
}

// run is the one under the cursor; nil without runs.
func (w *Runs) run() *track {
	if w.at >= len(w.tracks) {
		return nil
	}
	return w.tracks[w.at]
}

// IDs are the names of the watched runs, in the order of their colours.
func (w *Runs) IDs() (ids []string) {
	for _, t := range w.tracks {
		ids = append(ids, t.id)
	}
	return ids
}

// seeds groups runs that differ in seed alone, in the order of their first ones.
func seeds(tracks []*track) (groups [][]int) {
	for i, t := range tracks {
		g := slices.IndexFunc(groups, func(of []int) bool {
			return !slices.ContainsFunc(of, func(j int) bool { return !t.another(tracks[j]) })
		})
		if g < 0 {
			groups = append(groups, []int{i})
		} else {
			groups[g] = append(groups[g], i)
		}
	}
	return groups
}

// another tells whether two runs differ in seed, and in nothing else.
func (t *track) another(o *track) bool {
	if t.meta.Spec.Seed == o.meta.Spec.Seed || t.meta.Parent != "" || o.meta.Parent != "" {
		return false
	}
	diffs := compare.Diff([]runner.Spec{t.meta.Spec, o.meta.Spec})
	return len(diffs) == 1 && diffs[0].Key == "seed"
}

// apart tells whether every run has a row of its own.
func (w *Runs) apart() bool { return w.eachSeed || len(w.groups) == len(w.tracks) }

// rows are the runs of each row of the table.
func (w *Runs) rows() [][]int {
	if !w.apart() {
		return w.groups
	}
	return w.singles()
}

func (w *Runs) singles() [][]int {
	rows := make([][]int, len(w.tracks))
	for i := range rows {
		rows[i] = []int{i}
	}
	return rows
}

// rowAt is the row under the cursor.
func (w *Runs) rowAt() int {
	return max(0, slices.IndexFunc(w.rows(), func(g []int) bool { return slices.Contains(g, w.at) }))
}

// of are the runs of a row.
func (w *Runs) of(row []int) []*track {
	list := make([]*track, len(row))
	for i, at := range row {
		list[i] = w.tracks[at]
	}
	return list
}

// takeApart shows seeds each on its own, or together again.
func (w *Runs) takeApart() {
	w.eachSeed = !w.eachSeed
}

// rowOf are the runs of the row that a run is in.
func (w *Runs) rowOf(run int) []int {
	for _, row := range w.rows() {
		if slices.Contains(row, run) {
			return row
		}
	}
	return []int{run}
}

// pick puts the cursor on a run, where it stays.
func (w *Runs) pick(at int) {
	w.at, w.pointed = at, true
}

// pointBegun puts the cursor, as long as nobody has moved it, on a run that has begun.
func (w *Runs) pointBegun() {
	if w.pointed || w.tracks[w.at].Status != runner.Queued {
		return
	}
	begun := func(t *track) bool { return t.Status == runner.Running }
	if i := slices.IndexFunc(w.tracks, begun); i >= 0 {
		w.at = i
	}
}

// comparable tells whether all runs answer the same question with a measure.
func (w *Runs) comparable(m *lab.Measure) bool {
	other := func(t *track) bool { return t.asks[m.Asks] != w.tracks[0].asks[m.Asks] }
	return !slices.ContainsFunc(w.tracks, other)
}

// questions are the keys of what a run can be asked, by kind: runs with the same one can be
// better than each other in a measure of that kind.
type questions [dro.OfObjective + 1]string

func questionsOf(m *runner.Meta) (q questions) {
	for asks := range q {
		q[asks] = compare.Question(dro.Question(asks), m)
	}
	return q
}

// ranking is the run by which classes are sorted: the baseline, else the one under the
// cursor.
func (w *Runs) ranking() *track {
	of := lab.ListNamed("class_accuracy")
	if w.baseline >= 0 && len(w.tracks[w.baseline].places(of)) > 0 {
		return w.tracks[w.baseline]
	}
	return w.measured(of)
}

// measured is the run under the cursor or, while that waits for its first evaluation,
// another of the same classes or groups that has had one, if there is any.
func (w *Runs) measured(of lab.Measure) *track {
	run := w.run()
	if len(run.places(of)) > 0 {
		return run
	}
	for _, t := range w.tracks {
		if len(t.places(of)) > 0 && slices.Equal(t.meta.Places(of.Axis), run.meta.Places(of.Axis)) {
			return t
		}
	}
	return run
}

// compared is the run that bars of the one under the cursor are compared with;
// nil without one, and for a measure that is neither better nor worse.
func (w *Board) compared(of lab.Measure) *track {
	if w.baseline < 0 || w.baseline == w.at || of.Better == dro.Neither {
		return nil
	}
	return w.tracks[w.baseline]
}

// label names the runs by what differs: those of seeds alike for charts, and each of its own
// with its seed.
func label(tracks []*track) {
	var runs []*runner.Meta
	for _, t := range tracks {
		runs = append(runs, t.meta)
	}
	seen, short := map[string]int{}, compare.Names(runs)
	for i, t := range tracks {
		t.short = short[i]
		t.label = fmt.Sprintf("%s s%d", t.short, t.meta.Spec.Seed)
		seen[t.label]++
	}
	for _, t := range tracks {
		if seen[t.label] > 1 {
			t.label = t.id
		}
	}
}

// order sorts runs as the paper's table does: by algorithm, then by seed.
func order(tracks []*track) {
	rank := func(t *track) int { return slices.Index(dro.Algorithms(), t.meta.Spec.Algorithm()) }
	slices.SortStableFunc(tracks, func(a, b *track) int {
		return cmp.Or(cmp.Compare(rank(a), rank(b)), cmp.Compare(a.meta.Spec.Seed, b.meta.Spec.Seed),
			a.meta.Created.Compare(b.meta.Created))
	})
}
