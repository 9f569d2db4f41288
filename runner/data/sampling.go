package data

// Sampling says which samples the batches of training have.
type Sampling string

// The ways to sample. A group without samples has no part in any.
const (
	// BySample goes through the source in a random order, each sample once an epoch; draws are
	// uniform over samples. The zero value is the same.
	BySample Sampling = "samples"
	// ByGroup draws a group for every place of a batch, each equally likely, and then one of its
	// samples, with replacement. An epoch is as many draws as the source has samples.
	ByGroup Sampling = "groups"
	// Subsample cuts every group to as many samples as the smallest has, and goes through what
	// is left in a random order; then the groups are cut anew. An epoch is as long as ever, so
	// that it takes several such passes and part of another.
	Subsample Sampling = "subsample"
)

// Samplings lists the ways of sampling that a user can choose, the customary one first.
func Samplings() []string { return []string{string(BySample), string(ByGroup)} }

// groups are the samples of a source by group, for the ways that need them.
type groups struct {
	members  [][]uint32 // only of groups that have any
	smallest int        // of their numbers
	cut      []uint32   // room for a pass through the groups as cut
	swaps    []int      // room to undo what cutting a group did
}

// newGroups lists the samples of each group; nothing where nobody asks for groups.
func newGroups(src Source, by Sampling) (g groups) {
	if by != ByGroup && by != Subsample {
		return g
	}
	at := map[int]int{} // where in members a group is
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

// cutGroups draws one such pass. The first places of a group's list are shuffled and then put
// back, since a pass may not depend on those before it, and a copy of the list would take as long
// as the largest group is.
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
