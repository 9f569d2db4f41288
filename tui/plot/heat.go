package plot

import (
	"math"
	"slices"

	"drolab/runner/page"
	"drolab/tui/cell"
)

// filmColumns is the maximum number of moments in a film, which bounds its memory: more evaluations
// than a large screen has columns.
const filmColumns = 1 << 9

// Film is a list of values at each of many moments, such as the accuracy of every class at every
// evaluation. At most 512 moments are kept. When they are full, every second one is dropped; from
// then on only every second, fourth, ... is stored, and the latest. The zero value is empty.
type Film struct {
	at     []float64
	values [][]float32
	stride int
	skip   int
	loose  bool // the last moment is kept only until the next
}

// Append adds the values at x, which does not decrease. They are copied.
func (f *Film) Append(x float64, values []float64) {
	if f.loose {
		f.at, f.values = f.at[:len(f.at)-1], f.values[:len(f.values)-1]
	}
	if len(f.at) == filmColumns {
		f.thin()
	}
	list := make([]float32, len(values))
	for i, v := range values {
		list[i] = float32(v)
	}
	f.at, f.values = append(f.at, x), append(f.values, list)
	if f.loose = f.skip > 0; f.loose {
		f.skip--
	} else {
		f.skip = max(f.stride, 1) - 1
	}
}

func (f *Film) thin() {
	for i := range filmColumns / 2 {
		f.at[i], f.values[i] = f.at[2*i], f.values[2*i]
	}
	f.at, f.values = f.at[:filmColumns/2], f.values[:filmColumns/2]
	f.stride = 2 * max(f.stride, 1)
}

// Rewind discards the moments above x, as a resume does.
func (f *Film) Rewind(x float64) {
	n := len(f.at)
	for n > 0 && f.at[n-1] > x {
		n--
	}
	if n < len(f.at) {
		f.at, f.values, f.loose = f.at[:n], f.values[:n], false
	}
}

// Each calls do for every value, moment by moment; a nil film has no values.
func (f *Film) Each(do func(x float64, place int, value float64)) {
	if f == nil {
		return
	}
	for i, list := range f.values {
		for place, v := range list {
			do(f.at[i], place, float64(v))
		}
	}
}

// Len returns the number of moments kept.
func (f *Film) Len() int { return len(f.at) }

// Range returns the range of all values.
func (f *Film) Range() Range {
	r := EmptyRange()
	for _, list := range f.values {
		for _, v := range list {
			r = r.Add(float64(v))
		}
	}
	return r
}

// HeatLevels is the number of levels of a map.
const HeatLevels = 9

// HeatMap is a map of a film, with a row for each place and x from left to right.
type HeatMap struct {
	Film    *Film
	Labels  []string // of the rows; nil leaves them out
	Order   []int    // the places of the rows, from the top; nil keeps their order
	X       Range
	Values  Range // the values that the lowest and the highest level stand for
	Log     bool  // levels are evenly spaced in the logarithm
	Percent bool  // values are written times 100
	First   int   // first row shown, for scrolling
	Head    string
	Cross   Cross
	Mark    int  // the place whose label is marked; -1 for none
	Shades  bool // levels are shades of one colour
	Charset Charset

	levels mapping // of Values, while it is drawn
}

// LabelCells returns the width of the labels in a map w cells wide, with a mark and a blank; 0
// without labels.
func (h *HeatMap) LabelCells(w int) (n int) {
	for _, s := range h.Labels {
		n = max(n, cell.Width(h.Charset.spell(s)))
	}
	if n = min(n, w/3); n > 0 {
		n += 2
	}
	return n
}

// DrawTo draws the map in w by rows cells into f: a row with the heading, the rows of the places
// and below them, if there is room, a key to the colours.
func (h *HeatMap) DrawTo(f *Frame, w, rows int) {
	f.resize(w, rows)
	if f.W == 0 || f.H == 0 {
		return
	}
	h.levels = Scale{}.over(h.Values)
	if h.Log {
		h.levels = Scale{Kind: Log10}.over(h.Values)
	}
	x0 := h.LabelCells(f.W)
	f.text(x0, 0, f.W-x0, h.Charset.spell(h.Head), Style{})
	order := h.order()
	first := max(0, min(h.First, len(order)-1))
	room := f.H - 1
	key := room >= 5 && room > len(order)-first
	if key {
		room--
	}
	shown := min(room, len(order)-first)
	high := max(1, min(mostHigh, room/max(1, shown)))
	for y := range max(0, shown) * high {
		h.row(f, x0, y+1, order[first+y/high], y%high == 0)
	}
	if key {
		h.key(f, x0, f.H-1)
	}
	if h.Charset == ASCII {
		f.ascii()
	}
}

func (h *HeatMap) order() []int {
	if h.Order != nil {
		return h.Order
	}
	n := 0
	for _, list := range h.Film.values {
		n = max(n, len(list))
	}
	return page.Count(n)
}

// mostHigh is the maximum height of a row, in cells.
const mostHigh = 3

func (h *HeatMap) row(f *Frame, x0, y, place int, named bool) {
	if place < len(h.Labels) && x0 > 0 && named {
		f.rowLabel(y, x0-2, h.Labels[place], place == h.Mark, false, h.Charset)
	}
	cross := h.column(h.Cross.X, f.W-x0)
	for x := range f.W - x0 {
		v, ok := h.at(x, f.W-x0, place)
		switch {
		case h.Cross.On && x == cross:
			f.set(x0+x, y, h.Charset.rune('│'), Style{Role: Hair})
		case ok:
			f.set(x0+x, y, h.rune(h.level(v)), Style{Heat, uint8(h.level(v))})
		}
	}
}

func (h *HeatMap) column(x float64, w int) int {
	r := h.X.usable(Scale{})
	if !r.Contains(x) {
		return -1
	}
	return min(int((x-r.Lo)/(r.Hi-r.Lo)*float64(w)), w-1)
}

// at returns the value of a place in a column. Of several moments in the column, it takes the value
// that is farthest from the middle level. If there is none, it takes the last moment before. There
// is no value before the first moment or behind the last.
func (h *HeatMap) at(x, w, place int) (v float64, ok bool) {
	r, at := h.X.usable(Scale{}), h.Film.at
	edge := func(x int) float64 { return lerp(r.Lo, r.Hi, float64(x)/float64(w)) }
	end, _ := slices.BinarySearch(at, edge(x+1))
	if x == w-1 {
		end, _ = slices.BinarySearch(at, math.Nextafter(r.Hi, math.Inf(1)))
	}
	if len(at) == 0 || edge(x) > at[len(at)-1] {
		return 0, false
	}
	begin, _ := slices.BinarySearch(at, edge(x))
	if begin >= end { // between two evaluations
		begin = end - 1
	}
	if begin < 0 {
		return 0, false
	}
	best := math.Inf(-1)
	for i := begin; i < end; i++ {
		if place >= len(h.Film.values[i]) {
			continue
		}
		u := float64(h.Film.values[i][place])
		if far := math.Abs(h.part(u) - 0.5); finite(u) && far > best {
			v, ok, best = u, true, far
		}
	}
	return v, ok
}

// part returns the position of a value in Values, 0 to 1; 0 where the scale has no place for it.
func (h *HeatMap) part(v float64) float64 {
	t := h.levels.at(v)
	if math.IsNaN(t) {
		return 0
	}
	return max(0, min(1, t))
}

// level returns the level of a value.
func (h *HeatMap) level(v float64) int { return min(int(h.part(v)*HeatLevels), HeatLevels-1) }

// Glyph returns the character that a level is drawn with.
func (h *HeatMap) Glyph(level int) string { return string(h.rune(level)) }

func (h *HeatMap) rune(level int) rune {
	shades := []rune("··░░▒▒▓▓█")
	if h.Charset == ASCII {
		shades = []rune("..,:;+*#@")
	}
	if h.Shades {
		return shades[level]
	}
	return '█'
}

// key draws the levels between the lowest and the highest value that they stand for.
func (h *HeatMap) key(f *Frame, x, y int) {
	write := func(v float64) string { return trimZeros(Format(v)) }
	if h.Percent {
		write = func(v float64) string { return trimZeros(Format(100 * v)) }
	}
	x += f.text(x, y, f.W-x, write(h.Values.Lo)+" ", Style{Role: Axis})
	for level := range HeatLevels {
		f.set(x+level, y, h.rune(level), Style{Heat, uint8(level)})
	}
	f.text(x+HeatLevels, y, f.W-x-HeatLevels, " "+write(h.Values.Hi), Style{Role: Axis})
}
