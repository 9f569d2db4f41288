package lab

import (
	"slices"

	"drolab/dro"
	"drolab/runner"
	"drolab/runner/record"
	"drolab/tui/kit"
)

// Colors holds the variant of each configuration, by runner.Meta.Configuration: 1 for the first
// configuration of its method in its preset, 2 for the second one, in the order of their starts. A
// method's colour and mark depend on its name alone, and the variant is the number behind the mark.
// So a run looks the same at every start and on every page, as long as older runs are not deleted.
type Colors map[string]int

// ColorsOf returns the variants of the configurations in a folder.
func ColorsOf(runs []*record.Run) Colors {
	all, count := Colors{}, map[[2]string]int{} // by preset and method
	oldestFirst := slices.SortedStableFunc(slices.Values(runs), func(a, b *record.Run) int {
		return a.Meta.Created.Compare(b.Meta.Created)
	})
	for _, r := range oldestFirst {
		key := r.Configuration()
		if all[key] == 0 {
			of := [2]string{r.Meta.Preset, string(r.Meta.Spec.Algorithm())}
			count[of]++
			all[key] = count[of]
		}
	}
	return all
}

// Number returns the number of a run among all runs of the folder.
func (c Colors) Number(key string, m *runner.Meta) uint8 {
	return kit.VariantNumber(methodNumber(m), c[key])
}

// ForRuns returns the numbers of runs that are shown together. Runs that differ in seed alone have
// the same number; others have different ones, as long as there are free ones. A configuration has
// its own number, unless an older one has it, of another preset. Such a configuration, one that is
// not in c, and the later ones of many take the next free number of their method.
func (c Colors) ForRuns(runs []*runner.Meta) []uint8 {
	given, taken := map[string]uint8{}, map[uint8]bool{}
	give := func(key string, n uint8) { given[key], taken[n] = n, true }
	byAge := slices.SortedStableFunc(slices.Values(runs), func(a, b *runner.Meta) int {
		return a.Created.Compare(b.Created)
	})
	for _, m := range byAge {
		key := m.Configuration()
		_, there := given[key]
		n := c.Number(key, m)
		if own := c[key]; !there && !taken[n] && own >= 1 && own < kit.Variants {
			give(key, n)
		}
	}
	for _, m := range byAge {
		key := m.Configuration()
		if _, there := given[key]; !there {
			give(key, nextFree(methodNumber(m), min(c[key], 1)+1, taken))
		}
	}
	numbers := make([]uint8, len(runs))
	for i, m := range runs {
		numbers[i] = given[m.Configuration()]
	}
	return numbers
}

// nextFree returns the first free number of a method's variants, from one of them on; the last
// number if none is free.
func nextFree(method uint8, from int, taken map[uint8]bool) uint8 {
	for from < kit.Variants && taken[kit.VariantNumber(method, from)] {
		from++
	}
	return kit.VariantNumber(method, from)
}

// methodNumber returns the number of a run's method.
func methodNumber(m *runner.Meta) uint8 {
	return kit.MethodNumber(dro.Place(m.Spec.Algorithm()))
}
