package plot

import (
	"cmp"
	"math"
	"sort"

	"drolab/runner/page"
	"drolab/tui/cell"
)

// HeatLevels is the number of levels of a map.
const HeatLevels = 9

// HeatMap is a map of a film, with a row for each place and x from left to right.
type HeatMap struct {
	Film   *Film
	Labels []string // of the rows; nil leaves them out
	// Label is the width of the labels with a mark and a blank; 0 is that of LabelCells.
	Label int
	Order []int // the places of the rows, from the top; nil keeps their order
	X     Range
	// Ticks returns the labels of x, at most so many; nil for none.
	Ticks   func(most int) []AxisTick
	Values  Range // the values that the lowest and the highest level stand for
	Log     bool  // levels are evenly spaced in the logarithm
	Percent bool  // values are written times 100
	First   int   // first row shown, for scrolling
	Head    string
	Cross   Cross
	Mark    int  // the place whose label is marked; -1 for none
	Shades  bool // levels are shades of one colour
	Charset Charset

	levels mapping  // of Values, while it is drawn
	labels []string // Labels in their room, while it is drawn
}

// LabelCells returns the width of the labels in a map w cells wide, with a mark and a blank; 0
// without labels.
func (h *HeatMap) LabelCells(w int) (n int) {
	_, n = h.Charset.shorten(h.Labels, w/3)
	if n > 0 {
		n += 2
	}
	return n
}

// DrawTo draws the map in w by rows cells into f: a row with the heading, the rows of the places
// and below them, if there is room, the ticks of x and a key to the colours.
func (h *HeatMap) DrawTo(f *Frame, w, rows int) {
	if !f.resize(w, rows) {
		return
	}
	h.levels = Scale{}.mapping(h.Values)
	if h.Log {
		h.levels = Scale{Kind: Log10}.mapping(h.Values)
	}
	x0 := cmp.Or(h.Label, h.LabelCells(f.W))
	h.labels, _ = h.Charset.shorten(h.Labels, x0-2)
	f.text(x0, 0, f.W-x0, cell.Cut(h.Charset.spell(h.Head), f.W-x0), Style{})
	order := h.order()
	first := max(0, min(h.First, len(order)-1))
	room, left := f.H-1, len(order)-first
	key := room >= 5 && room > left
	if key {
		room--
	}
	ticks := key && room > left && h.Ticks != nil
	if ticks {
		room--
	}
	shown := max(0, min(room, left))
	if shown < left {
		shown = max(0, shown-1)
		f.text(0, f.H-1, f.W, moreText(left-shown), Style{Role: Axis})
	}
	start := share(room, shown)
	for i := range shown {
		for y := start(i); y < start(i+1); y++ {
			h.row(f, x0, y+1, order[first+i], y == start(i))
		}
	}
	below := 1 + start(shown)
	if ticks {
		h.ticks(f, x0, below)
		below++
	}
	if key {
		h.key(f, x0, below)
	}
	f.finish(h.Charset)
}

func (h *HeatMap) order() []int {
	if h.Order != nil {
		return h.Order
	}
	n := 0
	for _, m := range h.Film.items {
		n = max(n, len(m.values))
	}
	return page.Indices(n)
}

func (h *HeatMap) row(f *Frame, x0, y, place int, named bool) {
	if place < len(h.Labels) && x0 > 0 && named {
		f.rowLabel(y, x0-2, h.labels[place], &Row{Worst: place == h.Mark},
			h.Charset)
	}
	cross, crosses := h.X.usable(Scale{}).column(h.Cross.X, f.W-x0)
	for x := range f.W - x0 {
		v, ok := h.value(x, f.W-x0, place)
		switch {
		case h.Cross.On && crosses && x == cross:
			f.set(x0+x, y, '│', Style{Role: Hair})
		case ok:
			f.set(x0+x, y, h.Glyph(h.level(v)), Style{Heat, uint8(h.level(v))})
		}
	}
}

// value returns the value of a place in a column. Of several moments in the column, it takes the
// value that is farthest from the middle level. If there is none, it takes the last moment before.
// There is no value before the first moment or behind the last.
func (h *HeatMap) value(x, w, place int) (v float64, ok bool) {
	r, film := h.X.usable(Scale{}), h.Film.items
	edge := func(x int) float64 { return lerp(r.Lo, r.Hi, float64(x)/float64(w)) }
	from := func(x float64) int { // the first moment that is not before x
		return sort.Search(len(film), func(i int) bool { return film[i].x >= x })
	}
	begin, end := from(edge(x)), from(edge(x+1))
	if begin == len(film) {
		return 0, false
	}
	if x == w-1 {
		end = from(math.Nextafter(r.Hi, math.Inf(1)))
	}
	if begin >= end { // between two evaluations
		begin = end - 1
	}
	if begin < 0 {
		return 0, false
	}
	best := math.Inf(-1)
	for _, m := range film[begin:end] {
		if place >= len(m.values) {
			continue
		}
		u := float64(m.values[place])
		if far := math.Abs(h.part(u) - 0.5); finite(u) && far > best {
			v, ok, best = u, true, far
		}
	}
	return v, ok
}

// part returns the position of a value in Values, 0 to 1; 0 where the scale has no place for it.
func (h *HeatMap) part(v float64) float64 {
	t := h.levels.position(v)
	if math.IsNaN(t) {
		return 0
	}
	return max(0, min(1, t))
}

// level returns the level of a value.
func (h *HeatMap) level(v float64) int { return HeatLevel(h.part(v)) }

// HeatLevel returns the level of a value that lies at part, 0 to 1, between the ends of a map.
func HeatLevel(part float64) int { return max(0, min(int(part*HeatLevels), HeatLevels-1)) }

// Glyph returns the character that a level is drawn with.
func (h *HeatMap) Glyph(level int) rune {
	shades := []rune("··░░▒▒▓▓█")
	if h.Charset == ASCII {
		shades = []rune("..,:;+*#@")
	}
	if h.Shades {
		return shades[level]
	}
	return '█'
}

// ticks writes the ticks of x below the columns that they stand for, as far as they do not touch.
func (h *HeatMap) ticks(f *Frame, x0, y int) {
	const leastTicks = 3 // of two round values, one may lie outside
	width := f.W - x0
	view, free := h.X.usable(Scale{}), 0
	for _, t := range h.Ticks(max(leastTicks, width/(LabelWidth+3))) {
		x, ok := view.column(t.X, width)
		n := cell.Width(t.Label)
		at := max(0, min(x-n/2, width-n))
		if !ok || at < free || n > width {
			continue
		}
		free = at + 1 + f.text(x0+at, y, width-at, t.Label, Style{Role: Axis})
	}
}

// key draws the levels between the lowest and the highest value that they stand for.
func (h *HeatMap) key(f *Frame, x, y int) {
	times := 1.0
	if h.Percent {
		times = 100
	}
	write := func(v float64) string { return trimZeros(Format(times * v)) }
	lo, hi := write(h.Values.Lo), write(h.Values.Hi)
	if len(lo)+1+HeatLevels+1+len(hi) > f.W-x { // half a number would be another
		return
	}
	x += f.text(x, y, f.W-x, lo+" ", Style{Role: Axis})
	for level := range HeatLevels {
		f.set(x+level, y, h.Glyph(level), Style{Heat, uint8(level)})
	}
	f.text(x+HeatLevels, y, f.W-x-HeatLevels, " "+hi, Style{Role: Axis})
}
