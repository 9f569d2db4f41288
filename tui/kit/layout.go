package kit

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"drolab/tui/cell"

	"github.com/charmbracelet/x/ansi"
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

// Placed is a block of lines, each exactly w cells wide, and where it goes.
type Placed struct {
	Rect
	Lines []string
}

// Compose puts blocks that do not overlap together into h lines of w cells. Blocks that share a
// line must come from left to right. The widths of blocks are known. Lip Gloss measures what it
// joins, which takes a hundred times as long on a page of four panels, more than the rest of a
// frame.
func Compose(w, h int, blocks []Placed) []string {
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
	g, line, name := t.box, t.border, t.Title
	if focused {
		line, name, title = t.Accent, t.focused, t.Cursor+" "+title
		if !t.color {
			g = t.heavyBox
		}
	}
	title = " " + cell.Cut(t.Greek(title), w-6) + " "
	if note = t.shortenNote(note, w-6-cell.Width(title)); note != "" {
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

// shortenNote drops the last of a note's parts until it fits in w cells.
func (t *Theme) shortenNote(note string, w int) string {
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
) Placed {
	if r.W == 0 {
		return Placed{}
	}
	return Placed{r, t.Panel(title, note, focused, box, draw(Inside(box, r.W, r.H)), r.W, r.H)}
}

// Clock formats a duration as 0:07, 12:34 or 1:02:03.
func Clock(d time.Duration) string {
	s := int64(d.Round(time.Second) / time.Second)
	if s < 3600 {
		return fmt.Sprintf("%d:%02d", s/60, s%60)
	}
	return fmt.Sprintf("%d:%02d:%02d", s/3600, s/60%60, s%60)
}

// Plural returns a count with its noun, in the plural unless the count is 1.
func Plural(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}

// Left brings s to exactly w cells, with blanks on the right. The result is Clean, as is all text
// that is laid out here.
func Left(s string, w int) string {
	s = cell.Cut(s, w)
	return s + Blanks(w-cell.Width(s))
}

// Right brings s to exactly w cells, with blanks on the left.
func Right(s string, w int) string {
	s = cell.Cut(s, w)
	return Blanks(w-cell.Width(s)) + s
}

// Spread brings a and b to w cells together, a to the left and b to the right; b is dropped if they
// do not both fit.
func Spread(a, b string, w int) string {
	if gap := w - cell.Width(a) - cell.Width(b); gap >= 1 {
		return a + Blanks(gap) + b
	}
	return Left(a, w)
}

// Map returns f of each element.
func Map[T, U any](list []T, f func(T) U) []U {
	out := make([]U, len(list))
	for i, v := range list {
		out[i] = f(v)
	}
	return out
}

// Distinct returns the first element of each key.
func Distinct[S ~[]T, T any, K comparable](list S, key func(T) K) S {
	seen := map[K]bool{}
	return slices.DeleteFunc(slices.Clone(list), func(v T) bool {
		k := key(v)
		before := seen[k]
		seen[k] = true
		return before
	})
}

// Grouped returns the elements in groups of one key each, in the order of the first of each group.
func Grouped[S ~[]T, T any, K comparable](list S, key func(T) K) (groups []S) {
	places := map[K]int{}
	for _, v := range list {
		k := key(v)
		at, there := places[k]
		if !there {
			at = len(groups)
			places[k], groups = at, append(groups, nil)
		}
		groups[at] = append(groups[at], v)
	}
	return groups
}

// Blanks returns n blanks, none if n is less than one.
func Blanks(n int) string { return strings.Repeat(" ", max(0, n)) }

// Wrap breaks text into lines of at most w cells at blanks and line breaks.
func Wrap(s string, w int) (lines []string) {
	for line := range strings.SplitSeq(s, "\n") {
		lines = append(lines, strings.Split(ansi.WrapWc(cell.Clean(line), max(1, w), ""), "\n")...)
	}
	return lines
}

// Hang wraps a text in lines of less than w cells that hang from a mark: the first line begins with
// it, the others with blanks.
func (t *Theme) Hang(mark string, st Style, text string, w int) (lines []string) {
	for _, part := range Wrap(t.Greek(text), w-cell.Width(mark)-1) {
		lines = append(lines, mark+st.Paint(part))
		mark = Blanks(cell.Width(mark))
	}
	return lines
}

// Flow puts parts into lines of at most w cells, with a gap between those of a line. The first line
// begins with lead, the others with blanks in its place.
func Flow(lead string, parts []string, gap string, w int) (lines []string) {
	indent := cell.Width(lead)
	line, used := lead, indent
	for i, part := range parts {
		n := cell.Width(part)
		if i > 0 && used+cell.Width(gap)+n > w {
			lines, line, used = append(lines, line), Blanks(indent), indent
		} else if i > 0 {
			line, used = line+gap, used+cell.Width(gap)
		}
		line, used = line+part, used+n
	}
	if len(parts) > 0 {
		lines = append(lines, line)
	}
	return lines
}

// Fill brings lines to exactly h lines of w cells.
func Fill(lines []string, w, h int) []string {
	out := slices.Repeat([]string{Blanks(w)}, max(0, h))
	for i, line := range lines[:min(len(lines), len(out))] {
		out[i] = Left(line, w)
	}
	return out
}

// Names returns the names of runs, a line each; of many, those of the first and the number of the
// rest.
func Names(ids []string) (lines []string) {
	const most = 8
	for _, id := range ids[:min(len(ids), most)] {
		lines = append(lines, "  "+id)
	}
	if len(ids) > most {
		lines = append(lines, fmt.Sprintf("  and %d more", len(ids)-most))
	}
	return lines
}

// QuestionLines returns the lines of a question about runs: a head, their names, and lines that say
// what follows.
func QuestionLines(head string, ids []string, what ...string) []string {
	return slices.Concat([]string{head, ""}, Names(ids), []string{""}, what)
}

// Point is a statement to show: a name and a text.
type Point struct {
	Name, Text string
	Style      Style
	Whole      bool // wrapped, even if others then have no room; a no-break space breaks nowhere
}

// Points draws as many points as fit in h lines of w cells, each in one line or, as far as there is
// room, wrapped. The texts are indented.
func (t *Theme) Points(points []Point, indent, w, h int) (lines []string) {
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
		lines = append(lines, t.point(p, texts[i], rows[i], indent, w)...)
	}
	return lines
}

// point draws a point in some lines; the last of them is cut if there is more text.
func (t *Theme) point(p Point, text []string, rows, indent, w int) (lines []string) {
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
