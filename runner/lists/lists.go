package lists

import "strconv"

// At returns the elements at the places; nil stays nil.
func At[T any](list []T, places []int) []T {
	if list == nil {
		return nil
	}
	return Map(places, func(at int) T { return list[at] })
}

// Numbered returns n names: the prefix, followed by numbers from the first one on.
func Numbered(prefix string, first, n int) []string {
	names := make([]string, n)
	for i := range names {
		names[i] = prefix + strconv.Itoa(first+i)
	}
	return names
}

// Map returns what f makes of each element of a list.
func Map[T, U any](list []T, f func(T) U) []U {
	out := make([]U, len(list))
	for i, v := range list {
		out[i] = f(v)
	}
	return out
}
