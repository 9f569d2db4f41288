package film

import (
	"fmt"
	"strings"
)

// largeWide and largeHigh are the cells that large takes for a number as 51.9, and one more, in the
// smallest size.
const largeWide, largeHigh = 29, 5

// largeDigits writes a number in digits of five rows of dots, which are so many rows high. A row of
// a digit is an octal figure, whose bits are its three dots; the point has one.
func largeDigits(text string, size int) (rows []string) {
	glyphs := [...]string{"75557", "26227", "71747", "71717", "55711", "74717", "74757", "71111",
		"75757", "75717", "00001"}
	lines := make([]string, largeHigh)
	dots := strings.NewReplacer("0", strings.Repeat("  ", size), "1", strings.Repeat("██", size))
	for _, c := range text {
		wide := 3
		if c == '.' {
			wide = 1
		}
		for row, octal := range glyphs[strings.IndexRune("0123456789.", c)] {
			lines[row] += dots.Replace(fmt.Sprintf("%0*b", wide, octal-'0')) +
				strings.Repeat("  ", size)
		}
	}
	for i := range size * largeHigh {
		rows = append(rows, lines[i/size])
	}
	return rows
}
