package plot

import (
	"math"
	"strconv"
	"strings"

	"drolab/tui/cell"
)

// Bar is one row of a bar chart: a class and its accuracy, say.
type Bar struct {
	Label string
	Value float64 // NaN: none, written as a dash
	Base  float64 // the baseline's value; NaN for none
	Worst bool    // marked by a glyph as well as by its role
	Few   bool    // too few samples to be called anything: dimmed, and marked by a glyph
	Cells []string
}

// Bars is a horizontal bar chart from 0 to Max.
type Bars struct {
	Bars          []Bar
	Max           float64 // value of a full bar; 0 means 1
	Percent       bool    // write values and changes times 100 with one decimal
	LowerIsBetter bool    // a loss: decides which changes are Better and Worse
	First         int     // first bar shown, for scrolling
	// Heads are the headings of the labels, values, changes and cells, in a row above; nil for
	// none.
	Heads   []string
	Number  uint8   // series number of the bars' style
	Charset Charset // Lines and Braille draw alike
}

// layout shortens the labels and leaves out the columns for which there is no room, so that the bar
// stays readable as w shrinks. The first columns are the first to get room.
func (b *Bars) layout(w int) rowLayout {
	l := labelled(b.Charset, w, len(b.Bars), func(i int) string { return b.Bars[i].Label })
	cells := 0
	for _, bar := range b.Bars {
		cells = max(cells, len(bar.Cells))
	}
	// A blank sets off each part; the blank after the label holds the mark.
	if l.label > 0 {
		l.from = l.label + 1
	}
	l.middle = w - l.from
	leastBar := 10
	for i := range columnCells + cells {
		if i == columnCells {
			leastBar = max(leastBar, w/5)
		}
		n := b.columnWidth(i)
		// Without the value or the change, no cell is shown: it would be taken for the value.
		if !l.take(n, leastBar) && n > 0 && i < columnCells {
			break
		}
	}
	l.middle = max(0, l.middle)
	return l
}

// The columns: value, change, and from columnCells on the cells.
const columnCells = 2

// columnWidth returns the number of cells that column i takes; 0 for an empty column.
func (b *Bars) columnWidth(i int) (n int) {
	for j := range b.Bars {
		switch bar := &b.Bars[j]; {
		case i == 0:
			n = b.valueWidth()
		case i == 1 && !math.IsNaN(bar.Base):
			n = b.valueWidth() + 1
		case i >= columnCells:
			n = max(n, cell.Width(b.Charset.spell(at(bar.Cells, i-columnCells))))
		}
	}
	if n > 0 {
		n = max(n, cell.Width(b.Charset.spell(at(b.Heads, i+1))))
	}
	return n
}

func (b *Bars) valueWidth() int {
	if b.Percent {
		return len("100.0")
	}
	return LabelWidth
}

// DrawTo draws the chart in w by h cells into f, reusing its memory, one bar a row. If some bars do
// not fit, the last row says how many.
func (b *Bars) DrawTo(f *Frame, w, h int) {
	f.resize(w, h)
	if f.W == 0 || f.H == 0 {
		return
	}
	l, top := b.layout(f.W), 0
	if b.Heads != nil {
		l.heads(f, b.Charset, at(b.Heads, 0), func(i int) string { return at(b.Heads, i+1) })
		top = 1
	}
	first, rows := f.seen(top, b.First, len(b.Bars))
	for y := range rows {
		b.row(f, top+y, &b.Bars[first+y], l)
	}
	if b.Charset == ASCII {
		f.ascii()
	}
}

func (b *Bars) row(f *Frame, y int, bar *Bar, l rowLayout) {
	text := f.rowLabel(y, l.label, bar.Label, bar.Worst, bar.Few, b.Charset)
	b.bar(f, l.from, y, l.middle, bar)
	l.each(func(i, x, n int) {
		switch i {
		case 0:
			f.textRight(x, y, n, known(bar.Value, b.number(bar.Value)), text)
		case 1:
			b.change(f, x, y, n, bar)
		default:
			f.textRight(x, y, n, b.Charset.spell(at(bar.Cells, i-columnCells)), Style{Role: Axis})
		}
	})
}

// bar draws a bar in eighths of cells (whole cells in ASCII), and the baseline as a tick.
func (b *Bars) bar(f *Frame, x, y, w int, bar *Bar) {
	if w < 1 {
		return
	}
	style := Style{Data, b.Number}
	switch {
	case bar.Worst:
		style = Style{Worst, b.Number}
	case bar.Few:
		style = Style{Faint, b.Number}
	}
	eighths := int(b.part(bar.Value)*float64(8*w) + 0.5)
	if b.Charset == ASCII {
		eighths = (eighths + 4) / 8 * 8
	}
	for i := range eighths / 8 {
		f.set(x+i, y, b.Charset.rune('█'), style)
	}
	if rest := eighths % 8; rest > 0 {
		f.set(x+eighths/8, y, '█'+rune(8-rest), style)
	}
	if finite(bar.Base) {
		at := min(int(b.part(bar.Base)*float64(w)), w-1)
		f.set(x+at, y, b.Charset.rune('│'), Style{Role: Ref})
	}
}

// part returns v as a part of a full bar, 0..1; 0 for a value that is not finite.
func (b *Bars) part(v float64) float64 {
	full := b.Max
	if !(full > 0) || !finite(full) {
		full = 1
	}
	if !finite(v) {
		return 0
	}
	return max(0, min(1, v/full))
}

// number formats v in at most valueWidth cells.
func (b *Bars) number(v float64) string {
	if b.Percent && math.Abs(v) < 9.9995 {
		return strconv.FormatFloat(100*v, 'f', 1, 64)
	}
	return cell.Cut(Format(v), b.valueWidth())
}

// change writes the difference from the baseline with its sign, which says the same as the colour
// of the role.
func (b *Bars) change(f *Frame, x, y, w int, bar *Bar) {
	d := bar.Value - bar.Base
	if !finite(d) {
		return
	}
	s := b.number(d)
	role := Plain
	switch {
	case !strings.ContainsAny(s, "123456789"):
		s = "="
	case (d > 0) != b.LowerIsBetter:
		role = Better
	default:
		role = Worse
	}
	if d > 0 && s != "=" {
		s = "+" + s
	}
	f.textRight(x, y, w, s, Style{Role: role})
}
