package kit

import "drolab/tui/cell"

// The number of a series stands for its colour, its mark and its variant. The first configuration
// of a method has the method's number. Others are variants, which have its colour and mark, and a
// number behind the mark (cell.Variant): their numbers lie Colors, 2*Colors, ... above.

// Colors is the number of colours of series.
const Colors = cell.Marks

// Variants is the number of variants that a method has numbers for. The last one is shared by all
// further ones.
const Variants = cell.ShapeRows

// MethodNumber returns the number of the i-th method. The first methods have a colour and a shape
// each; further ones share the colours and have letters. Where even the letters are not enough,
// methods share numbers.
func MethodNumber(i int) uint8 {
	if i < Colors {
		return uint8(i)
	}
	return uint8(Colors*cell.ShapeRows + (i-Colors)%cell.Letters)
}

// VariantNumber returns the number of the n-th configuration of a method, from 1. Those of methods
// with a letter share its number.
func VariantNumber(method uint8, n int) uint8 {
	if method >= Colors {
		return method
	}
	return method + Colors*uint8(max(1, min(n, Variants))-1)
}

// Line returns the style of a series.
func (t *Theme) Line(number uint8) Style { return t.Series[number%Colors] }

// Mark returns the mark of a series, with the number of a variant behind it.
func (t *Theme) Mark(number uint8) string {
	mark := string(cell.Mark(int(number), t.ASCII))
	if n := cell.Variant(int(number), t.ASCII); n != 0 {
		mark += string(n)
	}
	return mark
}

// MarkCells returns the width of the marks of some series, in cells.
func (t *Theme) MarkCells(numbers ...uint8) (cells int) {
	for _, n := range numbers {
		cells = max(cells, cell.Width(t.Mark(n)))
	}
	return cells
}

// Glyph returns the mark that lines of a series are drawn with, or have on them, if colour does not
// tell them from other lines; 0 if it does.
func (t *Theme) Glyph(number uint8) rune {
	if t.color && number < Colors && !t.alike[number] {
		return 0
	}
	return cell.Mark(int(number), t.ASCII)
}
