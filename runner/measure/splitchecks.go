package measure

import "drolab/runner/data"

// repeatedRows says how many test rows are also training rows. With few columns of few values, rows
// repeat by themselves, and then equally often within the training split.
func repeatedRows(e *evidence) []finding {
	if e.Repeated == 0 {
		return nil
	}
	of, remedy := "", "take them out of one split"
	if e.Every > 1 {
		of = " of a sample"
	}
	if share := float64(e.Repeated) / float64(e.Sample.Test); share < 1.25*e.Twice {
		remedy = "rows repeat in the whole table"
	}
	return []finding{{nil, []any{e.Repeated, e.Sample.Test, of, remedy}}}
}

// part is a class or, where they are given, a group.
type part struct {
	kind, name  string
	train, test int
	untrained   bool // training has no samples of it
}

// parts lists the parts that are measured. Where no training sample has a known group, training may
// have samples of each known group.
func (e *evidence) parts() (list []part) {
	kind, names := "class", e.Classes
	count := func(s data.Source) []int { return data.ClassCounts(s, len(e.Classes)) }
	if e.Grouped {
		kind, names, count = "group", e.Measured(), e.MeasuredCounts
	}
	train, test := count(e.Train), count(e.Dataset.Test)
	for i, name := range names {
		if train[i] > 0 && e.Ungrouped {
			continue
		}
		list = append(list, part{kind, name, train[i], test[i], train[i] == 0 && !e.Ungrouped})
	}
	return list
}

// absentParts finds parts that a split lacks.
func absentParts(e *evidence) (list []finding) {
	for _, p := range e.parts() {
		switch {
		case p.untrained:
			list = append(list, finding{nil, []any{p.kind, p.name, "training"}})
		case p.test == 0:
			list = append(list, finding{nil, []any{p.kind, p.name, "test"}})
		}
	}
	return list
}

// partsBelowMinGroup finds parts that are too small to be called the worst.
func partsBelowMinGroup(e *evidence) (list []finding) {
	for _, p := range e.parts() {
		if !p.untrained && p.test > 0 && p.test < e.minGroup {
			list = append(list, finding{nil, []any{p.kind, p.name, p.test, e.minGroup}})
		}
	}
	return list
}

// smallParts finds other parts whose accuracy would say little: at an accuracy of one half, the 95
// % interval is wider than ± 10 points.
func smallParts(e *evidence) (list []finding) {
	const wide = .1
	for _, p := range e.parts() {
		if p.untrained || p.test < max(1, e.minGroup) {
			continue
		}
		interval := Wilson(Num(.5), p.test)
		if half := (interval[1].Float() - interval[0].Float()) / 2; half > wide {
			list = append(list, finding{nil, []any{p.kind, p.name, 100 * half, p.test}})
		}
	}
	return list
}

// sharedIDs finds columns of identifiers whose values training and test rows share: the rows of one
// patient are alike, so a network may know the patient and not the illness. Identifiers of few
// values may be codes, as in admission_type_id. They count if the column is no feature and is named
// as people are.
func sharedIDs(e *evidence) (list []finding) {
	const often = 20 // rows for each value, on average
	for _, c := range e.SharedIDs {
		code := c.Values*often < c.Rows && !(c.Person && c.Dropped)
		if c.Shared == 0 || c.Rows < leastRows || code {
			continue
		}
		remedy := "add split_by=" + c.Column
		switch {
		case e.GivenSplits:
			remedy = "take them out of one split"
		case e.SplitBy != "":
			remedy = "split_by=" + e.SplitBy + "," + c.Column
		}
		list = append(list, finding{[]string{c.Column},
			[]any{c.Shared, c.Test, c.Column, remedy}})
	}
	return list
}
