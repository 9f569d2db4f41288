package console

import (
	"strings"
	"testing"

	"drolab/runner/page"
	cells "drolab/tui/cell"
)

// A last column of words is wrapped where there is room for it. Elsewhere it stands below, beside
// the first column, and no line is too wide.
func TestTableOfWords(t *testing.T) {
	table := &page.Table{
		Head:  []string{"claim", "p", "verdict"},
		Words: 1,
		Rows:  [][]string{{strings.Repeat("c", 20), "0.02", "not supported, fewer than two seeds"}},
	}
	for width, want := range map[int]string{
		70: "0.02  not supported, fewer than two seeds\n",
		50: "0.02  not supported, fewer\n" + strings.Repeat(" ", 28) + "than two seeds\n",
		40: "0.02\n\nclaim                 verdict\n" + strings.Repeat("c", 20) +
			"  not supported,\n" + strings.Repeat(" ", 22) + "fewer than two",
	} {
		var b strings.Builder
		(&PageWriter{Writer: &b, Width: width}).table(table)
		if !strings.Contains(b.String(), want) {
			t.Errorf("width %d: want %q in\n%s", width, want, &b)
		}
		for line := range strings.Lines(b.String()) {
			if n := cells.Width(strings.TrimSuffix(line, "\n")); n > width {
				t.Errorf("width %d: a line has %d cells: %q", width, n, line)
			}
		}
	}
}
