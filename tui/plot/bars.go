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
	Value float64 // not finite: no bar, and "nan" as its value
	Base  float64 // the baseline's value; NaN for none
	Count int     // number of samples behind it; negative for none
	Worst bool    // marked by a glyph as well as by its role
}

// Bars is a horizontal bar chart from 0 to Max.
type Bars struct {
	Bars          []Bar
	Max           float64 // value of a full bar; 0 means 1
	Percent       bool    // write values and changes times 100 with one decimal
	LowerIsBetter bool    // a loss: decides which changes are Better and Worse
	First         int     // first bar shown, for scrolling
	Number        uint8   // series number of the bars' style
	Charset       Charset // Lines and Braille draw alike
}

// barLayout holds the widths of a row's parts; 0 leaves a part out. The bar
// comes between the label and the value.
type barLayout struct{ label, bar, value, change, count int }

// layout drops the count, then the change, then the value, then shortens the
// label, so that the bar stays readable as w shrinks.
func (b *Bars) layout(w int) barLayout {
	var l barLayout
	for _, bar := range b.Bars {
		l.label = max(l.label, cell.Width(b.Charset.spell(bar.Label)))
		if bar.Count >= 0 {
			l.count = max(l.count, len(strconv.Itoa(bar.Count)))
		}
		if !math.IsNaN(bar.Base) {
			l.change = b.changeWidth()
		}
	}
	l.label = min(l.label, w/3)
	l.value = b.valueWidth()
	const leastBar = 10
	for _, part := range [...]*int{&l.count, &l.change, &l.value} {
		if l.bar = w - l.fixed(); l.bar >= leastBar {
			return l
		}
		*part = 0
	}
	l.bar = max(0, w-l.fixed())
	return l
}

// fixed is the width of everything but the bar: each part with the blank that
// sets it off, which after the label holds the worst mark.
func (l barLayout) fixed() int {
	n := 0
	for _, part := range [...]int{l.label, l.value, l.change, l.count} {
		if part > 0 {
			n += part + 1
		}
	}
	return n
}

func (b *Bars) valueWidth() int {
	if b.Percent {
		return len("100.0")
	}
	return LabelWidth
}

func (b *Bars) changeWidth() int { return b.valueWidth() + 1 }

// DrawTo draws the chart in w by h cells into f, reusing its memory, one bar a
// row. When bars are left over the last row says how many.
func (b *Bars) DrawTo(f *Frame, w, h int) {
	f.Resize(w, h)
	if f.W == 0 || f.H == 0 {
		return
	}
	l := b.layout(f.W)
	first := max(0, min(b.First, len(b.Bars)-1))
	rows := min(f.H, len(b.Bars)-first)
	if left := len(b.Bars) - first - rows; left > 0 {
		rows--
		f.text(0, rows, f.W, "+"+strconv.Itoa(left+1)+" more", Style{Role: Axis})
	}
	for y := range rows {
		b.row(f, y, &b.Bars[first+y], l)
	}
	if b.Charset == ASCII {
		f.ascii()
	}
}

func (b *Bars) row(f *Frame, y int, bar *Bar, l barLayout) {
	text := Style{}
	if bar.Worst {
		text.Role = Worst
	}
	f.text(0, y, l.label, cell.Cut(b.Charset.spell(bar.Label), l.label), text)
	x := l.label
	if bar.Worst {
		f.set(x, y, b.Charset.rune('◂'), text)
	}
	if l.label > 0 {
		x++
	}
	b.bar(f, x, y, l.bar, bar)
	x += l.bar + 1
	if l.value > 0 {
		f.textRight(x, y, l.value, b.number(bar.Value), text)
		x += l.value + 1
	}
	if l.change > 0 {
		b.change(f, x, y, l.change, bar)
		x += l.change + 1
	}
	if l.count > 0 && bar.Count >= 0 {
		f.textRight(x, y, l.count, strconv.Itoa(bar.Count), Style{Role: Axis})
	}
}

// bar fills eighths of cells (whole cells in ASCII) and ticks the baseline.
func (b *Bars) bar(f *Frame, x, y, w int, bar *Bar) {
	if w < 1 {
		return
	}
	style := Style{Data, b.Number}
	if bar.Worst {
		style = Style{Worst, b.Number}
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

// part is v as a part of a full bar, 0..1; 0 for a value that is not finite.
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

// number fits valueWidth.
func (b *Bars) number(v float64) string {
	if b.Percent && math.Abs(v) < 9.9995 {
		return strconv.FormatFloat(100*v, 'f', 1, 64)
	}
	return cell.Cut(Format(v), b.valueWidth())
}

// change writes the difference from the baseline with its sign; the sign says
// what the role's colour says.
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

// Fingerprint is equal for two bar charts that look the same at one size.
func (b *Bars) Fingerprint(w, h int) uint64 {
	f := hash{}.ints(w, h, bit(b.Percent)+2*bit(b.LowerIsBetter), b.First, int(b.Number), int(b.Charset))
	f = f.floats(b.Max)
	for _, bar := range b.Bars {
		f = f.text(bar.Label).floats(bar.Value, bar.Base).ints(bar.Count, bit(bar.Worst))
	}
	return f.sum
}
