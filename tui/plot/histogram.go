package plot

import (
	"math"
	"strconv"
)

// Histogram is a chart of the counts in some bins: upright bars side by side, one for each bin.
type Histogram struct {
	Counts  []float64
	Ticks   []string // labels below the left edges of the bins; "" for none
	Mark    int      // the bin whose tick at the left edge stands out; -1 for none
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
		if i == h.Mark {
			st = Style{}
		}
		if x := edge(i); i < len(h.Counts) && text != "" && x >= free {
			f.set(x, y, '┬', st)
			free = x + 1 + f.text(x, y+1, f.W-x, h.Charset.spell(text), st)
		}
	}
}
