package tui

import (
	"slices"
	"strings"

	"drolab/tui/kit"

	tea "charm.land/bubbletea/v2"
)

// palette is the form that finds what a key does by the words of its help.
type palette struct {
	m    *Model
	line kit.Input
	at   int // row under the cursor
}

func (p *palette) overlay() *kit.Overlay {
	return &kit.Overlay{Title: "What to do on " + p.m.pages[p.m.at].Title(), Form: p}
}

// found are the rows of the key table with every typed word in them, without
// those that only move the cursor: first those that can be done now.
func (p *palette) found() (rows []*kit.Key) {
	var idle []*kit.Key
	for i := range p.m.keys[p.m.at] {
		row := &p.m.keys[p.m.at][i]
		if row.Moves || row.Help == "" || p.m.barred(row) != "" {
			continue
		}
		text := strings.ToLower(row.Hint + " " + row.Help)
		words := strings.Fields(strings.ToLower(p.line.String()))
		lacks := func(word string) bool { return !strings.Contains(text, word) }
		if !slices.ContainsFunc(words, lacks) {
			if row.Blocked() == "" {
				rows = append(rows, row)
			} else {
				idle = append(idle, row)
			}
		}
	}
	return append(rows, idle...)
}

// Press implements form.
func (p *palette) Press(key tea.KeyPressMsg) (done bool, cmd tea.Cmd) {
	rows := p.found()
	switch key.String() {
	case "up", "shift+tab":
		p.at--
	case "down", "tab":
		p.at++
	case "enter":
		if p.at < len(rows) {
			return true, kit.Send(doMsg{rows[p.at]})
		}
	default:
		if p.line.Update(key) {
			p.at = 0
		}
	}
	p.at = max(0, min(p.at, len(p.found())-1))
	return false, nil
}

// Hint implements kit.Form.
func (p *palette) Hint() []kit.Key { return kit.Taking() }

// paletteRows is how many rows are shown at once, where there is room.
const paletteRows = 14

// View implements form.
func (p *palette) View(t *kit.Theme, w, h int) []string {
	room := max(1, min(paletteRows, h-2))
	lines := []string{t.Accent.Paint(": ") + p.line.View(t.Text, w-2), ""}
	rows := p.found()
	first := kit.First(p.at, len(rows), room)
	for i := first; i < min(first+room, len(rows)); i++ {
		row := rows[i]
		name, help := kit.Left(row.Name(t.ASCII), 7), t.Greek(row.Help)
		switch {
		case i == p.at:
			lines = append(lines, t.Selected.Paint(kit.Left(t.Cursor+" "+name+help, w)))
		case row.Blocked() != "":
			lines = append(lines, t.Dim.Paint("  "+name+help))
		default:
			lines = append(lines, "  "+t.Key.Paint(name)+help)
		}
	}
	if len(rows) == 0 {
		lines = append(lines, t.Dim.Paint("  nothing does that"))
	}
	return kit.Fill(lines, w, room+2)
}
