package plot

import (
	"math"
	"strconv"

	"drolab/tui/cell"
)

// Spread is a chart with a line for each place and a mark on it for each series. It shows how all
// series do on every class at once.
type Spread struct {
	Rows    []SpreadRow
	Hi      float64 // where the lines end; they begin at 0
	Percent bool
	Heads   []string // headings of the labels, the values of the series in front, and the cells
	Numbers []uint8  // series numbers, in the order of the values
	Front   int      // the series that is drawn last and whose value is written; -1 for none
	First   int      // first row shown, for scrolling
	Charset Charset
}

// SpreadRow is the row of one place, such as a class.
type SpreadRow struct {
	Row
	Values []float64 // NaN: none
}

// layout gives the line its room, then the value of the series in front, then the cells.
func (s *Spread) layout(w int) *rowLayout {
	l := &rowLayout{charset: s.Charset, heads: s.Heads}
	for i := range s.Rows {
		l.rows = append(l.rows, &s.Rows[i].Row)
	}
	l.addLabels(w)
	l.from = l.label + 2
	l.middle = w - l.from
	const leastLine, usual = 14, 6
	value := s.frontValue
	if s.Front < 0 || l.middle-usual-1 < leastLine {
		value = func(int) (string, Style) { return "", Style{} }
	}
	l.addColumn(usual, math.MinInt, value)
	l.addCells(max(leastLine, w/3))
	l.middle = max(1, l.middle)
	return l
}

// frontValue returns the value of the series in front.
func (s *Spread) frontValue(i int) (text string, style Style) {
	r := &s.Rows[i]
	if s.Front >= len(r.Values) {
		return "", style
	}
	if style = (Style{Data, s.Numbers[s.Front]}); r.Few {
		style = r.style()
	}
	v := r.Values[s.Front]
	return known(v, briefly(v, s.Percent)), style
}

// DrawTo draws the chart in w by h cells into f, reusing its memory: a scale above, if there is
// room for it and all rows, then one row for each place. If some rows do not fit, the last line
// says how many.
func (s *Spread) DrawTo(f *Frame, w, h int) {
	if !f.resize(w, h) {
		return
	}
	l, top := s.layout(f.W), 0
	if f.H > len(s.Rows) {
		s.scale(f, l)
		top = 1
	}
	l.drawRows(f, top, s.First, func(i, y int) { s.marks(f, l.from, y, l.middle, &s.Rows[i]) })
}

// scale writes the ends of the lines, their middle and the heads.
func (s *Spread) scale(f *Frame, l *rowLayout) {
	l.drawHeads(f)
	axis := Style{Role: Axis}
	lo, mid, hi := s.number(0), s.number(s.Hi/2), s.number(s.Hi)
	f.text(l.from, 0, l.middle, lo, axis)
	if at := l.middle/2 - len(mid)/2; at > len(lo) && at+len(mid) < l.middle-len(hi) {
		f.text(l.from+at, 0, l.middle, mid, axis)
	}
	f.textRight(l.from, 0, l.middle, hi, axis)
}

func (s *Spread) number(v float64) string {
	if s.Percent {
		return strconv.FormatFloat(100*v, 'f', -1, 64)
	}
	return trimZeros(Format(v))
}

// marks draws a dot at every quarter of the line, the line itself from the least value to the
// greatest, and the marks. Dots along the whole line would be sent again whenever a mark moves.
func (s *Spread) marks(f *Frame, x0, y, w int, r *SpreadRow) {
	lo, hi, axis := w, -1, Style{Role: Axis}
	for _, v := range r.Values {
		if finite(v) {
			lo, hi = min(lo, s.column(v, w)), max(hi, s.column(v, w))
		}
	}
	for quarter := range 5 {
		f.set(x0+quarter*(w-1)/4, y, '·', axis)
	}
	for x := lo; x <= hi; x++ {
		f.set(x0+x, y, '─', axis)
	}
	for _, front := range [...]bool{false, true} {
		for i, v := range r.Values {
			if finite(v) && front == (i == s.Front) {
				f.set(x0+s.column(v, w), y, cell.Mark(int(s.Numbers[i]), s.Charset == ASCII),
					lineStyle(s.Numbers[i], s.Front >= 0 && !front))
			}
		}
	}
}

func (s *Spread) column(v float64, w int) int {
	return int(partOf(v, s.Hi)*float64(w-1) + 0.5)
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
		l.label = max(l.label, cell.Width(l.charset.spell(r.Label)))
	}
	l.label = min(l.label, w/3)
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
		l.addColumn(0, middle, func(i int) (string, Style) {
			return l.charset.spell(nth(l.rows[i].Cells, k)), Style{Role: Axis}
		})
	}
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
		f.text(0, top+rows, f.W, "+"+strconv.Itoa(left+1)+" more", Style{Role: Axis})
	}
	for i := range max(0, rows) {
		row, y := from+i, top+i*step
		f.rowLabel(y, l.label, l.rows[row], l.charset)
		l.eachColumn(func(i, x, n int) {
			text, style := l.columns[i].text(row)
			f.textRight(x, y, n, text, style)
		})
		draw(row, y)
	}
	f.finish(l.charset)
}

// nth returns element i of list, or "" past its end.
func nth(list []string, i int) string {
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
func (f *Frame) rowLabel(y, cells int, r *Row, cs Charset) {
	mark := ' '
	switch {
	case r.Worst:
		mark = worstMark
	case r.Few:
		mark = FewMark
	}
	f.text(0, y, cells, cell.Middle(cs.spell(r.Label), cells), r.style())
	f.set(cells, y, mark, r.style())
}
