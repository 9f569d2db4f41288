package sweep

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"drolab/dro"
	"drolab/runner"
	"drolab/tui/cell"
	"drolab/tui/kit"
	"drolab/tui/lab"
	"drolab/tui/plot"
)

// plane holds the sizes of the map on a panel, and the part of the map that is in view.
type plane struct {
	label         int // the width of the rows' names
	cell, high    int // the width and height of a setting
	row, column   int // the first row and column in view
	rows, columns int // the numbers of rows and columns in view
}

// The widths of a setting: with its value, and where there is room for its colour only.
const (
	wideCell   = 12
	narrowCell = 4
	planeHead  = 3 // lines above the rows
)

// plane lays out the map on a panel of w by h cells, with the cursor in view.
func (p *Page) plane(w, h int) plane {
	g := p.grid
	m := plane{cell: wideCell, label: 8}
	for _, r := range g.rows {
		m.label = max(m.label, cell.Width(p.Theme.Greek(r.label))+2)
	}
	m.label = min(m.label, max(12, w/3))
	room, rows := max(narrowCell, w-m.label), max(1, h-planeHead)
	n := len(g.columns)
	m.cell = room / n // the map fills the panel
	switch {
	case m.cell >= wideCell:
	case n <= 2*room/wideCell && n*narrowCell > room: // it scrolls in any case
		m.cell = wideCell
	default:
		m.cell = narrowCell
	}
	m.high = max(1, rows/len(g.rows))
	m.columns, m.rows = min(n, max(1, room/m.cell)), min(len(g.rows), max(1, rows/m.high))
	at := g.places[p.at]
	m.row = kit.First(at[0], len(g.rows), m.rows)
	m.column = kit.First(at[1], len(g.columns), m.columns)
	return m
}

// settingAt returns the setting at a place of the page.
func (p *Page) settingAt(x, y int) (at int, ok bool) {
	l := p.lay(p.Body.W, p.Body.H).plane
	w, h := kit.Inside(kit.Boxed(p.Body.H), l.W, l.H)
	m := p.plane(w, h)
	row, column := y-l.Y-1-planeHead, x-l.X-(l.W-w)/2-m.label
	if !l.Contains(x, y) || row < 0 || row >= m.rows*m.high || column < 0 ||
		column >= m.columns*m.cell {
		return 0, false
	}
	at = p.grid.rows[m.row+row/m.high].cells[m.column+column/m.cell]
	return at, at >= 0
}

// viewPlane draws the progress of the sweep, the legend, and the map.
func (p *Page) viewPlane(w, h int) []string {
	t, g := p.Theme, p.grid
	m := p.plane(w, h)
	lines := []string{p.progress(w),
		p.legend(w), p.planeHeads(m)}
	level := levels(p.seen.all.Points, p.written, p.seen.all.By.Better == dro.Higher)
	for y := m.row; y < m.row+m.rows; y++ {
		name := kit.Left(" "+cell.Middle(t.Greek(g.rows[y].label), m.label-2), m.label)
		if y == g.places[p.at][0] {
			name = t.Accent.Paint(name)
		}
		for high := range m.high {
			line := name
			if high > 0 {
				line = kit.Blanks(m.label)
			}
			for x := m.column; x < m.column+m.columns; x++ {
				line += p.viewSetting(g.rows[y].cells[x], m.cell, high == 0, level)
			}
			lines = append(lines, line)
		}
	}
	return lines
}

// progress returns the line that shows how far the sweep is.
func (p *Page) progress(w int) string {
	t, o := p.Theme, p.seen.all
	part := 0.0
	if o.Planned > 0 {
		part = max(0, min(1, o.Done/o.Planned))
	}
	text := fmt.Sprintf(" %3.0f %%  %.0f of %.0f epochs", 100*part, math.Floor(o.Done), o.Planned)
	switch {
	case p.seen.over:
		text += "  the sweep has finished"
	case o.Counts[runner.Running]+o.Counts[runner.Queued]+o.Counts[runner.Paused] == 0:
		text += "  no run is training"
	case p.seen.timed:
		text += "  about " + kit.Duration(p.seen.left) + " left"
	}
	if p.seen.slurm {
		text += "  on Slurm"
	}
	return kit.Left(" "+t.Progress(part, max(4, min(30, w-cell.Width(text)-3)), t.Accent)+text, w)
}

// legend says what the map shows, with the scale of its colours where it has some.
func (p *Page) legend(w int) string {
	t, by := p.Theme, p.seen.all.By
	words := []string{t.Best + " best finished setting of a method"}
	if by.Name != "" {
		title := by.Title
		if by.Scale == dro.Percent {
			title += " %"
		}
		words = slices.Insert(words, 0, title)
	}
	ends := p.ends()
	if ends == nil {
		return t.Dim.Paint(" " + cell.Cut(t.Greek(strings.Join(words, ", ")), w-2))
	}
	const steps = 8
	scale := t.Dim.Paint("  " + ends[0] + " ")
	for i := range steps {
		scale += t.Swatch(float64(i+1)/steps, 1)
	}
	scale += t.Dim.Paint(" " + ends[1] + "  by rank  ")
	line := " " + cell.Cut(t.Greek(words[0]), w-2)
	room := w - 1 - cell.Width(line) - len("     by rank  ") - steps - cell.Width(ends[0]+ends[1])
	if room < 0 {
		return t.Dim.Paint(line)
	}
	best := t.Greek(words[1])
	if cell.Width(best) > room {
		best = ""
	}
	return t.Dim.Paint(line) + scale + t.Dim.Paint(best)
}

// written writes the value of a setting as the map does. Values that are written alike are equal to
// the reader.
func (p *Page) written(i int) string {
	return lab.Write(p.seen.all.By, p.seen.all.Points[i].Value)
}

// ends returns the worst and the best value of the map, as it writes them; nil where there are no
// two values to tell apart.
func (p *Page) ends() []string {
	level := levels(p.seen.all.Points, p.written, p.seen.all.By.Better == dro.Higher)
	if len(level) == 0 {
		return nil
	}
	at := slices.SortedFunc(maps.Keys(level),
		func(i, j int) int { return cmp.Compare(level[i], level[j]) })
	return []string{strings.TrimSpace(p.written(at[0])),
		strings.TrimSpace(p.written(at[len(at)-1]))}
}

// stands reports whether a setting is the best of its method. If all finished settings of a method
// are written alike, none is marked.
func (p *Page) stands(at int) bool {
	points, values, finished := p.seen.all.Points, map[string]bool{}, 0
	if !points[at].Chosen {
		return false
	}
	for i := range points {
		same := points[i].Algorithm == points[at].Algorithm
		if same && points[i].Status == runner.Done && points[i].Value.Applies() {
			finished++
			values[p.written(i)] = true
		}
	}
	return finished < 2 || len(values) > 1
}

// planeHeads returns the line of the values across. Values without room are left out. A mark stands
// where the map has more columns, and the number of rows that it has more behind the name.
func (p *Page) planeHeads(m plane) string {
	t, at := p.Theme, p.grid.places[p.at][1]
	name := " " + cell.Cut(t.Greek(p.key), m.label-2)
	if hidden := len(p.grid.rows) - m.rows; hidden > 0 {
		more := fmt.Sprintf(" +%d rows", hidden)
		name = " " + cell.Cut(t.Greek(p.key), m.label-2-cell.Width(more)) + more
	}
	line, cells := t.Accent.Paint(kit.Left(name, m.label)), 0
	for i := range m.columns {
		before := " "
		if i == 0 && m.column > 0 {
			before = cell.More
		}
		text := before + valueText(p.grid.columns[m.column+i])
		start := i * m.cell
		if start < cells || start+cell.Width(text) > m.columns*m.cell {
			continue
		}
		st := t.Dim
		if m.column+i == at {
			st = t.Accent
		}
		line += kit.Blanks(start-cells) + st.Paint(t.Greek(text))
		cells = start + cell.Width(text)
	}
	if m.column+m.columns < len(p.grid.columns) {
		line += kit.Blanks(m.columns*m.cell-1-cells) + t.Dim.Paint(cell.More)
	}
	return line
}

// valueText returns a setting's value as the map shows it.
func valueText(v string) string {
	if v == "" {
		return "–"
	}
	if text := plot.Format(numberOf(v)); numberOf(v) != 0 && len(v) > len(text) {
		return strings.TrimSpace(text)
	}
	return cell.Cut(strings.Trim(v, `"`), wideCell-2)
}

// viewSetting draws a line of a setting in this many cells. The first line has the cursor, the
// state, the colour and, where there is room, the value and the mark of a chosen setting. The other
// lines have the colour only.
func (p *Page) viewSetting(i, cells int, first bool, level map[int]float64) string {
	if i < 0 {
		return kit.Blanks(cells)
	}
	t, point := p.Theme, &p.seen.all.Points[i]
	glyph, st := p.state(point.Status)
	cursor, best := t.Text.Paint(" "), " "
	if i == p.at {
		cursor = t.Accent.Paint(t.Cursor)
	}
	if len(level) > 0 && p.stands(i) {
		best = t.Better.Paint(t.Best)
	}
	part, valued := level[i]
	wide := max(2, cells-10) // without the cells of the other parts
	swatch := kit.Blanks(wide)
	if valued {
		swatch = t.Swatch(part, wide)
	}
	switch {
	case !first && cells < wideCell:
		return " " + swatch + " "
	case !first:
		return "  " + swatch + kit.Blanks(cells-2-wide)
	case cells < wideCell && !valued:
		return cursor + st.Paint(glyph) + " " + best
	case cells < wideCell && i != p.at && point.Status != runner.Done:
		return st.Paint(glyph) + swatch + best
	case cells < wideCell:
		return cursor + swatch + best
	}
	value := " " + kit.Right(t.Greek(lab.Write(p.seen.all.By, point.Value)), 6)
	if i == p.at {
		value = t.Selected.Paint(value)
	}
	return cursor + st.Paint(glyph) + swatch + value + best
}
