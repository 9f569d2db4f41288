package compare

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"drolab/dro"
	"drolab/runner"
	"drolab/runner/measure"
	"drolab/runner/page"
	"drolab/runner/spec"
)

// member is the part of a run that a table needs.
type member struct {
	meta    *runner.Meta
	summary *runner.Summary
	// selected says that the step which the run has selected is compared, not the
	// last one.
	selected bool
}

func (m member) id() string { return m.meta.ID }

func (m member) seed() uint64 { return m.meta.Spec.Seed }

// results returns the measures of the run at the step that is compared.
func (m member) results() *runner.Results {
	if m.selected {
		return &m.summary.Selected.Results
	}
	return &m.summary.Results
}

// refits reports whether the run's method fits the last layer again after training.
func (m member) refits() bool {
	method, err := dro.Find(m.meta.Spec.Algorithm())
	return err == nil && method.Refits && !isImported(m)
}

// group is the runs that differ in nothing but the seed, by seed.
type group struct {
	label    string    // its name, as in every other place
	settings []Setting // the settings in which groups differ, with its values
	members  []member
}

// grouped returns the groups in the order of their rows and the keys that they
// differ in.
func grouped(members []member) (groups []*group, keys []string) {
	diffs := GroupDiff(spec.Map(members, func(m member) spec.Spec { return m.meta.Spec }))
	keys = spec.Map(diffs, func(d KeyDiff) string { return d.Key })
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
	first := spec.Map(groups, func(g *group) *runner.Meta { return g.members[0].meta })
	for i, name := range Numbered(Names(first)) {
		groups[i].label = name
	}
	return groups, keys
}

// bySeed orders by seed, and the newest first among runs of the same seed.
func bySeed(a, b member) int {
	return cmp.Or(
		cmp.Compare(a.seed(), b.seed()),
		b.meta.Created.Compare(a.meta.Created),
		cmp.Compare(a.meta.ID, b.meta.ID))
}

// compareSettings orders algorithms as the registry does, numbers by size,
// and the rest by name, "auto" and other words after numbers.
func compareSettings(a, b Setting) int {
	if a.Key == "algorithms" {
		return cmp.Or(cmp.Compare(rank(a.Value), rank(b.Value)), cmp.Compare(a.Value, b.Value))
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

// rank is a method's place in the registry, the paper's own first; unknown ones
// come last.
func rank(algorithm string) int {
	known := dro.Algorithms()
	if i := slices.Index(known, dro.Algorithm(algorithm)); i >= 0 {
		return i
	}
	return len(known)
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

// KeyDiff is a key of the spec in which runs differ, with each run's value as
// a preset would state it, in the order of the specs.
type KeyDiff struct {
	Key    string   `json:"key"`
	Values []string `json:"values"`
}

// Diff returns the keys whose values differ, in the order of the settings. A setting that a run's
// method does not read has an empty value for that run; the other runs may still differ in it. A
// word such as auto does not differ from the value that it comes to.
func Diff(specs []spec.Spec) (diffs []KeyDiff) {
	varying := slices.DeleteFunc(spec.AllSettings(),
		func(t spec.Setting) bool { return t.SameIn(specs) })
	values, differ := make([][]string, len(varying)), make([]bool, len(varying))
	last := make([]string, len(varying))
	for i := range specs {
		s := specs[i].Settled()
		for k := range varying {
			t, value := &varying[k], ""
			if t.ReadIn(&s) {
				value = valueText(t, &s)
				differ[k] = differ[k] || last[k] != "" && value != last[k]
				last[k] = value
			}
			values[k] = append(values[k], value)
		}
	}
	for k, t := range varying {
		if differ[k] {
			diffs = append(diffs, KeyDiff{t.Key, values[k]})
		}
	}
	return diffs
}

// GroupDiff returns the keys of Diff that separate groups: not the seed, and none that decides only
// how often a run is looked at or saved.
func GroupDiff(specs []spec.Spec) []KeyDiff {
	return slices.DeleteFunc(Diff(specs), func(d KeyDiff) bool {
		t, ok := spec.FindSetting(d.Key)
		return d.Key == "seed" || ok && t.Viewed()
	})
}

// Value returns the value of a setting in the form of Diff: empty if no method of s reads it.
func Value(s *spec.Spec, key string) string {
	if t, ok := spec.FindSetting(key); ok && t.ReadIn(s) {
		return valueText(&t, s)
	}
	return ""
}

// valueText returns a setting's value as a preset would state it.
func valueText(t *spec.Setting, s *spec.Spec) string { return strings.Trim(t.Text(s), "[]") }

// isWorst reports whether a measure is the accuracy of a run's worst class, or of its worst group
// if the run has groups.
func isWorst(name string, m *runner.Meta) bool {
	return name == m.MeasureFor("worst_class_accuracy")
}

// worst returns the accuracy of the worst class or group. It does not apply if fewer than two have
// min_group test samples: the only one that counts is no worst.
func (m member) worst() measure.Number {
	parts := page.Indices(len(m.meta.Names(m.meta.Main())))
	if len(parts) > 0 && len(slices.DeleteFunc(parts, m.few)) < 2 { // some old runs have no names
		return measure.Number{}
	}
	return m.results().Named(m.meta.MeasureFor("worst_class_accuracy"))
}

// few tells whether class or group i of the run has fewer test samples than min_group. It has not
// if the run's samples were not counted.
func (m member) few(i int) bool {
	counts := m.meta.Counts(m.meta.Main()).Test
	return i < len(counts) && counts[i] < m.meta.Spec.MinGroup
}

// fewIn tells whether class or group i, which all runs have, has too few test samples in some run.
func fewIn(groups []*group, a measure.Axis, i int) bool {
	few := func(m member) bool { return a == m.meta.Main() && m.few(i) }
	return slices.ContainsFunc(groups, func(g *group) bool {
		return slices.ContainsFunc(g.members, few)
	})
}

// noteFew adds a note if a run has no worst class or group.
func (t *Table) noteFew(members []member) {
	for _, c := range t.Columns {
		without := slices.DeleteFunc(slices.Clone(members), func(m member) bool {
			return !isWorst(c.Name, m.meta) || m.worst().Applies()
		})
		if len(without) > 0 {
			meta := without[0].meta
			t.note(Few, without, "no worst %s: fewer than two have min_group = %d test samples",
				meta.Part(), meta.Spec.MinGroup)
		}
	}
}
