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
	all, taken := Colors{}, map[string]map[uint8]bool{} // by preset
	metas := map[string][]*runner.Meta{}
	for _, r := range runs {
		metas[r.Meta.Preset] = append(metas[r.Meta.Preset], &r.Meta)
	}
	owned := map[string]map[uint8]bool{}
	for preset, list := range metas {
		owned[preset] = owns(list)
	}
	for _, r := range slices.Backward(runs) { // newest first
		key, of := r.Configuration(), r.Meta.Preset
		if _, known := all[key]; known {
			continue
		}
		if taken[of] == nil {
			taken[of] = map[uint8]bool{}
		}
		n := all.find(&r.Meta, key, taken[of], owned[of])
		all[key], taken[of][n] = n, true
	}
	return all
}

// Number is that of one run alone.
func (c Colors) Number(key string, m *runner.Meta) uint8 { return c.find(m, key, nil, nil) }

// Of are the numbers of runs that are shown together, the same for those that differ in
// seed alone, and different ones as far as there are any. A configuration keeps the one
// that it has in c, if no run before it has that; of the others the first of a method has
// the method's own, in the order of the registry, and the rest begin to look for one that
// is free where their settings say, so that they find the same one the next day.
func (c Colors) Of(runs []*runner.Meta) []uint8 {
	numbers, mine := make([]uint8, len(runs)), map[string]uint8{}
	taken, owned := map[uint8]bool{}, owns(runs)
	for i, m := range runs {
		key := compare.Configuration(m)
		n, known := mine[key]
		if !known {
			n = c.find(m, key, taken, owned)
			mine[key], taken[n] = n, true
		}
		numbers[i] = n
	}
	return numbers
}

// ownOf is the number of a method.
func ownOf(m *runner.Meta) uint8 {
	return uint8(max(0, slices.Index(dro.Algorithms(), m.Spec.Algorithm()))) % kit.Colors
}

// owns are the numbers of the methods of runs, which no variant of another method takes: a method
// has one colour wherever it is shown.
func owns(runs []*runner.Meta) map[uint8]bool {
	owned := map[uint8]bool{}
	for _, m := range runs {
		owned[ownOf(m)] = true
	}
	return owned
}

// find is a number that is not taken: the configuration's, its method's, or one that no method of
// the others owns, as far as there are any.
func (c Colors) find(m *runner.Meta, key string, taken, owned map[uint8]bool) uint8 {
	own := ownOf(m)
	if n, ok := c[key]; ok && !taken[n] && (n == own || !owned[n]) {
		return n
	}
	if !taken[own] {
		return own
	}
	h := fnv.New32a()
	h.Write([]byte(key))
	from := uint8(h.Sum32() % kit.Colors)
	for _, also := range []map[uint8]bool{owned, nil} {
		for i := range uint8(kit.Colors) {
			if n := (from + i) % kit.Colors; !taken[n] && !also[n] {
				return n
			}
		}
	}
	return from
}
