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
	style = Style{Data, s.Numbers[s.Front]}
	if r.Few {
		style = r.style()
	}
	v := r.Values[s.Front]
	return orDash(v, formatEnd(v, s.Percent)), style
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
	if len(lo)+1+len(hi) > l.middle {
		return
	}
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
				style := lineStyle(s.Numbers[i], s.Front >= 0 && !front)
				number, at, ascii := int(s.Numbers[i]), s.column(v, w), s.Charset == ASCII
				mark, whole := cell.Spot(number, s.Numbers, ascii), cell.Mark(number, ascii)
				if mark != whole && at+1 < w && s.isAlone(r, i, at, w) {
					f.set(x0+at+1, y, mark, style) // the number of a variant, behind its mark
					mark = whole
				}
				f.set(x0+at, y, mark, style)
			}
		}
	}
}

// isAlone reports whether no other series has its mark in a column or in the next one.
func (s *Spread) isAlone(r *SpreadRow, i, at, w int) bool {
	for k, v := range r.Values {
		if k != i && finite(v) && (s.column(v, w) == at || s.column(v, w) == at+1) {
			return false
		}
	}
	return true
}

func (s *Spread) column(v float64, w int) int {
	return int(partOf(v, s.Hi)*float64(w-1) + 0.5)
}
