package compare

import (
	"slices"

	"drolab/runner"
	"drolab/runner/measure"
)

// ofWorst tells whether a measure is of the worst of a run's classes or groups, whichever it is by.
func ofWorst(name string, m *runner.Meta) bool { return name == m.Fit("worst_class_accuracy") }

// worst is the accuracy of the worst class or group. It does not apply where fewer than two have
// min_group test samples: the only one that counts is no worst.
func (m member) worst() measure.Number {
	if len(m.meta.Names(m.meta.Main())) > 0 && len(m.counted()) < 2 { // some old runs have no names
		return measure.Number{}
	}
	return m.of(m.meta.Fit("worst_class_accuracy"))
}

// counted lists the classes or groups that have min_group test samples; of runs whose samples were
// not counted all.
func (m member) counted() (names []string) {
	for _, name := range m.meta.Names(m.meta.Main()) {
		if !m.few(name) {
			names = append(names, name)
		}
	}
	return names
}

// few tells whether a class or group of the run has fewer test samples than min_group.
func (m member) few(name string) bool {
	main := m.meta.Main()
	i, counts := slices.Index(m.meta.Names(main), name), m.meta.Counts(main).Test
	return i >= 0 && i < len(counts) && counts[i] < m.meta.Spec.MinGroup
}

// fewIn tells whether a class or group has too few test samples in some run.
func fewIn(groups []*group, a measure.Axis, name string) bool {
	few := func(m member) bool { return a == m.meta.Main() && m.few(name) }
	return slices.ContainsFunc(groups, func(g *group) bool {
		return slices.ContainsFunc(g.members, few)
	})
}

// noteFew tells where a run has no worst class or group.
func (t *Table) noteFew(members []member) {
	for _, c := range t.Columns {
		without := slices.DeleteFunc(slices.Clone(members), func(m member) bool {
			return !ofWorst(c.Name, m.meta) || m.worst().Applies()
		})
		if len(without) > 0 {
			meta := without[0].meta
			t.note(Few, without, "no worst %s: fewer than two have min_group = %d test samples",
				meta.Part(), meta.Spec.MinGroup)
		}
	}
}
