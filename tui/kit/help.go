package kit

import (
	"strings"

	"drolab/tui/cell"
)

// Footer is the hints of rows that can be done, as many as w cells have room
// for; the last ones (Key.Last) stand at the right, whatever the room.
func (t *Theme) Footer(rows []Key, w int) string {
	room := w - 1
	take := func(last bool) (hints string) {
		for i := range rows {
			row := &rows[i]
			if row.Hint == "" || row.Last != last {
				continue
			}
			name, word := row.Name(t.ASCII), t.Greek(row.Word(w))
			if room -= len("  ") + cell.Width(name) + len(" ") + cell.Width(word); room < 0 {
				break
			}
			hints += "  " + t.Key.Paint(name) + " " + t.Dim.Paint(word)
		}
		return strings.TrimPrefix(hints, "  ")
	}
	last, first := take(true), take(false)
	return Spread(" "+first, last+" ", w)
}

// HelpLine is a line of the help: keys, and what they do.
type HelpLine struct{ Keys, Does string }

// keyColumn is the least width of the keys in the help.
const keyColumn = 9

// HelpLines are the lines of the help, in two columns.
func (t *Theme) HelpLines(lines []HelpLine) (text []string) {
	column := keyColumn
	for _, l := range lines {
		column = max(column, cell.Width(l.Keys))
	}
	for _, l := range lines {
		text = append(text, t.Key.Paint(Left(l.Keys, column))+" "+t.Greek(l.Does))
	}
	return text
}
