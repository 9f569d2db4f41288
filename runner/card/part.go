package card

import (
	"drolab/runner/data"
	"drolab/runner/measure"
)

// repeated says how many test rows are also training rows. With few columns of few values, rows
// repeat by themselves, and then equally often within the training split.
func repeated(e *evidence) []finding {
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
}

func (e *evidence) parts() (list []part) {
	kind, names := "class", e.Classes
	count := data.ClassCounts
	if e.Grouped {
		kind, names, count = "group", e.Groups, data.GroupCounts
	}
	train, test := count(e.Train, len(names)), count(e.Dataset.Test, len(names))
	for i, name := range names {
		list = append(list, part{kind, name, train[i], test[i]})
	}
	return list
}

// absent finds parts that a split lacks.
func absent(e *evidence) (list []finding) {
	for _, p := range e.parts() {
		switch {
		case p.train == 0:
			list = append(list, finding{nil, []any{p.kind, p.name, "training"}})
		case p.test == 0:
			list = append(list, finding{nil, []any{p.kind, p.name, "test"}})
		}
	}
	return list
}

// below finds parts that are too small to be called the worst.
func below(e *evidence) (list []finding) {
	for _, p := range e.parts() {
		if p.train > 0 && p.test > 0 && p.test < e.minGroup {
			list = append(list, finding{nil, []any{p.kind, p.name, p.test, e.minGroup}})
		}
	}
	return list
}

// small finds other parts whose accuracy would say little: at an accuracy of one half, the 95 %
// interval is wider than ± 10 points.
func small(e *evidence) (list []finding) {
	const wide = .1
	for _, p := range e.parts() {
		if p.train == 0 || p.test < max(1, e.minGroup) {
			continue
		}
		interval := measure.Wilson(measure.Num(.5), p.test)
		if half := (interval[1].Float() - interval[0].Float()) / 2; half > wide {
			list = append(list, finding{nil, []any{p.kind, p.name, 100 * half, p.test}})
		}
	}
	return list
}
