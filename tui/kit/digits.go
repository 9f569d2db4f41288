package kit

import (
	"strings"

	"drolab/tui/cell"
)

// digitRows is the height of a large character, in pixels.
const digitRows = 5

// digits returns the pixels of the characters of numbers: digitRows rows each, from the top.
func digits() map[rune][digitRows]string {
	return map[rune][digitRows]string{
		'0': {"###", "# #", "# #", "# #", "###"},
		'1': {" # ", "## ", " # ", " # ", "###"},
		'2': {"###", "  #", "###", "#  ", "###"},
		'3': {"###", "  #", "###", "  #", "###"},
		'4': {"# #", "# #", "###", "  #", "  #"},
		'5': {"###", "#  ", "###", "  #", "###"},
		'6': {"###", "#  ", "###", "# #", "###"},
		'7': {"###", "  #", "  #", "  #", "  #"},
		'8': {"###", "# #", "###", "# #", "###"},
		'9': {"###", "# #", "###", "  #", "###"},
		'.': {" ", " ", " ", " ", "#"},
		'+': {"   ", " # ", "###", " # ", "   "},
		'-': {"   ", "   ", "###", "   ", "   "},
	}
}

// DigitLines returns the height of large numbers, in lines. A pixel is scale cells wide and half as
// many lines high, so that it is about square.
func DigitLines(scale int) int { return (digitRows*scale + 1) / 2 }

// DigitCells returns the width of a large number, in cells.
func DigitCells(number string, scale int) int { return cell.Width(digitLine(number, 0)) * scale }

// Digits draws a number in large characters. In ASCII there are no halves of cells, so there the
// scale must be even.
func (t *Theme) Digits(number string, scale int, st Style) (lines []string) {
	for y := range DigitLines(scale) {
		var line strings.Builder
		above := digitLine(number, 2*y/scale)
		below := digitLine(number, (2*y+1)/scale)
		for x := range len(above) {
			line.WriteString(strings.Repeat(t.half(above[x] == '#', below[x] == '#'), scale))
		}
		lines = append(lines, st.Paint(line.String()))
	}
	return lines
}

// half returns a cell whose upper and lower half are full or blank.
func (t *Theme) half(above, below bool) string {
	switch {
	case t.ASCII && above:
		return "#"
	case above && below:
		return "█"
	case above:
		return "▀"
	case below && !t.ASCII:
		return "▄"
	}
	return " "
}

// digitLine returns a row of the pixels of a number, with a blank between two characters. Rows
// below the last are blank, and so are characters without pixels.
func digitLine(number string, row int) string {
	var parts []string
	for _, r := range number {
		pixels, ok := digits()[r]
		switch {
		case !ok:
			parts = append(parts, "   ")
		case row >= digitRows:
			parts = append(parts, Blanks(len(pixels[0])))
		default:
			parts = append(parts, pixels[row])
		}
	}
	return strings.Join(parts, " ")
}
