package lab

import (
	"hash/fnv"
	"slices"

	"drolab/dro"
	"drolab/runner"
	"drolab/runner/compare"
	"drolab/runner/record"
	"drolab/tui/kit"
)

// Colors are the numbers of configurations' colours and marks, by compare.Configuration.
type Colors map[string]uint8

// ColorsOf gives the configurations of each preset of a folder their colours.
func ColorsOf(runs []*record.Run) Colors {
	all, given := Colors{}, map[string]*kit.Numbering{} // by preset
	metas := map[string][]*runner.Meta{}
	for _, r := range runs {
		metas[r.Meta.Preset] = append(metas[r.Meta.Preset], &r.Meta)
	}
	for preset, list := range metas {
		given[preset] = numbering(list)
	}
	for _, r := range slices.Backward(runs) { // the oldest first
		key := r.Configuration()
		if _, known := all[key]; !known {
			all[key] = all.find(&r.Meta, key, given[r.Meta.Preset])
		}
	}
	return all
}

// Number is that of one run alone.
func (c Colors) Number(key string, m *runner.Meta) uint8 { return c.find(m, key, kit.Numbers()) }

// Of are the numbers of runs that are shown together, the same for those that differ in seed
// alone, and with different marks as far as there are any. A method has one colour wherever it is
// shown. A configuration keeps the number that it has in c, if no run before it has its mark; of
// the others the first of a method has the method's own, and the rest begin to look for one that
// is free where their settings say, so that they find the same one the next day.
func (c Colors) Of(runs []*runner.Meta) []uint8 {
	numbers, mine := make([]uint8, len(runs)), map[string]uint8{}
	given := numbering(runs)
	for i, m := range runs {
		key := compare.Configuration(m)
		n, known := mine[key]
		if !known {
			n = c.find(m, key, given)
			mine[key] = n
		}
		numbers[i] = n
	}
	return numbers
}

// ownOf is the number of a method.
func ownOf(m *runner.Meta) uint8 {
	return uint8(max(0, slices.Index(dro.Algorithms(), m.Spec.Algorithm()))) % kit.Colors
}

// numbering is that of runs that are shown together.
func numbering(runs []*runner.Meta) *kit.Numbering {
	var methods []uint8
	for _, m := range runs {
		methods = append(methods, ownOf(m))
	}
	return kit.Numbers(methods...)
}

// find is the number that a configuration has, or else the next of its method.
func (c Colors) find(m *runner.Meta, key string, given *kit.Numbering) uint8 {
	own := ownOf(m)
	if n, ok := c[key]; ok && given.Take(n, own) {
		return n
	}
	h := fnv.New32a()
	h.Write([]byte(key))
	return given.Next(own, uint8(h.Sum32()))
}
