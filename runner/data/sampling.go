package data

// Sampling is the way in which training batches choose their samples.
type Sampling string

// These are the ways to sample. A group without samples takes part in none of them.
const (
	// BySample goes through the source in a random order, each sample once an epoch; draws are
	// uniform over samples. The zero value is the same.
	BySample Sampling = "samples"
	// ByGroup draws a group for every place of a batch, each equally likely, and then one of its
	// samples, with replacement. An epoch is as many draws as the source has samples.
	ByGroup Sampling = "groups"
	// Subsample cuts every group to the size of the smallest and goes through the remaining samples
	// in a random order; then it cuts the groups anew. An epoch keeps its length, so it takes
	// several such passes and part of another.
	Subsample Sampling = "subsample"
)

// Samplings lists the ways of sampling that a user can choose, the customary one first.
func Samplings() []string { return []string{string(BySample), string(ByGroup)} }

// groups holds the samples of a source by group, for the ways of sampling that need them.
type groups struct {
	members  [][]uint32 // only of groups that have samples
	smallest int        // the number of samples of the smallest group
	cut      []uint32   // room for one pass through the cut groups
	swaps    []int      // room to undo the swaps that cut a group
}

// newGroups lists the samples of each group. The result is empty if the sampling needs no groups.
func newGroups(src Source, by Sampling) (g groups) {
	if by != ByGroup && by != Subsample {
		return g
	}
	at := map[int]int{} // the place of each group in members
	for i := range src.Len() {
		k := src.Group(i)
		if _, known := at[k]; !known {
			at[k] = len(g.members)
			g.members = append(g.members, nil)
		}
		g.members[at[k]] = append(g.members[at[k]], uint32(i))
	}
	g.smallest = src.Len()
	for _, list := range g.members {
		g.smallest = min(g.smallest, len(list))
	}
	if by == Subsample {
		g.cut, g.swaps = make([]uint32, len(g.members)*g.smallest), make([]int, g.smallest)
	}
	return g
}

// anyOfGroup draws a group and then a sample of it.
func (m *maker) anyOfGroup() uint32 {
	list := m.groups.members[m.rng.Uint64N(uint64(len(m.groups.members)))]
	return list[m.rng.Uint64N(uint64(len(list)))]
}

// cutPasses fills order with passes through groups that are cut to the smallest.
func (m *maker) cutPasses(order []uint32) {
	for len(order) > 0 {
		m.cutGroups()
		order = order[copy(order, m.groups.cut):]
	}
}

// cutGroups draws one such pass. It shuffles the first places of a group's list and then restores
// them, since a pass must not depend on earlier passes. A copy of the list would take time in
// proportion to the largest group.
func (m *maker) cutGroups() {
	g := &m.groups
	for k, list := range g.members {
		for i := range g.swaps {
			j := i + int(m.rng.Uint64N(uint64(len(list)-i)))
			list[i], list[j] = list[j], list[i]
			g.swaps[i] = j
		}
		copy(g.cut[k*g.smallest:], list[:g.smallest])
		for i := len(g.swaps) - 1; i >= 0; i-- {
			j := g.swaps[i]
			list[i], list[j] = list[j], list[i]
		}
	}
	for i := len(g.cut) - 1; i > 0; i-- {
		j := m.rng.Uint64N(uint64(i) + 1)
		g.cut[i], g.cut[j] = g.cut[j], g.cut[i]
	}
}
