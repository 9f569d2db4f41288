package kit

import (
	"strings"

	"drolab/tui/cell"
)

// Rect is a part of the screen, in cells; X and Y are the position of its top left cell.
type Rect struct{ X, Y, W, H int }

// Contains reports whether a cell is in r.
func (r Rect) Contains(x, y int) bool {
	return x >= r.X && x < r.X+r.W && y >= r.Y && y < r.Y+r.H
}

// The size of the smallest screen that is drawn. On a smaller one, one line says that it is too
// small.
const (
	LeastWidth  = 40
	LeastHeight = 12
)

// Tile divides r into equal cells, row by row; the first ones get the remainder.
func Tile(r Rect, columns, lines int) []Rect {
	var list []Rect
	for j := range lines {
		for i := range columns {
			x0, x1 := Share(r.W, i, columns), Share(r.W, i+1, columns)
			y0, y1 := Share(r.H, j, lines), Share(r.H, j+1, lines)
			list = append(list, Rect{r.X + x0, r.Y + y0, x1 - x0, y1 - y0})
		}
	}
	return list
}

// Share returns the start of the i-th of n parts of a length.
func Share(length, i, n int) int { return length/n*i + min(i, length%n) }

// Block is a block of lines, each exactly w cells wide, and where it goes.
type Block struct {
	Rect
	Lines []string
}

// Compose puts blocks that do not overlap together into h lines of w cells. Blocks that share a
// line must come from left to right. The widths of blocks are known. Lip Gloss measures what it
// joins, which takes a hundred times as long on a page of four panels, more than the rest of a
// frame.
func Compose(w, h int, blocks []Block) []string {
	out := make([]string, max(0, h))
	at := make([]int, len(out))
	for _, b := range blocks {
		for i, line := range b.Lines {
			y := b.Y + i
			if i >= b.H || y < 0 || y >= len(out) {
				continue
			}
			out[y] += Blanks(b.X-at[y]) + line
			at[y] = b.X + b.W
		}
	}
	for y := range out {
		out[y] += Blanks(w - at[y])
	}
	return out
}

// Area returns the rectangle of w by h cells at x and y.
func Area(x, y, w, h int) Rect { return Rect{x, y, w, h} }

// Boxed reports whether a page of h rows has room for boxes around its panels. On a lower page, a
// panel is a title line and the lines under it.
func Boxed(h int) bool { return h >= 16 }

// Panel draws lines in a box, or only under its title line if there is no room for one, in exactly
// w by h cells. note stands at the right of the title. The border's characters are Lip Gloss's,
// whose own borders have no titles and cost twenty times as much.
func (t *Theme) Panel(title, note string, focused, box bool, lines []string, w, h int) []string {
	g, border, titleStyle := t.box, t.border, t.Title
	if focused {
		border, titleStyle = t.Accent, t.focused
		title = t.Cursor + " " + title
		if !t.color {
			g = t.heavyBox
		}
	}
	head := t.panelHead(title, note, border, titleStyle, g.Top, w-4)
	if !box {
		end := border.Paint(g.Top + g.Top)
		return append([]string{Left(end+head+end, w)}, Fill(lines, w, h-1)...)
	}
	top := border.Paint(g.TopLeft+g.Top) + head + border.Paint(g.Top+g.TopRight)
	side := border.Paint(g.Left)
	bottom := border.Paint(g.BottomLeft + strings.Repeat(g.Bottom, max(0, w-2)) + g.BottomRight)
	out := []string{Left(top, w)}
	for _, s := range Fill(lines, w-2, h-2) {
		out = append(out, side+s+side)
	}
	return append(out, Left(bottom, w))
}

// panelHead returns the title and the note of a panel, with a rule between them, in w cells.
func (t *Theme) panelHead(title, note string, border, titleStyle Style, rule string, w int) string {
	title = " " + cell.Cut(t.Greek(title), w-2) + " "
	note = t.Shorten(note, w-2-cell.Width(title))
	if note != "" {
		note = " " + note + " "
	}
	rules := strings.Repeat(rule, max(0, w-cell.Width(title)-cell.Width(note)))
	return titleStyle.Paint(title) + border.Paint(rules) + t.Dim.Paint(note)
}

// Shorten drops the last of a note's parts, which " · " separates, until it fits in w cells.
func (t *Theme) Shorten(note string, w int) string {
	for cell.Width(t.Greek(note)) > w {
		i := strings.LastIndex(note, " · ")
		if i < 0 {
			return ""
		}
		note = note[:i]
	}
	return t.Greek(note)
}

// Inside returns the room within a panel of w by h cells.
func Inside(box bool, w, h int) (int, int) {
	if box {
		return max(0, w-2), max(0, h-2)
	}
	return w, max(0, h-1)
}

// Progress draws a bar of w cells that is full up to a part, 0 to 1.
func (t *Theme) Progress(part float64, w int, done Style) string {
	n := int(part * float64(w))
	return done.Paint(strings.Repeat(t.barFull, n)) +
		t.border.Paint(strings.Repeat(t.barEmpty, w-n))
}

// Place draws a panel in r; draw returns its lines for the room within. It draws nothing if r has
// no size.
func (t *Theme) Place(
	r Rect, title, note string, focused, box bool, draw func(w, h int) []string,
) Block {
	if r.W == 0 {
		return Block{}
	}
	return Block{r, t.Panel(title, note, focused, box, draw(Inside(box, r.W, r.H)), r.W, r.H)}
}

// EmptyText draws a page that has nothing to show. The texts say why, each in as many lines as it
// needs.
func (t *Theme) EmptyText(title string, st Style, texts []string, w, h int) []string {
	iw, _ := Inside(Boxed(h), w, h)
	var lines []string
	for _, text := range texts {
		lines = append(lines, st.PaintAll(Wrap(t.Greek(text), iw-4))...)
	}
	return t.Empty(title, lines, w, h)
}

// Empty draws a page that has nothing to show, with lines that say why.
func (t *Theme) Empty(title string, lines []string, w, h int) []string {
	box := Boxed(h)
	iw, ih := Inside(box, w, h)
	for i, s := range lines {
		lines[i] = "  " + s
	}
	return t.Panel(title, "", true, box, Fill(append([]string{""}, lines...), iw, ih), w, h)
}
