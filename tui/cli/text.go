package cli

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"

	"drolab/dro"
	"drolab/runner"
	cells "drolab/tui/cell"

	"charm.land/lipgloss/v2"
)

// What lines and the interface drop from text that came from a file is the
// same.
func clean(s string) string   { return cells.Clean(s) }
func oneLine(s string) string { return cells.OneLine(s) }

// grid lays out rows of cells in columns: the first to the left, the others to
// the right, two spaces between.
func grid(w io.Writer, rows [][]string) {
	var widths []int
	for _, row := range rows {
		for i, cell := range row {
			if i == len(widths) {
				widths = append(widths, 0)
			}
			widths[i] = max(widths[i], lipgloss.Width(cell))
		}
	}
	for _, row := range rows {
		var line strings.Builder
		for i, cell := range row {
			gap := strings.Repeat(" ", widths[i]-lipgloss.Width(cell))
			switch {
			case i == 0:
				line.WriteString(cell + gap)
			default:
				line.WriteString("  " + gap + cell)
			}
		}
		fmt.Fprintln(w, strings.TrimRight(line.String(), " "))
	}
}

// percent formats an accuracy in 0..1.
func percent(n runner.Number) string {
	if !n.Applies() {
		return n.String()
	}
	return fmt.Sprintf("%.1f %%", 100*n.Float())
}

// figure formats a measure on its own scale.
func figure(m *runner.Measure, n runner.Number) string {
	if m.Scale == dro.Percent {
		return percent(n)
	}
	return short(n)
}

// short formats a measure in four significant digits.
func short(n runner.Number) string {
	if !n.Applies() {
		return n.String()
	}
	return fmt.Sprintf("%.4g", n.Float())
}

// whole formats a rate without decimals.
func whole(n runner.Number) string {
	if !n.Applies() {
		return n.String()
	}
	return fmt.Sprintf("%.0f", n.Float())
}

func printJSON(w io.Writer, v any) error {
	e := json.NewEncoder(w)
	e.SetIndent("", "  ")
	e.SetEscapeHTML(false)
	return e.Encode(v)
}

// Progress bars are between barLeast and barMost cells wide, or left out.
const (
	barLeast = 10
	barMost  = 30
)

// bar draws done of total in width cells.
func bar(done, total int64, width int, ascii bool) string {
	full, empty := "━", "─"
	if ascii {
		full, empty = "#", "."
	}
	n := 0
	if total > 0 {
		n = int(float64(width) * float64(min(done, total)) / float64(total))
	}
	return strings.Repeat(full, n) + strings.Repeat(empty, width-n)
}
