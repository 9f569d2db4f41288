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
	Label  string
	Values []float64 // NaN: none
	Worst  bool      // marked by a glyph as well as by its role
	Few    bool      // too few samples: see Bar
	Cells  []string
}

// layout gives the line its room, then the value of the series in front, then the cells.
func (s *Spread) layout(w int) rowLayout {
	l := labelled(s.Charset, w, len(s.Rows), func(i int) string { return s.Rows[i].Label })
	l.from = l.label + 2
	l.middle = w - l.from
	const leastLine, usual = 14, 6
	value, cells := max(usual, cell.Width(nth(s.Heads, 1))), 0
	if s.Front < 0 || l.middle-usual-1 < leastLine {
		value = 0
	}
	l.addColumn(value, math.MinInt)
	for _, r := range s.Rows {
		cells = max(cells, len(r.Cells))
	}
	for i := range cells {
		n := cell.Width(s.Charset.spell(nth(s.Heads, i+2)))
		for _, r := range s.Rows {
			n = max(n, cell.Width(s.Charset.spell(nth(r.Cells, i))))
		}
		l.addColumn(n, max(leastLine, w/3))
	}
	l.middle = max(1, l.middle)
	return l
}

// DrawTo draws the chart in w by h cells into f, reusing its memory: a scale above, if there is
// room for it and all rows, then one row for each place. If some rows do not fit, the last line
// says how many.
func (s *Spread) DrawTo(f *Frame, w, h int) {
	f.resize(w, h)
	if f.W == 0 || f.H == 0 {
		return
	}
	l, top := s.layout(f.W), 0
	if f.H > len(s.Rows) {
		s.scale(f, l)
		top = 1
	}
	first, rows := f.visibleRows(top, s.First, len(s.Rows))
	step := 1
	if rows > 1 && f.H-top >= 2*rows-1 {
		step = 2
	}
	for i := range rows {
		s.row(f, top+i*step, &s.Rows[first+i], l)
	}
	f.finish(s.Charset)
}

// scale writes the ends of the lines, their middle and the heads.
func (s *Spread) scale(f *Frame, l rowLayout) {
	l.heads(f, s.Charset, s.Heads)
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

func (s *Spread) row(f *Frame, y int, r *SpreadRow, l rowLayout) {
	text := f.rowLabel(y, l.label, r.Label, r.Worst, r.Few, s.Charset)
	s.marks(f, l.from, y, l.middle, r)
	l.eachColumn(func(i, x, n int) {
		switch {
		case i > 0:
			f.textRight(x, y, n, s.Charset.spell(nth(r.Cells, i-1)), Style{Role: Axis})
		case s.Front < len(r.Values):
			st := Style{Data, s.Numbers[s.Front]}
			if r.Few {
				st = text
			}
			v := r.Values[s.Front]
			f.textRight(x, y, n, known(v, briefly(v, s.Percent)), st)
		}
	})
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

// addColumn makes room for a column of n cells and reports whether it did. It leaves the column out
// if fewer than least cells would remain for the middle.
func (l *rowLayout) addColumn(n, least int) bool {
	fits := n > 0 && l.middle-n-1 >= least
	if fits {
		l.middle -= n + 1
	} else {
		n = 0
	}
	l.columns = append(l.columns, n)
	return fits
}

// eachColumn calls column with the index, the first cell and the width of each column that is
// shown.
func (l *rowLayout) eachColumn(column func(i, x, n int)) {
	x := l.from + l.middle + 1
	for i, n := range l.columns {
		if n > 0 {
			column(i, x, n)
			x += n + 1
		}
	}
}

// heads writes the headings of the label and the columns into the first row.
func (l *rowLayout) heads(f *Frame, cs Charset, heads []string) {
	axis := Style{Role: Axis}
	f.text(0, 0, l.label, cell.Cut(cs.spell(nth(heads, 0)), l.label), axis)
	l.eachColumn(func(i, x, n int) {
		f.textRight(x, 0, n, cell.Cut(cs.spell(nth(heads, i+1)), n), axis)
	})
}

// visibleRows returns which of count rows are shown below the top ones: the first of them, from,
// and their number. from is first, or the last row if first lies beyond it. If more rows follow,
// the last line says how many.
func (f *Frame) visibleRows(top, first, count int) (from, rows int) {
	from = max(0, min(first, count-1))
	rows = min(f.H-top, count-from)
	if left := count - from - rows; left > 0 {
		rows--
		f.text(0, top+rows, f.W, "+"+strconv.Itoa(left+1)+" more", Style{Role: Axis})
	}
	return from, max(0, rows)
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

// rowLabel writes the label of a row in so many cells, and a mark behind it if the row is the worst
// or has too few samples. It returns the style of both.
func (f *Frame) rowLabel(y, cells int, label string, worst, few bool, cs Charset) (text Style) {
	mark := ' '
	switch {
	case worst:
		text.Role, mark = Worst, worstMark
	case few:
		text.Role, mark = Axis, FewMark
	}
	f.text(0, y, cells, cell.Middle(cs.spell(label), cells), text)
	f.set(cells, y, mark, text)
	return text
}
