package compare

import (
	"slices"

	"drolab/runner"
	"drolab/runner/measure"
	"drolab/runner/page"
)

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
