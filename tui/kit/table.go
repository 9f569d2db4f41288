package kit

import (
	"math"
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
	widths []int // of the columns, 0 for one that is left out
}

// Grid lays the columns of a table out in w cells, with a gap before each. A column without a width
// is as wide as its widest cell. The columns that can be spared most are left out first, all but
// some; a wide column gives up some of its width instead, if that is enough.
func (t *Theme) Grid(table *page.Table, w, gap, some int) *Grid {
	const wide, narrow = 12, 8
	g, used, left := &Grid{table, t, gap, make([]int, len(table.Columns))}, 0, len(table.Columns)
	for k := range table.Columns {
		g.widths[k] = g.width(k)
		used += gap + g.widths[k]
	}
	for used > w && left > some {
		worst := -1
		for k, c := range table.Columns {
			if g.widths[k] > 0 && (worst < 0 || c.Spare >= table.Columns[worst].Spare) {
				worst = k
			}
		}
		over := used - w
		if table.Columns[worst].Most > wide && g.widths[worst]-over >= narrow {
			g.widths[worst] -= over
			break
		}
		used -= gap + g.widths[worst]
		g.widths[worst], left = 0, left-1
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

// Head returns the line of the heads. paint may change how one is drawn; nil changes none.
func (g *Grid) Head(paint func(column int, text string) string) string {
	return g.line(g.Heads(), paint)
}

// Line returns a row in one line, with the tones of its cells unless paint says how they are drawn.
func (g *Grid) Line(row int, paint func(column int, text string) string) string {
	if paint == nil {
		paint = func(column int, text string) string {
			return g.theme.Toned(&g.Columns[column], text, text)
		}
	}
	return g.line(g.Rows[row], paint)
}

func (g *Grid) line(cells []string, paint func(column int, text string) string) string {
	var line strings.Builder
	for k, w := range g.widths {
		if w == 0 {
			continue
		}
		line.WriteString(Blanks(g.before))
		text := InColumn(&g.Columns[k], g.theme.Greek(cells[k]), w)
		if paint != nil {
			text = paint(k, text)
		}
		line.WriteString(text)
	}
	return line.String()
}

// Toned paints a part of a cell in the tone of the whole cell.
func (t *Theme) Toned(c *page.Column, cell, part string) string {
	if c.Tone == nil {
		return part
	}
	switch c.Tone(strings.TrimSpace(cell)) {
	case page.Good:
		return t.Good.Paint(part)
	case page.Bad:
		return t.Bad.Paint(part)
	}
	return part
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

// Unbounded is the room of a grid whose columns were chosen already.
const Unbounded = math.MaxInt

// InColumn lays a cell out in w cells, on the side of its column.
func InColumn(c *page.Column, text string, w int) string {
	if c.Words {
		return Left(text, w)
	}
	return Right(text, w)
}
