package compare

import (
	"cmp"
	"slices"

	"drolab/tui/cell"
	"drolab/tui/kit"
)

// compareLayout is where the parts of the Compare page are; those without room
// have no size.
type compareLayout struct {
	table, notes kit.Rect
	curves       []kit.Rect // of a measure each, from the chosen one on
}

// at is the part at a place of the page, or else the given one.
func (l compareLayout) at(x, y int, otherwise comparePart) comparePart {
	switch {
	case l.table.Contains(x, y):
		return tablePart
	case l.notes.Contains(x, y):
		return notesPart
	case slices.ContainsFunc(l.curves, func(r kit.Rect) bool { return r.Contains(x, y) }):
		return curvesPart
	}
	return otherwise
}

// Room that parts need: beside the table, below it, and for curves beside each other.
const leastSide, leastBelow, leastCurves = 38, 9, 70

// layCompare divides w by h cells: the whole table of tw by th cells first, its frame included,
// then what else there is room for beside and below it. noted is how high notes of a width are;
// what they leave free has curves, too. The part in view gets the place where there is one for a
// single part.
func layCompare(w, h, tw, th int, part comparePart, noted func(w int) int) compareLayout {
	var l compareLayout
	beside, below := w-tw >= leastSide, h-th >= leastBelow
	if !beside && below {
		tw = w
	}
	switch {
	case beside && below:
		l.table = kit.Area(0, 0, tw, th)
		l.curves = kit.Tile(kit.Area(0, th, w, h-th), max(1, w/leastCurves), 1)
		l.aside(kit.Area(tw, 0, w-tw, th), noted)
	case beside && h >= 2*leastBelow:
		l.table = kit.Area(0, 0, tw, h)
		l.aside(kit.Area(tw, 0, w-tw, h), func(w int) int { return min(noted(w), h/2) })
	case below:
		l.table = kit.Area(0, 0, w, th)
		if rest := (kit.Area(0, th, w, h-th)); part == notesPart {
			l.notes = rest
		} else {
			l.curves = []kit.Rect{rest}
		}
	case part == curvesPart:
		l.curves = []kit.Rect{kit.Area(0, 0, w, h)}
	case part == notesPart:
		l.notes = kit.Area(0, 0, w, h)
	default:
		l.table = kit.Area(0, 0, w, h)
	}
	return l
}

// aside puts the notes beside the table, and curves below them where they leave room.
func (l *compareLayout) aside(r kit.Rect, noted func(w int) int) {
	l.notes = r
	if high := noted(r.W); r.H-high >= leastBelow {
		l.notes.H = high
		l.curves = append(l.curves, kit.Area(r.X, r.Y+high, r.W, r.H-high))
	}
}

func (p *Page) layout(w, h int) compareLayout {
	if p.table == nil {
		return compareLayout{table: kit.Area(0, 0, w, h)}
	}
	_, inside := kit.Inside(kit.Boxed(h), w, h)
	frame := h - inside
	cells := min(w, max(p.allCells()+frame, cell.Width(p.heading())+cell.Width(tableNote)+8))
	below := len(p.legend(cells - frame))
	noted := func(w int) int { return len(p.noteLines(w-frame)) + frame }
	return layCompare(w, h, cells, headRows+len(p.tableRows())+below+frame, p.part, noted)
}

// allCells is how wide the table is with all of its groups.
func (p *Page) allCells() int {
	cells := p.labelCells()
	for i := range p.table.Rows {
		cells += p.cellWidth(i)
	}
	return cells
}

// heading is the table's title: what is compared.
func (p *Page) heading() string {
	if p.about != "" {
		return "The newest experiment, " + p.about
	}
	return kit.Plural(len(p.runs), "selected run")
}

// View implements the interface's page.
func (p *Page) View(w, h int) []string {
	if p.table == nil || len(p.table.Rows) == 0 {
		return p.empty(w, h)
	}
	lay, box := p.layout(w, h), kit.Boxed(h)
	note := "by epoch"
	if p.reading {
		note = readingCurves
	}
	place := p.Theme.Place
	blocks := []kit.Placed{
		place(lay.table, p.heading(), tableNote, p.part == tablePart, box, p.viewTable),
		place(lay.notes, "Read with care", "", p.part == notesPart, box, p.viewNotes)}
	for k, m := range p.measures(len(lay.curves)) {
		draw := func(w, h int) []string { return p.viewCurves(m, w, h) }
		title := p.Theme.Greek(p.curves()[m].Title)
		blocks = append(blocks,
			place(lay.curves[k], title, note, p.part == curvesPart && k == 0, box, draw))
	}
	slices.SortStableFunc(blocks, func(a, b kit.Placed) int { return cmp.Compare(a.X, b.X) })
	return kit.Compose(w, h, blocks)
}

// empty says why there is no table.
func (p *Page) empty(w, h int) []string {
	t := p.Theme
	lines := []string{noneDone, "",
		selectThere}
	switch {
	case p.loading || p.table == nil:
		lines = []string{readingRuns}
	case len(p.runs) > 0:
		lines = nil
		for _, n := range p.table.Notes {
			lines = append(lines, kit.Wrap(n.Text, w-6)...)
		}
	}
	return t.Empty("Compare", t.Dim.Each(lines), w, h)
}

// Measures of the table.
const (
	headRows  = 2 // names of the groups, and their seeds
	leastCell = 7
	mostCell  = 24
	leastRows = 8 // that are shown before there is room for what the signs mean
)

// labelCells is the room for a class's name and count; on a narrow screen, for
// the longest fixed label.
func (p *Page) labelCells() int {
	if p.narrow() {
		return len(" robust risk ")
	}
	return 19
}

func (p *Page) narrow() bool { return p.Body.W < 60 }
