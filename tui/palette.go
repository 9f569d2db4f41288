package tui

import (
	"slices"
	"strings"

	"drolab/tui/kit"

	tea "charm.land/bubbletea/v2"
)

func (m *Model) openPalette() {
	m.open(&kit.Overlay{Title: "Find a command", Form: &palette{m: m, line: kit.NewInput("")}})
}

// palette is the form that finds what a key does by the words of its help.
type palette struct {
	m      *Model
	line   kit.Input
	cursor int // row under the cursor
}

// rows returns the rows of all pages' keys that have every typed word, without the rows that only
// move the cursor. First come the rows of this page that can be done now, then those of other
// pages, then the rest.
func (p *palette) rows() (rows []offer) {
	var elsewhere, idle []offer
	common := len(p.m.commonKeys())
	for n := range p.m.pages {
		page := pageID((int(p.m.current) + n) % len(p.m.pages))
		for i := range p.m.keys[page] {
			row := &p.m.keys[page][i]
			all := i >= len(p.m.keys[page])-common // a key of all pages
			if row.Moves || row.Help == "" || p.m.barReason(row) != "" || all && n > 0 ||
				!p.matches(row) {
				continue
			}
			switch o := (offer{row, page}); {
			case n > 0:
				elsewhere = append(elsewhere, o)
			case row.Blocked() == "":
				rows = append(rows, o)
			default:
				idle = append(idle, o)
			}
		}
	}
	if p.line.String() == "" { // the page's own keys are what one looks for then
		elsewhere = nil
	}
	return slices.Concat(rows, elsewhere, idle)
}

// matches reports whether a row has every typed word, or another word for it.
func (p *palette) matches(row *kit.Key) bool {
	text := strings.ToLower(row.Hint + " " + row.Help)
	for of, words := range synonyms() {
		if strings.Contains(text, of) {
			text += " " + words
		}
	}
	lacks := func(word string) bool { return !strings.Contains(text, word) }
	return !slices.ContainsFunc(strings.Fields(strings.ToLower(p.line.String())), lacks)
}

// synonyms returns other words for the words of the help.
func synonyms() map[string]string {
	return map[string]string{
		"fork":             "branch clone what-if whatif",
		"change a setting": "knob lr learning rate lambda tune turn edit slider",
		"undo":             "take back revert",
		"stop":             "kill end abort cancel terminate",
		"delete":           "remove rm trash",
		"resume":           "continue restart go on",
		"pause":            "halt hold",
		"checkpoint":       "save snapshot",
		"export":           "csv download write",
		"replay":           "play again rewind",
		"compare":          "table versus diff",
		"filter":           "search find",
		"smoothing":        "ema average",
		"log":              "logarithmic scale",
		"define":           "help explain what is meaning",
		"start":            "run launch train begin",
	}
}

// Press implements kit.Form.
func (p *palette) Press(key tea.KeyPressMsg) (done bool, cmd tea.Cmd) {
	rows := p.rows()
	switch key.String() {
	case "up", "shift+tab":
		p.cursor--
	case "down", "tab":
		p.cursor++
	case "enter":
		if p.cursor < len(rows) {
			return true, kit.Send(rows[p.cursor])
		}
	default:
		if p.line.Update(key) {
			p.cursor = 0
		}
	}
	p.cursor = max(0, min(p.cursor, len(p.rows())-1))
	return false, nil
}

// Hint implements kit.Form.
func (p *palette) Hint() []kit.Key { return kit.TypingKeys() }

// paletteRows is the number of rows that are shown at once, if there is room.
const paletteRows = 14

// View implements kit.Form.
func (p *palette) View(t *kit.Theme, w, h int) []string {
	room := max(1, min(paletteRows, h-2))
	lines := []string{t.Accent.Paint(": ") + p.line.View(t.Text, w-2), ""}
	rows := p.rows()
	first := kit.First(p.cursor, len(rows), room)
	for i := first; i < min(first+room, len(rows)); i++ {
		row := rows[i]
		name, help := kit.Left(row.Name(t.ASCII), 7), t.Greek(row.Help)
		if row.page != p.m.current {
			help = p.m.pages[row.page].Title() + ": " + help
		}
		switch {
		case i == p.cursor:
			lines = append(lines, t.Selected.Paint(kit.Left(t.Cursor+" "+name+help, w)))
		case row.page == p.m.current && row.Blocked() != "":
			lines = append(lines, t.Dim.Paint("  "+name+help))
		default:
			lines = append(lines, "  "+t.Key.Paint(name)+help)
		}
	}
	if len(rows) == 0 {
		lines = append(lines, t.Dim.Paint("  "+"No matching command"))
	}
	return kit.Fill(lines, w, room+2)
}
