package lab

import (
	"hash/fnv"
	"slices"

	"drolab/dro"
	"drolab/runner"
	"drolab/runner/lists"
	"drolab/runner/record"
	"drolab/tui/kit"
)

// Colors holds the number of each configuration, which is its colour and mark, by
// runner.Meta.Configuration.
type Colors map[string]uint8

// ColorsOf gives numbers to the configurations of each preset in a folder.
func ColorsOf(runs []*record.Run) Colors {
	all, given := Colors{}, map[string]*kit.Numbering{} // by preset
	preset := func(r *record.Run) string { return r.Meta.Preset }
	for _, list := range lists.GroupBy(runs, preset) {
		metas := lists.Map(list, func(r *record.Run) *runner.Meta { return &r.Meta })
		given[preset(list[0])] = numbering(metas)
	}
	for _, r := range slices.Backward(runs) { // the oldest first
		key := r.Configuration()
		if _, known := all[key]; !known {
			all[key] = all.find(&r.Meta, key, given[r.Meta.Preset])
		}
	}
	return all
}

// Number returns the number of a run that is shown alone.
func (c Colors) Number(key string, m *runner.Meta) uint8 { return c.find(m, key, kit.Numbers()) }

// ForRuns returns the numbers of runs that are shown together. Runs that differ in seed alone have
// the same number; others have different marks, as long as there are free ones. A method has one
// colour wherever it is shown. A configuration keeps the number that it has in c, if no run before
// it has its mark. Of the other configurations, the first of a method has the method's own number.
// The rest look for a free number from a place that their settings determine, so that they find the
// same one the next day.
func (c Colors) ForRuns(runs []*runner.Meta) []uint8 {
	numbers, mine := make([]uint8, len(runs)), map[string]uint8{}
	given := numbering(runs)
	for i, m := range runs {
		key := m.Configuration()
		if _, known := mine[key]; !known {
			mine[key] = c.find(m, key, given)
		}
		numbers[i] = mine[key]
	}
	return numbers
}

// methodNumber returns the number of a run's method.
func methodNumber(m *runner.Meta) uint8 {
	return kit.MethodNumber(max(0, slices.Index(dro.Algorithms(), m.Spec.Algorithm())))
}

// numbering returns the numbering for runs that are shown together.
func numbering(runs []*runner.Meta) *kit.Numbering {
	return kit.Numbers(lists.Map(runs, methodNumber)...)
}

// find returns the number that a configuration has in c if it is free, or else the next of its
// method.
func (c Colors) find(m *runner.Meta, key string, given *kit.Numbering) uint8 {
	own := methodNumber(m)
	if n, ok := c[key]; ok && given.Claim(n, own) {
		return n
	}
	h := fnv.New32a()
	h.Write([]byte(key))
	return given.Next(own, uint8(h.Sum32()))
}
