package cell

import "strconv"

// Apart shortens names to at most w cells each, such that names that differ still do: as Middle
// does or, where two would look alike, with their beginning and their number in the list.
func Apart(names []string, w int) []string {
	short := make([]string, len(names))
	whole, alike := map[string]string{}, map[string]bool{}
	for i, name := range names {
		short[i] = Middle(name, w)
		before, there := whole[short[i]]
		if there && before != name {
			alike[short[i]] = true
		}
		whole[short[i]] = name
	}
	for i, name := range names {
		if alike[short[i]] {
			number := strconv.Itoa(i + 1)
			short[i] = First(First(name, w-len(number)-1)+"…"+number, w)
		}
	}
	return short
}
