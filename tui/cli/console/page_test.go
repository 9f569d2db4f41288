package console

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"drolab/runner/page"
	"drolab/tui/cell"
)

// A last column of words is wrapped where there is room for it. Elsewhere it stands below, beside
// the first column, and no line is too wide.
func TestTableOfWords(t *testing.T) {
	table := page.New("claim", "p", "verdict").Words(2)
	table.Add(strings.Repeat("c", 20), "0.02", "not supported, fewer than two seeds")
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
			if n := cell.Width(strings.TrimSuffix(line, "\n")); n > width {
				t.Errorf("width %d: a line has %d cells: %q", width, n, line)
			}
		}
	}
}

// Of many ranked rows a reader gets the 20 of the highest ranks, and the number of the others. The
// rest of the table stays, and a writer of all rows prints all of them.
func TestTableOfRanks(t *testing.T) {
	for _, n := range []int{20, 21, 1000} {
		table := page.New("", "x")
		table.Add("first", "")
		for i := range n {
			rank := float64(i % 500)
			if i%7 == 3 {
				rank = math.NaN()
			}
			table.Rank(rank, fmt.Sprint("row ", i), "")
		}
		table.Add("last", "")
		for _, all := range []bool{false, true} {
			var b strings.Builder
			w := cell.NewWriter(&b)
			w.All = all
			Blocks(w, table)
			lines := strings.Split(strings.TrimSpace(b.String()), "\n")
			more := ""
			if !all && n > 20 {
				more = fmt.Sprintf("and %d more rows: --all prints them", n-20)
			}
			got := lines[len(lines)-1]
			if more != "" && got != more || more == "" && got != "last" {
				t.Errorf("%d rows, all %v: it ends in %q", n, all, got)
			}
			if want := min(n, 20) + 4; more != "" && len(lines) != want {
				t.Errorf("%d rows: %d lines, want %d", n, len(lines), want)
			}
			if n == 1000 && !all && (lines[2] != "row 499" || lines[3] != "row 999" ||
				strings.TrimSpace(lines[1]) != "first") {
				t.Errorf("it begins with %q", lines[:4])
			}
		}
	}
}
