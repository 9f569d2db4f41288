package plot

import (
	"math"
	"slices"
	"strings"

	"github.com/guptarohit/asciigraph"
)

// The default line style is asciigraph's. asciigraph panics on +Inf, on an empty series and on a
// huge range. It squeezes a constant series into one row, samples points (so that spikes vanish)
// and knows only the index as x. None of that can happen here. It is given one value for each
// column, which is already a pixel row, with the panel as its bounds, so that its own scaling is
// the identity. Axes and labels are drawn here. The vertical extents that one value for each column
// cannot show are added to its line afterwards.

// arms of a box-drawing rune, as bits.
const (
	armLeft = 1 << iota
	armRight
	armUp
	armDown
)

// boxRunes returns the box-drawing runes, indexed by their arms.
func boxRunes() []rune { return []rune(" ╴╶─╵╯╰┴╷╮╭┬│┤├┼") }

// boxLine draws the spans as arms into grid, a row of cells for each of h rows of
// pixels, with row 0 at the top; the grid must be zero. Segments alternate between two
// series of asciigraph, because a single one cannot break between neighbouring columns.
func boxLine(grid []uint8, spans []span, h int) {
	w, runes := len(spans), boxRunes()
	lo, hi := extent(spans)
	if hi < lo {
		return
	}
	for i, line := range strings.Split(graph(split(spans, lo), hi-lo), "\n") {
		y := h - 1 - hi + i
		x := -1 // the first rune is asciigraph's axis
		for _, r := range line {
			if x >= 0 && x < w && y >= 0 && y < h {
				grid[y*w+x] |= uint8(max(0, slices.Index(runes, r))) // 0 for any other rune
			}
			x++
		}
	}
	for x, s := range spans {
		if s.on && s.points && s.hi > s.lo {
			extend(grid, w, h, x, s)
		}
	}
}

// extend adds the vertical extent of the points of a column.
func extend(grid []uint8, w, h, x int, s span) {
	for r := s.lo; r <= s.hi; r++ {
		if r > s.lo {
			grid[(h-1-r)*w+x] |= armDown
		}
		if r < s.hi {
			grid[(h-1-r)*w+x] |= armUp
		}
	}
}

// extent returns the range of pixel rows that the line crosses; hi < lo if there are none.
func extent(spans []span) (lo, hi int) {
	lo, hi = math.MaxInt, -1
	for _, s := range spans {
		if s.on {
			lo, hi = min(lo, s.first, s.last), max(hi, s.first, s.last)
		}
	}
	return lo, hi
}

// split returns the rows above base at the left edges of the columns, NaN where there is no line.
// The segments between breaks alternate between two series. A series has one value more than there
// are columns, because asciigraph draws from each value to the next.
func split(spans []span, base int) [][]float64 {
	n, turn, none := len(spans), 0, []float64{math.NaN()}
	values := [][]float64{slices.Repeat(none, n+1), slices.Repeat(none, n+1)}
	for i, s := range spans {
		if !s.on {
			continue
		}
		if s.brk {
			turn = 1 - turn
		}
		values[turn][i] = float64(s.first - base)
	}
	if n > 0 && spans[n-1].on {
		values[turn][n] = float64(spans[n-1].last - base)
	}
	return values
}

// graph draws values in 0..top, one row a unit.
func graph(values [][]float64, top int) string {
	return asciigraph.PlotMany(values, asciigraph.Height(max(top, 1)), asciigraph.LowerBound(0),
		asciigraph.UpperBound(float64(top)), asciigraph.Offset(1),
		asciigraph.YAxisValueFormatter(func(float64) string { return "" }))
}
