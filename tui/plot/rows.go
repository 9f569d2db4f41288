package plot

import (
	"strconv"

	"drolab/tui/cell"
)

// rowLayout holds the widths of the parts of a chart with one row for each place: a label, a
// drawing in the middle, and columns of text. A column of 0 cells is left out.
type rowLayout struct {
	label   int
	from    int // the first cell of the middle
	middle  int
	columns []int
}

// labelled makes room for the labels, at most a third of w cells.
func labelled(cs Charset, w, n int, label func(i int) string) (l rowLayout) {
	for i := range n {
		l.label = max(l.label, cell.Width(cs.spell(label(i))))
	}
	l.label = min(l.label, w/3)
	return l
}

// take makes room for a column of n cells and reports whether it did. It leaves the column out if
// fewer than least cells would remain for the middle.
func (l *rowLayout) take(n, least int) bool {
	fits := n > 0 && l.middle-n-1 >= least
	if fits {
		l.middle -= n + 1
	} else {
		n = 0
	}
	l.columns = append(l.columns, n)
	return fits
}

// each calls column with the index, the first cell and the width of each column that is shown.
func (l *rowLayout) each(column func(i, x, n int)) {
	x := l.from + l.middle + 1
	for i, n := range l.columns {
		if n > 0 {
			column(i, x, n)
			x += n + 1
		}
	}
}

// heads writes the headings of the label and the columns into the first row.
func (l *rowLayout) heads(f *Frame, cs Charset, label string, column func(i int) string) {
	axis := Style{Role: Axis}
	f.text(0, 0, l.label, cell.Cut(cs.spell(label), l.label), axis)
	l.each(func(i, x, n int) { f.textRight(x, 0, n, cell.Cut(cs.spell(column(i)), n), axis) })
}

// seen returns which of count rows are shown below the top ones: the first of them, from, and their
// number. from is first, or the last row if first lies beyond it. If more rows follow, the last
// line says how many.
func (f *Frame) seen(top, first, count int) (from, rows int) {
	from = max(0, min(first, count-1))
	rows = min(f.H-top, count-from)
	if left := count - from - rows; left > 0 {
		rows--
		f.text(0, top+rows, f.W, "+"+strconv.Itoa(left+1)+" more", Style{Role: Axis})
	}
	return from, max(0, rows)
}

// at returns element i of list, or "" past its end.
func at(list []string, i int) string {
	if i < len(list) {
		return list[i]
	}
	return ""
}

// The marks behind a label.
const (
	worstMark = '◂'
	// FewMark marks a row with too few samples.
	FewMark = '?'
)

// rowLabel writes the label of a row in so many cells, and a mark behind it if the row is the worst
// or has too few samples. It returns the style of both.
func (f *Frame) rowLabel(y, cells int, label string, worst, few bool, cs Charset) (text Style) {
	mark := ' '
	switch {
	case worst:
		text.Role, mark = Worst, cs.rune(worstMark)
	case few:
		text.Role, mark = Axis, FewMark
	}
	f.text(0, y, cells, cell.Middle(cs.spell(label), cells), text)
	f.set(cells, y, mark, text)
	return text
}
