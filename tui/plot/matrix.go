package plot

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"drolab/runner/page"
	"drolab/tui/cell"
)

// Matrix is a table of figures with a row for each place, such as a class, and a column for each
// series, such as a method. A figure is tinted by its difference from that of a baseline. The
// difference stands beside it or, where there is no room, its sign.
type Matrix struct {
	Rows    []MatrixRow
	Columns []MatrixColumn
	Totals  int      // the last rows are over all places; shown where all others have room
	Foot    string   // says what a total is, below them where there is room
	Percent bool     // figures are parts of 1, written times 100
	Lower   bool     // lower figures are better
	Heads   []string // of the labels, and of the cells right of the figures
	Best    string   // stands at the best figure of a row, in one cell
	First   int      // first row shown, for scrolling
	// RowNouns and ColumnNouns are singular and plural, to say how many have no room.
	RowNouns, ColumnNouns [2]string
	Charset               Charset
}

// MatrixRow is the row of one place.
type MatrixRow struct {
	Row
	Values  []float64 // by column; NaN: none
	Changes []float64 // by column, against the baseline; NaN: none
	Best    int       // the column with the best figure; -1 for none
}

// MatrixColumn is the column of one series.
type MatrixColumn struct {
	Mark   string
	Name   string
	Briefs []string // shorter and shorter forms of the name
	Number uint8    // series number
	Front  bool     // whether the series is in front
	Keep   bool     // whether the column is one of the last to be left out
}

// TintLevels is the number of levels of the tint of a difference.
const TintLevels = 3

// tintLevel returns the level of a difference.
func tintLevel(change float64) uint8 {
	switch size := math.Abs(change); {
	case size < 0.02:
		return 0
	case size < 0.06:
		return 1
	}
	return TintLevels - 1
}

// matrixLayout is the layout of the figures in their room: the middle of the rows.
type matrixLayout struct {
	*rowLayout
	columns []placedColumn
	changes bool // whether differences are written, and not their signs alone
	used    int  // cells that the columns take together
}

// placedColumn is a column that has room.
type placedColumn struct {
	index         int // in Matrix.Columns
	head          string
	width         int // in cells
	value, change int // cells of the widest figure and of the widest difference
	gap           int // 1 for a blank before the difference, which parts it from a star
}

// right returns the blank cells right of the figures of a column, which stand in its middle.
func (c *placedColumn) right() int { return (c.width - c.value - 1 - c.gap - c.change) / 2 }

// layout decides what w cells show: all columns with differences and whole names, if they fit. If
// not, names are shortened first, and cut if that is not enough; then signs take the place of
// differences, and then columns are left out.
func (m *Matrix) layout(w int) *matrixLayout {
	l := &matrixLayout{rowLayout: &rowLayout{charset: m.Charset, heads: m.Heads}}
	for i := range m.Rows {
		l.rows = append(l.rows, &m.Rows[i].Row)
	}
	l.addLabels(w)
	l.from = l.label + 2
	l.middle = w - l.from
	const leastFigures = 20
	counted := l.addCell(0, leastFigures)
	m.choose(l)
	if counted {
		l.addCell(1, l.used)
	}
	m.spread(l)
	return l
}

// choose chooses the first form in which all columns fit, or else leaves some out.
func (m *Matrix) choose(l *matrixLayout) {
	levels := 1
	for _, c := range m.Columns {
		levels = max(levels, 1+len(c.Briefs))
	}
	all := page.Indices(len(m.Columns))
	const leastHead = 6 // cells of a head that is cut, with its mark
	for _, l.changes = range [...]bool{true, false} {
		for level := range levels {
			if m.place(l, all, level, math.MaxInt); l.used <= l.middle {
				return
			}
		}
		if m.place(l, all, levels-1, leastHead); l.used <= l.middle {
			return
		}
	}
	for n := len(all); n > 0; n-- {
		if m.place(l, m.kept(n), levels-1, 0); l.used <= l.middle {
			return
		}
	}
	l.columns, l.used = nil, 0
}

// kept returns n columns, from the left: first those to keep, then the others in their order.
func (m *Matrix) kept(n int) []int {
	order := page.Indices(len(m.Columns))
	slices.SortStableFunc(order, func(i, j int) int {
		return cmp.Compare(keepRank(m.Columns[i].Keep), keepRank(m.Columns[j].Keep))
	})
	order = order[:n]
	slices.Sort(order)
	return order
}

// keepRank puts what is kept before the rest.
func keepRank(keep bool) int {
	if keep {
		return 0
	}
	return 1
}

// place places columns beside each other, with their names in a form, and a blank between two of
// them. A head is as wide as the figures below it or, if that is more, headCells at most.
func (m *Matrix) place(l *matrixLayout, columns []int, level, headCells int) {
	l.columns, l.used = nil, 0
	for _, i := range columns {
		c := placedColumn{index: i, head: m.head(i, level)}
		c.value, c.change = m.cells(i, l.changes)
		c.width = max(c.value+1+c.change, min(cell.Width(c.head), headCells))
		if l.used > 0 {
			l.used++
		}
		l.columns, l.used = append(l.columns, c), l.used+c.width
	}
	var heads []string
	for _, c := range l.columns {
		heads = append(heads, c.head)
	}
	for k := range l.columns {
		c := &l.columns[k]
		c.head = cell.Apart(heads, c.width)[k]
	}
}

// head returns the head of a column, with its name in a form.
func (m *Matrix) head(column, level int) string {
	c := &m.Columns[column]
	forms := append(endName{c.Name}, c.Briefs...)
	return c.Mark + " " + m.Charset.spell(forms.form(level))
}

// cells returns the width of the widest figure of a column, and of its widest difference or sign.
func (m *Matrix) cells(column int, changes bool) (value, change int) {
	for i := range m.Rows {
		value = max(value, cell.Width(m.value(i, column)))
		change = max(change, cell.Width(m.change(i, column, changes)))
	}
	return value, change
}

// value writes a figure.
func (m *Matrix) value(row, column int) string {
	v := m.Rows[row].Values[column]
	return orDash(v, formatEnd(v, m.Percent))
}

// change writes a difference, or its sign alone; "" for none.
func (m *Matrix) change(row, column int, whole bool) string {
	d := m.Rows[row].Changes[column]
	text := formatEnd(d, m.Percent)
	switch {
	case !finite(d):
		return ""
	case !strings.ContainsAny(text, "123456789"):
		return "="
	case d > 0:
		text = "+" + text
	}
	if !whole {
		text = text[:1]
	}
	return text
}

// spread shares what is free among the columns, up to mostSpare cells for each.
func (m *Matrix) spread(l *matrixLayout) {
	const mostSpare = 12
	if len(l.columns) == 0 {
		return
	}
	spare := max(0, min(mostSpare, (l.middle-l.used)/len(l.columns)))
	for k := range l.columns {
		c := &l.columns[k]
		c.width += spare
		if spare > 0 && c.change > 1 {
			c.gap = 1
		}
	}
	l.used += spare * len(l.columns)
	l.middle = l.used // the cells follow the figures
}

// DrawTo draws the matrix in w by h cells into f: the heads, then a row for each place, as high as
// there is room. If some rows or columns do not fit, the last line says how many.
func (m *Matrix) DrawTo(f *Frame, w, h int) {
	if !f.resize(w, h) {
		return
	}
	l := m.layout(f.W)
	l.drawHeads(f)
	x := l.from
	for _, c := range l.columns {
		series := &m.Columns[c.index]
		room := max(cell.Width(c.head), c.width-c.right())
		f.textRight(x, 0, room, c.head, lineStyle(series.Number, !series.Front))
		x += c.width + 1
	}
	places := max(0, len(m.Rows)-m.Totals)
	first := max(0, min(m.First, places-1))
	room, left := f.H-1, places-first
	whole := room >= left && len(l.columns) == len(m.Columns)
	if !whole {
		room--
		rows := max(0, left-room)
		text := m.missing(rows, len(m.Columns)-len(l.columns))
		f.text(0, f.H-1, f.W, cell.Cut(text, f.W), Style{Role: Axis})
	}
	totals := max(0, min(len(m.Rows)-places, room-left))
	room -= totals
	if whole && m.Foot != "" && room > left+1 { // with a blank line above the totals
		room--
		f.text(0, f.H-1, f.W, cell.Cut(m.Charset.spell(m.Foot), f.W), Style{Role: Axis})
	}
	shown := max(0, min(room, left))
	start := share(room, shown)
	for i := range shown {
		m.row(f, l, first+i, 1+start(i), start(i+1)-start(i))
	}
	for k := range totals { // set off by a blank line, if there is one
		m.row(f, l, places+k, 1+min(start(shown)+1, room)+k, 1)
	}
	f.finish(m.Charset)
}

// missing says how many rows and columns have no room.
func (m *Matrix) missing(rows, columns int) string {
	var parts []string
	count := func(n int, nouns [2]string) {
		switch {
		case n == 1:
			parts = append(parts, "+1 "+nouns[0])
		case n > 1:
			parts = append(parts, fmt.Sprintf("+%d %s", n, nouns[1]))
		}
	}
	count(rows, m.RowNouns)
	count(columns, m.ColumnNouns)
	return strings.Join(parts, ", ")
}

// row draws a row of so many lines. Its text stands in the middle one.
func (m *Matrix) row(f *Frame, l *matrixLayout, row, top, high int) {
	r, y := &m.Rows[row], top+(high-1)/2
	l.drawRow(f, row, y)
	x := l.from
	for _, c := range l.columns {
		style := m.style(row, c.index)
		for line := range high {
			f.text(x, top+line, c.width, strings.Repeat(" ", c.width), style)
		}
		best := " "
		if r.Best == c.index {
			best = m.Best
		}
		text := m.value(row, c.index) + best + strings.Repeat(" ", c.gap) +
			padLeft(m.change(row, c.index, l.changes), c.change)
		f.textRight(x, y, c.width-c.right(), text, style)
		x += c.width + 1
	}
}

// padLeft brings ASCII text to w cells, with blanks on the left.
func padLeft(s string, w int) string { return fmt.Sprintf("%*s", w, s) }

// style returns the style of a figure: the tint of its difference. What has few samples has none.
func (m *Matrix) style(row, column int) Style {
	r := &m.Rows[row]
	d := r.Changes[column]
	switch text := m.change(row, column, true); {
	case r.Few:
		return Style{Role: Axis}
	case text == "" || text == "=":
		return Style{}
	case (d > 0) != m.Lower:
		return Style{BetterTint, tintLevel(d)}
	}
	return Style{WorseTint, tintLevel(d)}
}
