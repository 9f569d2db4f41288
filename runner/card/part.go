package card

import (
	"fmt"

	"drolab/runner/data"
	"drolab/runner/measure"
)

// repeated says how many test rows training has seen.
func repeated(e *evidence) []finding {
	if e.Repeated == 0 {
		return nil
	}
	of := ""
	if e.Every > 1 {
		of = " of a sample"
	}
	return []finding{{nil, []any{e.Repeated, e.Sample.Test, of}}}
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

// small finds parts whose accuracy would say little: its 95 % interval is wider than ± 10 points
// where it is one half.
func small(e *evidence) (list []finding) {
	const wide = .1
	for _, p := range e.parts() {
		if p.train == 0 || p.test == 0 {
			continue
		}
		interval := measure.Wilson(measure.Num(.5), p.test)
		half := (interval[1].Float() - interval[0].Float()) / 2
		if half <= wide {
			continue
		}
		worst := ""
		if p.test < e.minGroup {
			worst = fmt.Sprintf(", and below min_group=%d it is never the worst", e.minGroup)
		}
		list = append(list, finding{nil, []any{p.kind, p.name, p.test, 100 * half, worst}})
	}
	return list
}
