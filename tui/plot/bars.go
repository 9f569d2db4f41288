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
		if !l.addColumn(n, leastBar) && n > 0 && i < columnCells {
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
			n = max(n, cell.Width(b.Charset.spell(nth(bar.Cells, i-columnCells))))
		}
	}
	if n > 0 {
		n = max(n, cell.Width(b.Charset.spell(nth(b.Heads, i+1))))
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
		l.heads(f, b.Charset, b.Heads)
		top = 1
	}
	first, rows := f.visibleRows(top, b.First, len(b.Bars))
	for y := range rows {
		b.row(f, top+y, &b.Bars[first+y], l)
	}
	f.finish(b.Charset)
}

func (b *Bars) row(f *Frame, y int, bar *Bar, l rowLayout) {
	text := f.rowLabel(y, l.label, bar.Label, bar.Worst, bar.Few, b.Charset)
	b.bar(f, l.from, y, l.middle, bar)
	l.eachColumn(func(i, x, n int) {
		switch i {
		case 0:
			f.textRight(x, y, n, known(bar.Value, b.number(bar.Value)), text)
		case 1:
			b.change(f, x, y, n, bar)
		default:
			f.textRight(x, y, n, b.Charset.spell(nth(bar.Cells, i-columnCells)), Style{Role: Axis})
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
	f.resize(w, rows)
	if f.W == 0 || f.H <= histogramAxis || len(h.Counts) == 0 {
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
