package kit

import (
	"strings"

	"drolab/tui/cell"
)

// Statement is a text to show, with a name before it.
type Statement struct {
	Name, Text string
	Style      Style
	Whole      bool // wrapped, even if others then have no room; a no-break space breaks nowhere
}

// Statements draws as many statements as fit in h lines of w cells, each in one line or, as far as
// there is room, wrapped. The texts are indented.
func (t *Theme) Statements(points []Statement, indent, w, h int) (lines []string) {
	texts, rows := make([][]string, len(points)), make([]int, len(points))
	room := h
	take := func(i, n int) {
		n = min(n, room)
		rows[i] += n
		room -= n
	}
	for i, p := range points {
		cells := w - indent - 1
		if p.Name == "" {
			cells = w - 2
		}
		texts[i] = Wrap(t.Greek(p.Text), cells)
		if p.Whole {
			take(i, len(texts[i]))
		}
	}
	for i, p := range points {
		if !p.Whole {
			take(i, 1)
		}
	}
	for i, p := range points {
		take(i, len(texts[i])-rows[i])
		lines = append(lines, t.statement(p, texts[i], rows[i], indent, w)...)
	}
	return lines
}

// statement draws a statement in some lines; the last of them is cut if there is more text.
func (t *Theme) statement(p Statement, text []string, rows, indent, w int) (lines []string) {
	for j := range rows {
		s, head := text[j], " "
		if j == rows-1 {
			s = strings.Join(text[j:], " ")
		}
		s = strings.ReplaceAll(s, "\u00a0", " ")
		if p.Name != "" {
			head += Left(p.Name, indent-1)
			p.Name = " "
		}
		lines = append(lines, t.Dim.Paint(head)+p.Style.Paint(cell.Cut(s, w-cell.Width(head)-1)))
	}
	return lines
}
