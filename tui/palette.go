package tui

import (
	"strings"

	tea "charm.land/bubbletea/v2"
)

// palette is the form that finds what a key does by the words of its help.
type palette struct {
	m    *Model
	line input
	at   int // row under the cursor
}

func (p *palette) overlay() *overlay {
	return &overlay{title: "What to do on " + p.m.pages[p.m.at].title(), form: p}
}

// found are the rows of the key table with every typed word in them, without
// those that only move the cursor.
func (p *palette) found() (rows []*Key) {
	for i := range p.m.keys[p.m.at] {
		row := &p.m.keys[p.m.at][i]
		if row.Moves || row.Help == "" || p.m.cfg.ReadOnly && row.Alters {
			continue
		}
		text, ok := strings.ToLower(row.Hint+" "+row.Help), true
		for _, word := range strings.Fields(strings.ToLower(p.line.String())) {
			ok = ok && strings.Contains(text, word)
		}
		if ok {
			rows = append(rows, row)
		}
	}
	return rows
}

// press implements form.
func (p *palette) press(key tea.KeyPressMsg) (done bool, cmd tea.Cmd) {
	rows := p.found()
	switch key.String() {
	case "up", "shift+tab":
		p.at--
	case "down", "tab":
		p.at++
	case "enter":
		if p.at < len(rows) {
			return true, send(doMsg{rows[p.at]})
		}
	default:
		p.line.press(key)
		p.at = 0
	}
	p.at = max(0, min(p.at, len(p.found())-1))
	return false, nil
}

// paletteRows is how many rows are shown at once, where there is room.
const paletteRows = 14

// view implements form.
func (p *palette) view(t *theme, w, h int) []string {
	room := max(1, min(paletteRows, h-2))
	before, under, after := p.line.window(w - 2)
	lines := []string{t.accent.paint(": ") + before + t.caret.paint(under) + after, ""}
	rows := p.found()
	first := max(0, min(p.at-room/2, len(rows)-room))
	for i := first; i < min(first+room, len(rows)); i++ {
		row := rows[i]
		name, help := left(row.Name(t.ascii), 7), t.greek(row.Help)
		switch {
		case i == p.at:
			lines = append(lines, t.selected.paint(left(t.cursor+" "+name+help, w)))
		case row.Blocked() != "":
			lines = append(lines, t.dim.paint("  "+name+help))
		default:
			lines = append(lines, "  "+t.key.paint(name)+help)
		}
	}
	if len(rows) == 0 {
		lines = append(lines, t.dim.paint("  nothing does that"))
	}
	return fill(lines, w, room+2)
}
