package kit

import (
	"slices"
	"strings"

	"drolab/runner/page"
	"drolab/tui/cell"
)

// Grid draws the lines of a table that are in view. It is the terminal's form of a table, in the
// interface and in commands.
type Grid struct {
	*page.Table
	theme  *Theme
	before int
	widths []int // of the columns; noWidth for one that is not drawn
}

const noWidth = -1

// Grid lays the columns of a table out in w cells, with a gap before each. A column without a width
// is as wide as its widest cell. The columns that can be spared most are left out first; a wide one
// gives up some of its width instead, if that is enough.
func (t *Theme) Grid(table *page.Table, w, gap int) *Grid {
	const wide, narrow = 12, 8
	g, over := &Grid{table, t, gap, make([]int, len(table.Columns))}, -w
	for k := range table.Columns {
		g.widths[k] = g.width(k)
		over += gap + g.widths[k]
	}
	for over > 0 {
		worst, spare := 0, 0
		for k, c := range table.Columns {
			if g.widths[k] >= 0 && c.Spare > spare {
				worst, spare = k, c.Spare
			}
		}
		switch c := &table.Columns[worst]; {
		case spare == 0:
			return g
		case c.Most > wide && g.widths[worst]-over >= narrow:
			g.widths[worst] -= over
			return g
		}
		over -= gap + g.widths[worst]
		g.widths[worst] = noWidth
	}
	return g
}

// width returns the width of a column if it has room.
func (g *Grid) width(k int) int {
	c := &g.Columns[k]
	if c.Width > 0 {
		return c.Width
	}
	w := cell.Width(g.theme.Greek(c.Head))
	for _, row := range g.Rows {
		w = max(w, cell.Width(g.theme.Greek(row[k])))
	}
	if c.Most > 0 {
		w = min(w, c.Most)
	}
	return w
}

// Hidden returns the number of columns that are left out.
func (g *Grid) Hidden() (n int) {
	for _, w := range g.widths {
		if w == noWidth {
			n++
		}
	}
	return n
}

// Head returns the line of the heads. paint may change how one is drawn; nil changes none.
func (g *Grid) Head(paint func(column int, text string) string) string {
	return g.line(g.Heads(), paint)
}

// Line returns a row in one line, with the tones of its cells unless paint says how they are drawn.
func (g *Grid) Line(row int, paint func(column int, text string) string) string {
	if paint == nil {
		paint = func(column int, text string) string { return g.paintTone(column, text, text) }
	}
	return g.line(g.Rows[row], paint)
}

func (g *Grid) line(cells []string, paint func(column int, text string) string) string {
	var line strings.Builder
	for k, w := range g.widths {
		if w == noWidth {
			continue
		}
		line.WriteString(Blanks(g.before))
		text := g.InColumn(k, g.theme.Greek(cells[k]), w)
		if paint != nil {
			text = paint(k, text)
		}
		line.WriteString(text)
	}
	return line.String()
}

// paintTone paints a part of a cell in the tone of the whole cell.
func (g *Grid) paintTone(column int, cell, part string) string {
	tone := g.Columns[column].Tone
	if tone == nil {
		return part
	}
	switch tone(strings.TrimSpace(cell)) {
	case page.Good:
		return g.theme.Better.Paint(part)
	case page.Bad:
		return g.theme.Worse.Paint(part)
	case page.Faint:
		return g.theme.Dim.Paint(part)
	}
	return part
}

// Parts returns grids of as many columns as fit in w cells, each with the first column. A last
// column of words is wrapped in Lines instead, if the room for it is not too small.
func (g *Grid) Parts(w int) (parts []*Grid) {
	const least = 16
	last := len(g.widths) - 1
	for from := 1; from < max(2, len(g.widths)); {
		part := *g
		part.widths = slices.Repeat([]int{noWidth}, len(g.widths))
		part.widths[0] = g.widths[0]
		to, room := from, w-g.widths[0]
		for ; to <= last && (to == from || room >= g.before+g.widths[to]); to++ {
			part.widths[to] = g.widths[to]
			room -= g.before + g.widths[to]
		}
		switch {
		case last == 0 || !g.Columns[last].Words:
		case to == last && room-g.before >= least:
			to, part.widths[last] = last+1, room-g.before
		case from == last: // alone beside the first column
			part.widths[last] = min(g.widths[last], max(w-g.widths[0]-g.before, least))
		}
		parts, from = append(parts, &part), max(to, 2)
	}
	return parts
}

// Lines returns a row without the gap before it, in as many lines as its last cell needs.
func (g *Grid) Lines(cells []string) (lines []string) {
	last := len(g.widths) - 1
	for g.widths[last] == noWidth {
		last--
	}
	parts := []string{cells[last]}
	if cell.Width(cells[last]) > g.widths[last] {
		parts = Wrap(cells[last], g.widths[last])
	}
	for i, part := range parts {
		one := make([]string, len(cells))
		if i == 0 {
			copy(one, cells)
		}
		one[last] = part
		line := g.line(one, func(k int, text string) string {
			if k == last {
				return g.paintTone(k, cells[k], text)
			}
			return g.paintTone(k, text, text)
		})
		lines = append(lines, strings.TrimRight(line[g.before:], " "))
	}
	return lines
}

// Change returns the tone of a signed difference; higher says whether more is better. Written with
// no digit but 0 it is no change, and so neither good nor bad.
func Change(higher bool) func(text string) page.Tone {
	return func(text string) page.Tone {
		switch {
		case !strings.ContainsAny(text, "123456789"):
			return ""
		case strings.HasPrefix(text, "-") != higher:
			return page.Good
		}
		return page.Bad
	}
}

// InColumn lays a text out in w cells, on the side of a column.
func (g *Grid) InColumn(column int, text string, w int) string {
	if g.Columns[column].Words {
		return Left(text, w)
	}
	return Right(text, w)
}
