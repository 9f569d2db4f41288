package kit

import (
	"strings"

	"drolab/tui/cell"

	"charm.land/bubbles/v2/help"
	"charm.land/bubbles/v2/key"
)

// help is Bubbles' help in the theme, with the separators of the footer.
func (t *Theme) help() help.Model {
	m := help.New()
	m.ShortSeparator = "  "
	m.Styles.ShortKey, m.Styles.ShortDesc = t.Key.Gloss(), t.Dim.Gloss()
	m.Styles.FullKey, m.Styles.FullDesc = t.Key.Gloss(), t.Text.Gloss()
	return m
}

// Footer is the hints of rows that can be done, as many as w cells have room
// for; the last ones (Key.Last) stand at the right, whatever the room.
func (t *Theme) Footer(rows []Key, w int) string {
	room := w - 1
	take := func(last bool) (hints []key.Binding) {
		for i := range rows {
			row := &rows[i]
			if row.Hint == "" || row.Last != last {
				continue
			}
			name, word := row.Name(t.ASCII), t.Greek(row.Word(w))
			if room -= len("  ") + cell.Width(name) + len(" ") + cell.Width(word); room < 0 {
				break
			}
			hints = append(hints, key.NewBinding(key.WithKeys(name), key.WithHelp(name, word)))
		}
		return hints
	}
	last, first := take(true), take(false)
	m := t.help()
	return Spread(" "+m.ShortHelpView(first), m.ShortHelpView(last)+" ", w)
}

// HelpLine is a line of the help: keys, and what they do.
type HelpLine struct{ Keys, Does string }

// keyColumn is the least width of the keys in the help.
const keyColumn = 9

// HelpLines are the lines of the help, in two columns.
func (t *Theme) HelpLines(lines []HelpLine) []string {
	var rows []key.Binding
	for _, l := range lines {
		rows = append(rows, key.NewBinding(key.WithKeys(l.Keys),
			key.WithHelp(Left(l.Keys, keyColumn), t.Greek(l.Does))))
	}
	return strings.Split(t.help().FullHelpView([][]key.Binding{rows}), "\n")
}
