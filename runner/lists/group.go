package lists

import "slices"

// DistinctBy returns the first element of each key.
func DistinctBy[S ~[]T, T any, K comparable](list S, key func(T) K) S {
	seen := map[K]bool{}
	return slices.DeleteFunc(slices.Clone(list), func(v T) bool {
		k := key(v)
		before := seen[k]
		seen[k] = true
		return before
	})
}

// GroupBy returns the elements in groups of one key each, in the order of the first of each group.
func GroupBy[S ~[]T, T any, K comparable](list S, key func(T) K) (groups []S) {
	places := map[K]int{}
	for _, v := range list {
		k := key(v)
		at, there := places[k]
		if !there {
			at = len(groups)
			places[k], groups = at, append(groups, nil)
		}
		groups[at] = append(groups[at], v)
	}
	return groups
}
