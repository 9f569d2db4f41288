package plot

import (
	"strconv"

	"drolab/tui/cell"
)

// Row is what is written in the row of one place, such as a class.
type Row struct {
	Label string
	Worst bool // marked by a glyph as well as by its role
	Few   bool // too few samples to be called anything: dimmed, and marked by a glyph
	Cells []string
}

// rowLayout holds the parts of a chart with one row for each place: a label, a drawing in the
// middle, and columns of text with their heads.
type rowLayout struct {
	charset Charset
	rows    []*Row
	heads   []string // of the labels and the columns
	label   int      // cells of a label
	labels  []string // of the rows, in so many cells
	from    int      // the first cell of the middle
	middle  int
	columns []textColumn
}

// textColumn is a column of text, of 0 cells if it is left out.
type textColumn struct {
	cells int
	text  func(row int) (string, Style)
}

// addLabels makes room for the labels, at most a third of w cells.
func (l *rowLayout) addLabels(w int) {
	for _, r := range l.rows {
		l.labels = append(l.labels, r.Label)
	}
	l.labels, l.label = l.charset.shorten(l.labels, w/3)
}

// shorten spells labels in at most so many cells, such that labels that differ still do, and
// returns the width of the widest.
func (cs Charset) shorten(labels []string, most int) (short []string, widest int) {
	for _, s := range labels {
		short = append(short, cs.spell(s))
		widest = max(widest, cell.Width(cs.spell(s)))
	}
	widest = min(widest, most)
	return cell.Apart(short, widest), widest
}

// addColumn makes room for a column of at least so many cells, unless fewer than middle cells would
// remain for the drawing: then it returns false. A column without any text takes no room.
func (l *rowLayout) addColumn(cells, middle int, text func(row int) (string, Style)) bool {
	n := 0
	for i := range l.rows {
		s, _ := text(i)
		n = max(n, cell.Width(s))
	}
	if n > 0 {
		n = max(n, cells, cell.Width(l.head(len(l.columns)+1)))
	}
	fits := l.middle-n-1 >= middle
	if n > 0 && fits {
		l.middle -= n + 1
	} else if n > 0 {
		n = 0
	}
	l.columns = append(l.columns, textColumn{n, text})
	return fits
}

// addCells makes room for the cells of the rows, as far as middle cells remain for the drawing.
func (l *rowLayout) addCells(middle int) {
	most := 0
	for _, r := range l.rows {
		most = max(most, len(r.Cells))
	}
	for k := range most {
		l.addCell(k, middle)
	}
}

// addCell makes room for cell k of the rows, unless fewer than middle cells would remain for the
// drawing: then it returns false.
func (l *rowLayout) addCell(k, middle int) bool {
	return l.addColumn(0, middle, func(i int) (string, Style) {
		return l.charset.spell(nth(l.rows[i].Cells, k)), Style{Role: Axis}
	})
}

// head returns the heading of the labels, for 0, or of a column.
func (l *rowLayout) head(i int) string { return l.charset.spell(nth(l.heads, i)) }

// eachColumn calls draw with the index, the first cell and the width of each column that is shown.
func (l *rowLayout) eachColumn(draw func(i, x, n int)) {
	x := l.from + l.middle + 1
	for i, c := range l.columns {
		if c.cells > 0 {
			draw(i, x, c.cells)
			x += c.cells + 1
		}
	}
}

// drawHeads writes the headings of the label and the columns into the first row.
func (l *rowLayout) drawHeads(f *Frame) {
	axis := Style{Role: Axis}
	f.text(0, 0, l.label, cell.Cut(l.head(0), l.label), axis)
	l.eachColumn(func(i, x, n int) { f.textRight(x, 0, n, cell.Cut(l.head(i+1), n), axis) })
}

// drawRows draws the rows from first on, or from the last one if first lies beyond it, below the
// top lines, with blank lines between them where there is room. draw draws the middle of a row. If
// more rows follow, the last line says how many.
func (l *rowLayout) drawRows(f *Frame, top, first int, draw func(row, y int)) {
	from := max(0, min(first, len(l.rows)-1))
	rows, step := min(f.H-top, len(l.rows)-from), 1
	if rows > 1 && f.H-top >= 2*rows-1 {
		step = 2
	}
	if left := len(l.rows) - from - rows; left > 0 {
		rows--
		f.text(0, top+rows, f.W, moreText(left+1), Style{Role: Axis})
	}
	for i := range max(0, rows) {
		row, y := from+i, top+i*step
		l.drawRow(f, row, y)
		draw(row, y)
	}
	f.finish(l.charset)
}

// moreText says that so many rows have no room.
func moreText(rows int) string { return "+" + strconv.Itoa(rows) + " more" }

// drawRow writes the label and the columns of a row.
func (l *rowLayout) drawRow(f *Frame, row, y int) {
	f.rowLabel(y, l.label, l.labels[row], l.rows[row], l.charset)
	l.eachColumn(func(i, x, n int) {
		text, style := l.columns[i].text(row)
		f.textRight(x, y, n, text, style)
	})
}

// mostTall is the maximum height of a row of a matrix or a map, in lines.
const mostTall = 5

// share divides lines among rows, and returns the first line of a row. What an equal division
// leaves goes to the first rows, a line each, but not where rows have a single line: one of two
// lines would stand out there.
func share(lines, rows int) (start func(i int) int) {
	high, rest := 1, 0
	if rows > 0 && lines > rows {
		high, rest = lines/rows, lines%rows
	}
	switch {
	case high >= mostTall:
		high, rest = mostTall, 0
	case high == 1:
		rest = 0
	}
	return func(i int) int { return i*high + min(i, rest) }
}

// nth returns element i of list, or "" past its end.
func nth(list []string, i int) string {
	if i < len(list) {
		return list[i]
	}
	return ""
}

// style returns the style of a row's label.
func (r *Row) style() Style {
	switch {
	case r.Worst:
		return Style{Role: Worst}
	case r.Few:
		return Style{Role: Axis}
	}
	return Style{}
}

// rowLabel writes the label of a row in so many cells, and a mark behind it if the row is the worst
// or has too few samples.
func (f *Frame) rowLabel(y, cells int, label string, r *Row, cs Charset) {
	mark := ' '
	switch {
	case r.Worst:
		mark = cs.sign(cell.Worst)
	case r.Few:
		mark = cs.sign(cell.Few)
	}
	f.text(0, y, cells, label, r.style())
	f.set(cells, y, mark, r.style())
}

// partOf returns v as a part of the length of a full bar or line, 0 to 1; 0 for a value that is not
// finite. A length that is none counts as 1.
func partOf(v, full float64) float64 {
	if !(full > 0) || !finite(full) {
		full = 1
	}
	if !finite(v) {
		return 0
	}
	return max(0, min(1, v/full))
}
