package kit

import (
	"strings"

	"drolab/tui/cell"
)

// Boxed tells whether a page of h rows has room for boxes around its panels;
// below, a panel is a title line and what is under it.
func Boxed(h int) bool { return h >= 16 }

// Panel draws a box, or only its title line where there is no room for one,
// around lines, to exactly w by h cells. note stands at the right of the title.
// The border's characters are Lip Gloss's, whose own borders have no titles and
// cost twenty times as much.
func (t *Theme) Panel(title, note string, focused, box bool, lines []string, w, h int) []string {
	g, line, name := t.box, t.border, t.Title
	if focused {
		line, name, title = t.Accent, t.focused, t.Cursor+" "+title
		if !t.color {
			g = t.heavyBox
		}
	}
	title = " " + cell.Cut(t.Greek(title), w-6) + " "
	if note = t.fitNote(note, w-6-cell.Width(title)); note != "" {
		note = " " + note + " "
	}
	rule := strings.Repeat(g.Top, max(0, w-4-cell.Width(title)-cell.Width(note)))
	head := name.Paint(title) + line.Paint(rule) + t.Dim.Paint(note)
	if !box {
		end := line.Paint(g.Top + g.Top)
		return append([]string{Left(end+head+end, w)}, Fill(lines, w, h-1)...)
	}
	out := []string{Left(line.Paint(g.TopLeft+g.Top)+head+line.Paint(g.Top+g.TopRight), w)}
	side := line.Paint(g.Left)
	for _, s := range Fill(lines, w-2, h-2) {
		out = append(out, side+s+side)
	}
	bottom := g.BottomLeft + strings.Repeat(g.Bottom, max(0, w-2)) + g.BottomRight
	return append(out, Left(line.Paint(bottom), w))
}

// fitNote drops the last of a note's parts until it fits in w cells.
func (t *Theme) fitNote(note string, w int) string {
	for cell.Width(t.Greek(note)) > w {
		i := strings.LastIndex(note, " · ")
		if i < 0 {
			return ""
		}
		note = note[:i]
	}
	return t.Greek(note)
}

// Inside is the room within a panel of w by h cells.
func Inside(box bool, w, h int) (int, int) {
	if box {
		return max(0, w-2), max(0, h-2)
	}
	return w, max(0, h-1)
}

// Progress draws a part of the whole, 0 to 1, in w cells.
func (t *Theme) Progress(part float64, w int, done Style) string {
	n := int(part * float64(w))
	return done.Paint(strings.Repeat(t.barFull, n)) +
		t.border.Paint(strings.Repeat(t.barEmpty, w-n))
}

// Place draws a panel in r, its lines by draw for the room within; nothing where
// r has no size.
func (t *Theme) Place(
	r Rect, title, note string, focused, box bool, draw func(w, h int) []string,
) Placed {
	if r.W == 0 {
		return Placed{}
	}
	lines := draw(Inside(box, r.W, r.H))
	return Placed{r, t.Panel(title, note, focused, box, lines, r.W, r.H)}
}
