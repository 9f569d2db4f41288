package kit

import "drolab/tui/cell"

// The number of a series stands for its colour and its mark (cell.Mark). The first series of a
// method has the method's number. Variants of it, which differ in settings, have its colour, and
// each another mark: their numbers lie Colors, 2*Colors, ... above the colour.

// Colors is the number of colours of series.
const Colors = cell.Marks

// The numbers of a colour: one in each row of series. Those of variants are sought among the
// shapes first.
const (
	seriesRows = 256 / Colors
	shapeRows  = cell.ShapeRows - 1
)

// MethodNumber returns the number of the i-th method. The first methods have a colour and a shape
// each; further ones share the colours and have letters. Where even the letters are not enough,
// methods share numbers: of those that are shown together, one is numbered like a variant.
func MethodNumber(i int) uint8 {
	i %= Colors + cell.Letters
	if i >= Colors {
		i += Colors * shapeRows
	}
	return uint8(i)
}

// Numbering gives numbers to series that are shown together. Each has a mark of its own, as long as
// there are free ones.
type Numbering struct{ owned, claimed map[rune]bool }

// Numbers returns the numbering for series of some methods. No variant takes the mark of one of
// them.
func Numbers(methods ...uint8) *Numbering {
	n := &Numbering{map[rune]bool{}, map[rune]bool{}}
	for _, m := range methods {
		n.owned[cell.Mark(int(m), false)] = true
	}
	return n
}

// Claim takes a number of a method for a series and reports whether it was free.
func (n *Numbering) Claim(number, method uint8) bool {
	mark := cell.Mark(int(number), false)
	if number%Colors != method%Colors || n.claimed[mark] || number != method && n.owned[mark] {
		return false
	}
	n.claimed[mark] = true
	return true
}

// Next returns the number of a further series of a method: the method's own, or that of the first
// free variant from a place on. Whoever knows the place finds the same number the next day.
func (n *Numbering) Next(method, from uint8) uint8 {
	if n.Claim(method, method) {
		return method
	}
	variant := func(k uint8) uint8 {
		row := 1 + (from%shapeRows+k)%shapeRows
		if k >= shapeRows { // no shape is free
			row = 1 + k
		}
		return method%Colors + Colors*row
	}
	for k := range uint8(seriesRows - 1) {
		if n.Claim(variant(k), method) {
			return variant(k)
		}
	}
	return variant(0)
}

// Line returns the style of a series.
func (t *Theme) Line(number uint8) Style { return t.Series[number%Colors] }

// Mark returns the mark of a series.
func (t *Theme) Mark(number uint8) string { return string(cell.Mark(int(number), t.ASCII)) }

// Glyph returns the mark that lines of a series are drawn with, or have on them, if colour does not
// tell them from other lines; 0 if it does.
func (t *Theme) Glyph(number uint8) rune {
	if t.color && number < Colors && !t.alike[number] {
		return 0
	}
	return cell.Mark(int(number), t.ASCII)
}
