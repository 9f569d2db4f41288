package plot

import (
	"strings"

	"drolab/tui/cell"
)

// Bar is one row of a bar chart: a class and its accuracy, say.
type Bar struct {
	Row
	Value float64 // NaN: none, written as a dash
	Base  float64 // the baseline's value; NaN for none
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
func (b *Bars) layout(w int) *rowLayout {
	l := &rowLayout{charset: b.Charset, heads: b.Heads}
	for i := range b.Bars {
		l.rows = append(l.rows, &b.Bars[i].Row)
	}
	l.addLabels(w)
	// A blank sets off each part; the blank after the label holds the mark.
	if l.label > 0 {
		l.from = l.label + 1
	}
	l.middle = w - l.from
	const leastBar = 10
	value := func(i int) (string, Style) {
		bar := &b.Bars[i]
		return orDash(bar.Value, b.number(bar.Value)), bar.style()
	}
	// Without the value or the change, no cell is shown: it would be taken for the value.
	if l.addColumn(b.valueWidth(), leastBar, value) &&
		l.addColumn(b.valueWidth()+1, leastBar, b.change) {
		l.addCells(max(leastBar, w/5))
	}
	l.middle = max(0, l.middle)
	return l
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
	if !f.resize(w, h) {
		return
	}
	l, top := b.layout(f.W), 0
	if b.Heads != nil {
		l.drawHeads(f)
		top = 1
	}
	l.drawRows(f, top, b.First, func(i, y int) { b.bar(f, l.from, y, l.middle, &b.Bars[i]) })
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
	eighths := int(partOf(bar.Value, b.Max)*float64(8*w) + 0.5)
	if b.Charset == ASCII {
		eighths = (eighths + 4) / 8 * 8
	}
	for i := range eighths / 8 {
		f.set(x+i, y, '█', style)
	}
	if rest := eighths % 8; rest > 0 {
		f.set(x+eighths/8, y, '█'+rune(8-rest), style)
	}
	if finite(bar.Base) {
		tick := min(int(partOf(bar.Base, b.Max)*float64(w)), w-1)
		f.set(x+tick, y, '│', Style{Role: Ref})
	}
}

// number formats v in at most valueWidth cells.
func (b *Bars) number(v float64) string {
	write := Format
	if b.Percent {
		write = Percent
	}
	return cell.Cut(write(v), b.valueWidth())
}

// change returns the difference from the baseline with its sign, which says the same as the colour
// of the role.
func (b *Bars) change(i int) (text string, style Style) {
	d := b.Bars[i].Value - b.Bars[i].Base
	text = b.number(d)
	switch {
	case !finite(d):
		return "", style
	case !strings.ContainsAny(text, "123456789"):
		return "=", style
	case d > 0:
		text = "+" + text
	}
	if (d > 0) != b.LowerIsBetter {
		return text, Style{Role: Better}
	}
	return text, Style{Role: Worse}
}
