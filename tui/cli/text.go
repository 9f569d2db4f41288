package cli

import (
	"bytes"
	"encoding/json"
	"io"
	"strings"

	"drolab/runner"
	"drolab/runner/page"
	cells "drolab/tui/cell"
)

// What lines and the interface drop from text that came from a file is the
// same.
func clean(s string) string   { return cells.Clean(s) }
func oneLine(s string) string { return cells.OneLine(s) }

// percent formats an accuracy in 0..1.
func percent(n runner.Number) string { return page.Percent().Text(n) }

// short formats a measure in four significant digits.
func short(n runner.Number) string { return page.Digits(4).Text(n) }

// figure formats a measure on its own scale.
func figure(m *runner.Measure, n runner.Number) string { return page.Alone(m.Scale).Text(n) }

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
