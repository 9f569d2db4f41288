package report

import (
	"slices"

	"drolab/runner/measure"
)

// ClassRow is a class or group with the differences in accuracy to the baseline.
type ClassRow struct {
	Class       string         `json:"class"`
	Train       int            `json:"train"`
	Few         bool           `json:"few,omitempty"` // fewer test samples than min_group
	Base        measure.Number `json:"base"`          // mean accuracy of the baseline
	Arms        []string       `json:"arms"`
	Differences []Difference   `json:"differences"`
}

// classes compares every arm whose classes are the baseline's with it, by class. The tests of the
// study's arms are one family, and the tests of each other arm form a family of their own.
func (p *Problem) classes() {
	base := p.base()
	if base == nil {
		return
	}
	m := &base.runs[0].Meta
	measured := m.MeasureFor("class_accuracy")
	names := m.Names(m.Main())
	for i, name := range names {
		row := ClassRow{Class: name}
		if counts := m.Counts(m.Main()); i < len(counts.Train) && i < len(counts.Test) {
			row.Train, row.Few = counts.Train[i], counts.Test[i] < m.Spec.MinGroup
		}
		value := func(r *loggedRun) measure.Number {
			return pooledMean(r.results(), measured, []int{i})
		}
		row.Base = base.mean(value).Mean
		for _, a := range p.arms {
			own := &a.runs[0].Meta
			if a != base && own.Spec.Dataset == m.Spec.Dataset &&
				slices.Equal(own.Names(m.Main()), names) {
				row.Arms = append(row.Arms, a.label)
				d := differenceOf(a, base, ofEachRun(value), 0)
				row.Differences = append(row.Differences, d)
			}
		}
		p.Classes = append(p.Classes, row)
	}
	families := map[string][]*Difference{}
	for i := range p.Classes {
		row := &p.Classes[i]
		for j, name := range row.Arms {
			if len(p.own) == 0 || slices.ContainsFunc(p.own, func(a *arm) bool {
				return a.label == name
			}) {
				name = ""
			}
			families[name] = append(families[name], &row.Differences[j])
		}
	}
	for _, list := range families {
		adjust(list, level, Holm)
	}
}
