package kit

import "drolab/tui/cell"

// The number of a series stands for its colour and its mark. The first series of a method has the
// method's number, n. Variants of it, which differ in settings, have the numbers n+Colors,
// n+2*Colors, ...: they have its colour, and each another mark (cell.Mark).

// Colors is the number of methods that colour and mark together tell apart.
const Colors = cell.Marks

// variants is the count of the numbers of a method, its own included.
const variants = 256 / Colors

// Numbering gives numbers to series that are shown together. Each has a mark of its own, as long as
// there are free ones.
type Numbering struct{ owned, taken map[rune]bool }

// Numbers returns the numbering for series of some methods. No variant takes the mark of one of
// them.
func Numbers(methods ...uint8) *Numbering {
	n := &Numbering{map[rune]bool{}, map[rune]bool{}}
	for _, m := range methods {
		n.owned[cell.Mark(int(m), false)] = true
	}
	return n
}

// Take takes a number of a method for a series and reports whether it was free.
func (n *Numbering) Take(number, method uint8) bool {
	mark := cell.Mark(int(number), false)
	if number%Colors != method || n.taken[mark] || number != method && n.owned[mark] {
		return false
	}
	n.taken[mark] = true
	return true
}

// Next returns the number of a further series of a method: the method's own, or that of the first
// free variant from a place on. Whoever knows the place finds the same number the next day.
func (n *Numbering) Next(method, from uint8) uint8 {
	if n.Take(method, method) {
		return method
	}
	at := func(k uint8) uint8 { return method + Colors*(1+(from%(variants-1)+k)%(variants-1)) }
	for k := range uint8(variants - 1) {
		if n.Take(at(k), method) {
			return at(k)
		}
	}
	return at(0)
}
