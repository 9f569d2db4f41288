package plot

import (
	"math"
	"strconv"
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
		return known(bar.Value, b.number(bar.Value)), bar.style()
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
	switch text = b.number(d); {
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

// Histogram is a chart of the counts in some bins: upright bars side by side, one for each bin.
type Histogram struct {
	Counts  []float64
	Ticks   []string // labels below the left edges of the bins; "" for none
	At      int      // the bin whose tick at the left edge stands out; -1 for none
	Number  uint8    // series number of the colour
	Charset Charset
}

// histogramAxis is the number of rows below the bars.
const histogramAxis = 2

// share returns the part of the total count that is in bin i; 0 without a finite, positive total.
func (h *Histogram) share(i int) float64 {
	sum := 0.0
	for _, n := range h.Counts {
		sum += max(0, n)
	}
	if !(sum > 0) || !finite(sum) || !finite(h.Counts[i]) {
		return 0
	}
	return max(0, h.Counts[i]) / sum
}

// DrawTo draws the histogram in w by rows cells into f, reusing its memory.
func (h *Histogram) DrawTo(f *Frame, w, rows int) {
	if !f.resize(w, rows) || f.H <= histogramAxis || len(h.Counts) == 0 {
		return
	}
	top := 0.0
	for i := range h.Counts {
		top = max(top, h.share(i))
	}
	gutter := len("100%")
	if f.W < 3*gutter {
		gutter = 0
	}
	room, high := f.W-gutter, f.H-histogramAxis
	f.textRight(0, 1, gutter, percentOf(top), Style{Role: Axis})
	edge := func(i int) int { return gutter + i*room/len(h.Counts) }
	for i := range h.Counts {
		h.bar(f, edge(i), edge(i+1), high, h.share(i), top)
	}
	h.axis(f, edge, high)
	f.finish(h.Charset)
}

func percentOf(part float64) string {
	return strconv.FormatFloat(math.Round(100*part), 'f', -1, 64) + "%"
}

// bar draws one bar with its share above it, a blank apart from the next bar where there is room.
// The highest bar leaves a row for its share.
func (h *Histogram) bar(f *Frame, x0, x1, high int, share, top float64) {
	const steps = 8 // of a cell's height
	if x1-x0 > 2 {
		x1--
	}
	fill := 0
	if top > 0 {
		fill = int(math.Ceil(share / top * float64(steps*max(0, high-1))))
	}
	blocks := []rune(" ▁▂▃▄▅▆▇█")
	if h.Charset == ASCII {
		blocks = []rune(" ########")
	}
	for y := high - 1; y >= 0 && fill > 0; y-- {
		for x := x0; x < x1; x++ {
			f.set(x, y, blocks[min(fill, steps)], Style{Data, h.Number})
		}
		fill -= steps
	}
	if text := percentOf(share); share > 0 && x1-x0 >= len(text) {
		filled := int(math.Ceil(share / top * float64(max(0, high-1))))
		f.text(x0, max(0, high-1-filled), x1-x0, text, Style{Role: Axis})
	}
}

// axis draws the line below the bars, and the ticks for which there is room.
func (h *Histogram) axis(f *Frame, edge func(int) int, y int) {
	axis, free := Style{Role: Axis}, 0
	for x := edge(0); x < f.W; x++ {
		f.set(x, y, '─', axis)
	}
	for i, text := range h.Ticks {
		st := axis
		if i == h.At {
			st = Style{}
		}
		if x := edge(i); i < len(h.Counts) && text != "" && x >= free {
			f.set(x, y, '┬', st)
			free = x + 1 + f.text(x, y+1, f.W-x, h.Charset.spell(text), st)
		}
	}
}
