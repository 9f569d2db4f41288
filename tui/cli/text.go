package cli

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"strings"

	"drolab/dro"
	"drolab/runner"
	cells "drolab/tui/cell"

	"charm.land/lipgloss/v2"
	"charm.land/lipgloss/v2/table"
)

// What lines and the interface drop from text that came from a file is the
// same.
func clean(s string) string   { return cells.Clean(s) }
func oneLine(s string) string { return cells.OneLine(s) }

// grid lays out rows of cells in columns: the first to the left, the others to
// the right, two spaces between.
func grid(w io.Writer, rows [][]string) {
	right := lipgloss.NewStyle().Align(lipgloss.Right).PaddingLeft(2)
	columns := table.New().Rows(rows...).Border(lipgloss.HiddenBorder()).BorderTop(false).BorderBottom(false).
		BorderLeft(false).BorderRight(false).BorderColumn(false).
		StyleFunc(func(_, column int) lipgloss.Style {
			if column == 0 {
				return lipgloss.NewStyle()
			}
			return right
		})
	for line := range strings.SplitSeq(columns.String(), "\n") {
		fmt.Fprintln(w, strings.TrimRight(line, " "))
	}
}

// written formats a number that applies.
func written(format string, scale float64, n runner.Number) string {
	if !n.Applies() {
		return n.String()
	}
	return fmt.Sprintf(format, scale*n.Float())
}

// percent formats an accuracy in 0..1.
func percent(n runner.Number) string { return written("%.1f %%", 100, n) }

// short formats a measure in four significant digits.
func short(n runner.Number) string { return written("%.4g", 1, n) }

// whole formats a rate without decimals.
func whole(n runner.Number) string { return written("%.0f", 1, n) }

// figure formats a measure on its own scale.
func figure(m *runner.Measure, n runner.Number) string {
	if m.Scale == dro.Percent {
		return percent(n)
	}
	return short(n)
}

func printJSON(w io.Writer, v any) error {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetIndent("", "  ")
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		return err
	}
	_, err := w.Write(cells.EscapeJSON(b.Bytes()))
	return err
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
	n := int(float64(width) * float64(min(done, total)) / float64(max(1, total)))
	return strings.Repeat(full, n) + strings.Repeat(empty, width-n)
}
