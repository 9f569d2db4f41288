package kit

import (
	"strings"
)

// Boxed tells whether a page of h rows has room for boxes around its panels;
// below, a panel is a title line and what is under it.
func Boxed(h int) bool { return h >= 16 }

// boxGlyphs are the corners and sides of a box.
type boxGlyphs struct{ tl, tr, bl, br, h, v string }

// Panel draws a box, or only its title line where there is no room for one,
// around lines, to exactly w by h cells. note stands at the right of the title.
func (t *Theme) Panel(title, note string, focused, box bool, lines []string, w, h int) []string {
	g, line, name := t.box, t.border, t.Title
	if focused {
		line, name, title = t.Accent, t.Title+t.Accent, t.Cursor+" "+title
		if !t.Color {
			g = t.heavyBox
		}
	}
	title = " " + Cut(title, w-4) + " "
	if note = fitNote(note, w-6-Width(title)); note != "" {
		note = " " + note + " "
	}
	rule := w - 4 - Width(title) - Width(note)
	head := line.Paint(g.h) + name.Paint(title) + line.Paint(strings.Repeat(g.h, max(0, rule))) + t.Dim.Paint(note) + line.Paint(g.h)
	if !box {
		return append([]string{Left(line.Paint(g.h)+head+line.Paint(g.h), w)}, Fill(lines, w, h-1)...)
	}
	out := []string{Left(line.Paint(g.tl)+head+line.Paint(g.tr), w)}
	side := line.Paint(g.v)
	for _, s := range Fill(lines, w-2, h-2) {
		out = append(out, side+s+side)
	}
	return append(out, Left(line.Paint(g.bl+strings.Repeat(g.h, max(0, w-2))+g.br), w))
}

// fitNote drops the last of a note's parts until it fits in w cells.
func fitNote(note string, w int) string {
	for Width(note) > w {
		i := strings.LastIndex(note, " · ")
		if i < 0 {
			return ""
		}
		note = note[:i]
	}
	return note
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
	return done.Paint(strings.Repeat(t.BarFull, n)) + t.border.Paint(strings.Repeat(t.BarEmpty, w-n))
}
