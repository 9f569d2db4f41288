package kit

import "drolab/tui/cell"

// A series has a number, which is its colour and its mark. The first of a method has the method's
// number, n; of variants of it, which differ in settings, the numbers are n+Colors, n+2*Colors,
// ...: they have its colour, and each another mark (cell.Mark).

// Colors is how many methods are told apart, by colour and mark.
const Colors = cell.Marks

// variants is how many numbers a method has, its own included.
const variants = 256 / Colors

// Numbering gives numbers to what is shown together: each has a mark of its own, as far as there
// are any.
type Numbering struct{ owned, taken map[rune]bool }

// Numbers returns the numbering for series of some methods, whose marks no variant takes.
func Numbers(methods ...uint8) *Numbering {
	n := &Numbering{map[rune]bool{}, map[rune]bool{}}
	for _, m := range methods {
		n.owned[cell.Mark(int(m), false)] = true
	}
	return n
}

// Take takes a number of a method for a series and tells whether it was free.
func (n *Numbering) Take(number, method uint8) bool {
	mark := cell.Mark(int(number), false)
	if number%Colors != method || n.taken[mark] || number != method && n.owned[mark] {
		return false
	}
	n.taken[mark] = true
	return true
}

// Next is the number of a further series of a method: the method's own, or that of the first free
// variant from a place on, so that who knows the place finds the same one the next day.
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
