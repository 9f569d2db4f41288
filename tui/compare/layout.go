package compare

import (
	"slices"

	"drolab/tui/cell"
	"drolab/tui/kit"
)

// Sizes of the table, in lines and cells.
const (
	headRows   = 2 // the line of the groups' names and the line of their seeds
	frameCells = 2
	leastCell  = 7
	mostLabel  = 40
	mostCell   = 24
	leastRows  = 8 // the lines of figures that come before the legend gets room
)

// leastLabel returns the least width for a class's name and count; on a narrow screen, the width of
// the longest fixed label.
func (p *Page) leastLabel() int {
	if p.isNarrow() {
		return len(" robust risk ")
	}
	return 19
}

// labelCells returns the width for the names of the lines: that of the longest, where all groups
// have room beside it, and so have the notes if they have it beside the least width.
func (p *Page) labelCells() int {
	least := p.leastLabel()
	cells := least + frameCells // of the table
	for i := range p.table.Rows {
		cells += p.cellWidth(i)
	}
	room := p.Body.W - cells
	if p.Body.W-max(cells, p.headCells()) >= leastSide {
		room -= leastSide
	}
	return least + max(0, min(p.longest-least, room))
}

// headCells returns the width of the table's title and note in its frame.
func (p *Page) headCells() int {
	return cell.Width(p.heading()) + cell.Width(p.tableNote()) + 12
}

func (p *Page) isNarrow() bool { return p.Body.W < 60 }

// compareLayout holds the areas of the parts of the Compare page. A part without room has an empty
// area.
type compareLayout struct {
	table, costs, notes kit.Rect
	curves              []kit.Rect // an area for each measure, from the chosen one on
}

// partAt returns the part at a place of the page, or otherwise if there is none.
func (l compareLayout) partAt(x, y int, otherwise comparePart) comparePart {
	switch {
	case l.table.Contains(x, y):
		return tablePart
	case l.costs.Contains(x, y):
		return costsPart
	case l.notes.Contains(x, y):
		return notesPart
	case slices.ContainsFunc(l.curves, func(r kit.Rect) bool { return r.Contains(x, y) }):
		return curvesPart
	}
	return otherwise
}

// The least room for a part: its width beside the table, its height below the table, and the width
// of each of several charts side by side. From goodBelow on, points are well told apart.
const leastSide, leastBelow, leastChart, goodBelow = 38, 9, 60, 18

// layCompare divides w by h cells. The whole table of tw by th cells, including its frame, comes
// first, then the parts that fit beside and below it. noted returns the height of the notes for a
// width. What the methods cost comes before their curves, which also fill the room that the notes
// leave. Where there is room for a single part, part gets it.
func layCompare(w, h, tw, th int, part comparePart, noted func(w int) int) compareLayout {
	var l compareLayout
	beside, below := w-tw >= leastSide, h-th >= leastBelow
	if !beside && below {
		tw = w
	}
	switch {
	case part == costsPart && h-th < goodBelow && !(beside && h >= 2*leastBelow):
		l.costs = kit.Area(0, 0, w, h)
	case beside && below:
		l.table = kit.Area(0, 0, tw, th)
		l.placeNotes(kit.Area(tw, 0, w-tw, th), curvesPart, noted)
		l.placeCharts(kit.Area(0, th, w, h-th), part)
	case beside && h >= 2*leastBelow:
		l.table = kit.Area(0, 0, tw, h)
		l.placeNotes(kit.Area(tw, 0, w-tw, h), part,
			func(w int) int { return min(noted(w), h/2) })
	case below:
		l.table = kit.Area(0, 0, w, th)
		if rest := kit.Area(0, th, w, h-th); part == notesPart {
			l.notes = rest
		} else {
			l.placeCharts(rest, part)
		}
	case part == tablePart:
		l.table = kit.Area(0, 0, w, h)
	case part == notesPart:
		l.notes = kit.Area(0, 0, w, h)
	default:
		l.placeChart(kit.Area(0, 0, w, h), part)
	}
	return l
}

// placeCharts puts charts side by side: what the methods cost, then their curves. Where there is
// room for one, part decides.
func (l *compareLayout) placeCharts(r kit.Rect, part comparePart) {
	n := r.W / leastChart
	if n < 2 {
		l.placeChart(r, part)
		return
	}
	tiles := kit.Tile(r, n, 1)
	l.costs, l.curves = tiles[0], append(tiles[1:], l.curves...)
}

// placeChart places curves for the part of them, and what the methods cost for any other.
func (l *compareLayout) placeChart(r kit.Rect, part comparePart) {
	if part == curvesPart {
		l.curves = append(l.curves, r)
	} else {
		l.costs = r
	}
}

// placeNotes puts the notes beside the table, and a chart below the notes if they leave room.
func (l *compareLayout) placeNotes(r kit.Rect, part comparePart, noted func(w int) int) {
	l.notes = r
	if high := noted(r.W); r.H-high >= leastBelow {
		l.notes.H = high
		l.placeChart(kit.Area(r.X, r.Y+high, r.W, r.H-high), part)
	}
}

func (p *Page) layout(w, h int) compareLayout {
	if p.table == nil {
		return compareLayout{table: kit.Area(0, 0, w, h)}
	}
	_, inside := kit.Inside(kit.Boxed(h), w, h)
	frame := h - inside
	cells := p.labelCells() + frame // of the table with all of its groups
	for i := range p.table.Rows {
		cells += p.cellWidth(i)
	}
	cells = min(w, max(cells, p.headCells()))
	below := len(p.legend(cells - frame))
	noted := func(w int) int { return len(p.noteLines(w-frame)) + frame }
	return layCompare(w, h, cells, headRows+len(p.tableRows())+below+frame, p.part, noted)
}
