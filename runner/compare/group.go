package compare

import (
	"cmp"
	"slices"
	"strconv"
	"time"

	"drolab/dro"
	"drolab/runner"
	"drolab/runner/lists"
	"drolab/runner/spec"
)

// member is the part of a run that a table needs.
type member struct {
	meta    *runner.Meta
	summary *runner.Summary
	// selected says that the step which the run has selected is compared, not the
	// last one.
	selected bool
	// average is what is compared in place of a step in a table of means; nil in other tables.
	average *runner.Average
	box     string // has the run; empty where all runs of the table are in one place
}

func (m member) id() string { return m.meta.ID }

// name returns the name of the run, with its box where the runs of the table are in several places.
func (m member) name() string {
	if m.box == "" {
		return m.id()
	}
	return m.id() + " @" + m.box
}

func (m member) seed() uint64 { return m.meta.Spec.Seed }

// results returns the measures of the run at the step that is compared, or their means.
func (m member) results() *runner.Results {
	switch {
	case m.selected:
		return &m.summary.Selected.Results
	case m.average != nil:
		return &m.average.Results
	}
	return &m.summary.Results
}

// refits reports whether the run's method fits the last layer again after training.
func (m member) refits() bool { return m.meta.Refits() }

// group is the runs that differ in nothing but the seed, by seed.
type group struct {
	label    string    // its name, as in every other place
	settings []Setting // the settings in which groups differ, with its values
	members  []member
}

// groupRuns returns the groups in the order of their rows and the keys that they
// differ in.
func groupRuns(members []member) (groups []*group, keys []string) {
	diffs := GroupDiff(lists.Map(members, func(m member) spec.Spec { return m.meta.Spec }))
	keys = lists.Map(diffs, func(d KeyDiff) string { return d.Key })
	for i, m := range members {
		settings := make([]Setting, len(diffs))
		for j, d := range diffs {
			settings[j] = Setting{d.Key, d.Values[i]}
		}
		same := func(g *group) bool { return slices.Equal(g.settings, settings) }
		at := slices.IndexFunc(groups, same)
		if at < 0 {
			at = len(groups)
			groups = append(groups, &group{settings: settings})
		}
		groups[at].members = append(groups[at].members, m)
	}
	for _, g := range groups {
		slices.SortFunc(g.members, bySeed)
	}
	slices.SortFunc(groups, func(a, b *group) int {
		return slices.CompareFunc(a.settings, b.settings, compareSettings)
	})
	first := lists.Map(groups, func(g *group) *runner.Meta { return g.members[0].meta })
	started := func(i int) time.Time { return groups[i].started() }
	for i, name := range NumberRepeats(Names(first), started) {
		groups[i].label = name
	}
	return groups, keys
}

// started returns when the first run of the group was started.
func (g *group) started() time.Time {
	return slices.MinFunc(g.members, func(a, b member) int {
		return a.meta.Created.Compare(b.meta.Created)
	}).meta.Created
}

// bySeed orders by seed, and the newest first among runs of the same seed.
func bySeed(a, b member) int {
	return cmp.Or(cmp.Compare(a.seed(), b.seed()), NewestFirst(a.meta, b.meta))
}

// NewestFirst orders runs with one configuration and one seed. Such runs have the same numbers, so
// the first of them counts in tables, in sentences and in rows of seeds.
func NewestFirst(a, b *runner.Meta) int {
	return cmp.Or(b.Created.Compare(a.Created), cmp.Compare(a.ID, b.ID))
}

// compareSettings orders algorithms as the registry does, numbers by size,
// and the rest by name, "auto" and other words after numbers.
func compareSettings(a, b Setting) int {
	if a.Key == "algorithms" {
		place := func(s Setting) int { return dro.Place(dro.Algorithm(s.Value)) }
		return cmp.Or(cmp.Compare(place(a), place(b)), cmp.Compare(a.Value, b.Value))
	}
	x, notX := strconv.ParseFloat(a.Value, 64)
	y, notY := strconv.ParseFloat(b.Value, 64)
	switch {
	case notX == nil && notY == nil:
		return cmp.Or(cmp.Compare(x, y), cmp.Compare(a.Value, b.Value))
	case notX == nil:
		return -1
	case notY == nil:
		return 1
	}
	return cmp.Compare(a.Value, b.Value)
}

// dropRepeats keeps the newest run of each seed, because the same seed gives
// the same numbers, and returns the others.
func (g *group) dropRepeats() (repeats []member) {
	kept := g.members[:0]
	for _, m := range g.members {
		if len(kept) > 0 && kept[len(kept)-1].seed() == m.seed() {
			repeats = append(repeats, m)
		} else {
			kept = append(kept, m)
		}
	}
	g.members = kept
	return repeats
}
