package plot

import (
	"strconv"

	"drolab/tui/cell"
)

// Spread is a line a place from Lo to Hi with a mark for each series on it: how all of
// them do on every class at once.
type Spread struct {
	Rows    []SpreadRow
	Lo, Hi  float64
	Percent bool
	Unit    string   // over the values of the series in front
	Heads   []string // of the labels and the cells; nil for none
	Numbers []uint8  // of the series, in the order of the values
	Front   int      // the series that is drawn last and whose value is written; -1 for none
	First   int      // first row shown, for scrolling
	Charset Charset
}

// SpreadRow is one place.
type SpreadRow struct {
	Label  string
	Values []float64 // NaN: none
	Worst  bool      // marked by a glyph as well as by its role
	Few    bool      // of too few samples: see Bar
	Cells  []string
}

// spreadLayout holds the widths of the parts; 0 leaves a part out.
type spreadLayout struct {
	label, line, value int
	cells              []int
}

func (s *Spread) layout(w int) (l spreadLayout) {
	for _, r := range s.Rows {
		l.label = max(l.label, cell.Width(s.Charset.spell(r.Label)))
	}
	l.label = min(l.label, w/3)
	room := w - l.label - 2
	const leastLine = 14
	if s.Front >= 0 && room-7 >= leastLine {
		l.value = max(6, cell.Width(s.Unit))
		room -= l.value + 1
	}
	for i := range s.cells() {
		n := 0
		for _, r := range s.Rows {
			if i < len(r.Cells) {
				n = max(n, cell.Width(s.Charset.spell(r.Cells[i])))
			}
		}
		if i+1 < len(s.Heads) {
			n = max(n, cell.Width(s.Charset.spell(s.Heads[i+1])))
		}
		if n == 0 || room-n-1 < max(leastLine, w/3) {
			n = 0
		} else {
			room -= n + 1
		}
		l.cells = append(l.cells, n)
	}
	l.line = max(1, room)
	return l
}

func (s *Spread) cells() (n int) {
	for _, r := range s.Rows {
		n = max(n, len(r.Cells))
	}
	return n
}

// DrawTo draws in w by h cells into f, reusing its memory: a scale above, where there
// is room for all rows and it, then a row a place. When rows are left over the last one
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
	first := max(0, min(s.First, len(s.Rows)-1))
	rows := min(f.H-top, len(s.Rows)-first)
	if left := len(s.Rows) - first - rows; left > 0 {
		rows--
		f.text(0, top+rows, f.W, "+"+strconv.Itoa(left+1)+" more", Style{Role: Axis})
	}
	step := 1
	if rows > 1 && f.H-top >= 2*rows-1 {
		step = 2
	}
	for i := range max(0, rows) {
		s.row(f, top+i*step, &s.Rows[first+i], l)
	}
	if s.Charset == ASCII {
		f.ascii()
	}
}

// scale writes the ends of the lines, their middle and the heads.
func (s *Spread) scale(f *Frame, l spreadLayout) {
	x0, axis := l.label+2, Style{Role: Axis}
	if len(s.Heads) > 0 {
		f.text(0, 0, l.label, cell.Cut(s.Charset.spell(s.Heads[0]), l.label), axis)
	}
	lo, mid, hi := s.number(s.Lo), s.number((s.Lo+s.Hi)/2), s.number(s.Hi)
	f.text(x0, 0, l.line, lo, axis)
	if at := l.line/2 - len(mid)/2; at > len(lo) && at+len(mid) < l.line-len(hi) {
		f.text(x0+at, 0, l.line, mid, axis)
	}
	f.textRight(x0, 0, l.line, hi, axis)
	x := x0 + l.line + 1
	if l.value > 0 {
		f.textRight(x, 0, l.value, cell.Cut(s.Charset.spell(s.Unit), l.value), axis)
		x += l.value + 1
	}
	for i, n := range l.cells {
		if n > 0 && i+1 < len(s.Heads) {
			f.textRight(x, 0, n, s.Charset.spell(s.Heads[i+1]), axis)
		}
		if n > 0 {
			x += n + 1
		}
	}
}

func (s *Spread) number(v float64) string {
	if s.Percent {
		return strconv.FormatFloat(100*v, 'f', -1, 64)
	}
	return trimZeros(Format(v))
}

func (s *Spread) row(f *Frame, y int, r *SpreadRow, l spreadLayout) {
	text := f.rowLabel(y, l.label, r.Label, r.Worst, r.Few, s.Charset)
	s.marks(f, l.label+2, y, l.line, r)
	x := l.label + 2 + l.line + 1
	if l.value > 0 {
		if s.Front < len(r.Values) {
			st := Style{Data, s.Numbers[s.Front]}
			if r.Few {
				st = text
			}
			f.textRight(x, y, l.value, s.value(r.Values[s.Front]), st)
		}
		x += l.value + 1
	}
	for i, n := range l.cells {
		if n > 0 && i < len(r.Cells) {
			f.textRight(x, y, n, s.Charset.spell(r.Cells[i]), Style{Role: Axis})
		}
		if n > 0 {
			x += n + 1
		}
	}
}

func (s *Spread) value(v float64) string {
	if s.Percent {
		return Percent(v)
	}
	return brief(v)
}

// marks draws a dot at every quarter of the line, the line itself from the least value to
// the greatest, and the marks. Dots all along would be sent again whenever a mark moves.
func (s *Spread) marks(f *Frame, x0, y, w int, r *SpreadRow) {
	lo, hi, axis := w, -1, Style{Role: Axis}
	for _, v := range r.Values {
		if finite(v) {
			lo, hi = min(lo, s.column(v, w)), max(hi, s.column(v, w))
		}
	}
	for quarter := range 5 {
		f.set(x0+quarter*(w-1)/4, y, s.Charset.rune('·'), axis)
	}
	for x := max(0, lo); x <= min(hi, w-1); x++ { // a column of what is no number is anywhere
		f.set(x0+x, y, s.Charset.rune('─'), axis)
	}
	for i := range r.Values {
		if i != s.Front {
			s.mark(f, x0, y, w, r, i, Back)
		}
	}
	if s.Front >= 0 && s.Front < len(r.Values) {
		s.mark(f, x0, y, w, r, s.Front, Data)
	}
}

func (s *Spread) mark(f *Frame, x0, y, w int, r *SpreadRow, i int, role Role) {
	v := r.Values[i]
	if !finite(v) {
		return
	}
	if role == Back && s.Front < 0 {
		role = Data
	}
	f.set(x0+s.column(v, w), y, cell.Mark(int(s.Numbers[i]), s.Charset == ASCII),
		Style{role, s.Numbers[i]})
}

func (s *Spread) column(v float64, w int) int {
	full := s.Hi - s.Lo
	if !(full > 0) || !finite(full) {
		full = 1
	}
	return int(max(0, min(1, (v-s.Lo)/full))*float64(w-1) + 0.5)
}
