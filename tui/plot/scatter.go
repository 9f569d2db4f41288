package plot

import (
	"slices"

	"drolab/runner/page"
	"drolab/tui/cell"
)

// Scatter is a chart of points in two measures: each has its mark, a cross for its intervals and,
// where there is room, its name. What is behind the front is dimmed.
type Scatter struct {
	Of      *page.Scatter
	Charset Charset // Lines and Braille draw alike
}

// Hidden are the points that a drawing of a Scatter does not name, by their index.
type Hidden struct {
	Unnamed []int // without room for their name
	Covered []int // under the mark of another point
}

// scatterSpot is a point with its cell.
type scatterSpot struct {
	place
	page.ScatterPoint
	index int
	style Style
}

// DrawTo draws the chart in w by h cells into f, reusing its memory, with the axes of a Chart. The
// name of Y is left to the caller, who has room for it above the chart.
func (s *Scatter) DrawTo(f *Frame, w, h int) (hidden Hidden) {
	x0, x1, y0, y1 := s.Of.Bounds()
	p, ok := (&Chart{X: s.fit(s.Of.X, x0, x1), Y: s.fit(s.Of.Y, y0, y1),
		Charset: s.Charset}).newDrawing(f, w, h)
	if !ok {
		return hidden
	}
	p.front(s.Of)
	var spots []scatterSpot
	for _, front := range [...]bool{false, true} { // the front is drawn last
		for i, of := range s.Of.Points {
			if of.Front == front {
				style := lineStyle(uint8(of.Mark-1), !front)
				at := p.cellAt(s.Of.X.Shown(of.X), s.Of.Y.Shown(of.Y))
				spots = append(spots, scatterSpot{at, of, i, style})
			}
		}
	}
	for _, spot := range spots {
		p.cross(s.Of, spot)
	}
	var drawn []uint8
	for _, spot := range spots {
		drawn = append(drawn, spot.style.Series)
	}
	at := map[place]int{} // the spot that is seen in a cell
	for k, spot := range spots {
		if under, taken := at[spot.place]; taken {
			hidden.Covered = append(hidden.Covered, spots[under].index)
		}
		at[spot.place] = k
		mark := cell.Spot(int(spot.style.Series), drawn, s.Charset == ASCII)
		p.f.set(p.x0+spot.x, spot.y, mark, spot.style)
	}
	for k := len(spots) - 1; k >= 0; k-- {
		if at[spots[k].place] == k && !p.nameSpot(spots[k]) {
			hidden.Unnamed = append(hidden.Unnamed, spots[k].index)
		}
	}
	p.axes()
	name := " " + s.Charset.spell(s.Of.X.Label())
	if n := cell.Width(name); p.h < p.f.H && n < p.w {
		p.f.text(p.f.W-n, p.h, n, name, Style{Role: Axis})
	}
	return hidden
}

// fit returns an axis with round ends.
func (s *Scatter) fit(a page.ScatterAxis, lo, hi float64) Range {
	r := Range{}.Fit(Range{lo, hi}, Scale{})
	if a.Percent {
		return r.clip(Range{0, 100})
	}
	return r
}

// cellAt returns the cell of a pair of shown values, or the nearest one in view.
func (p *drawing) cellAt(x, y float64) place {
	row, _ := p.row(y)
	return place{p.nearest(x, p.w), max(0, min(p.h-1, row))}
}

// front draws the front as dots, which tell it from the lines of crosses.
func (p *drawing) front(s *page.Scatter) {
	corners := s.Front(p.view.Lo, p.view.Hi, p.chart.Y.Lo, p.chart.Y.Hi)
	for i := 1; i < len(corners); i++ {
		a, b := p.cellAt(corners[i-1][0], corners[i-1][1]), p.cellAt(corners[i][0], corners[i][1])
		eachStep(a.x, a.y, b.x, b.y, func(x, y int) {
			p.f.set(p.x0+x, y, '·', Style{Role: Ref})
		})
	}
}

// cross draws the intervals of a point as far as they are in view.
func (p *drawing) cross(s *page.Scatter, spot scatterSpot) {
	x, y := s.X.Shown(spot.X), s.Y.Shown(spot.Y)
	if half := s.X.Shown(spot.HalfX); finite(half) {
		for column := p.nearest(x-half, p.w); column <= p.nearest(x+half, p.w); column++ {
			p.f.set(p.x0+column, spot.place.y, '─', spot.style)
		}
	}
	if half := s.Y.Shown(spot.HalfY); finite(half) {
		for row := p.cellAt(x, y+half).y; row <= p.cellAt(x, y-half).y; row++ {
			p.f.set(p.x0+spot.place.x, row, '│', spot.style)
		}
	}
}

// nameSpot writes the name of a point beside its mark, where it covers nothing but blanks, the
// front and, if there is no other room, crosses; or else a line above or below. It reports whether
// there was room.
func (p *drawing) nameSpot(spot scatterSpot) bool {
	name := p.chart.Charset.spell(spot.Name)
	n := cell.Width(name)
	for _, dy := range [...]int{0, -1, 1} {
		for _, overCrosses := range [...]bool{false, true} {
			for _, x := range [...]int{spot.place.x + 2, spot.place.x - n - 1} {
				y := spot.place.y + dy
				if y < 0 || y >= p.h || x < 0 || x+n > p.w {
					continue
				}
				// The blank cells on either side part it from other marks and names.
				lo, hi := max(0, x-1), min(p.w, x+n+1)
				if dy == 0 && x < spot.place.x {
					hi = spot.place.x
				}
				if p.freeForName(lo, y, hi-lo, overCrosses) {
					p.f.text(p.x0+x, y, n, name, spot.style)
					return true
				}
			}
		}
	}
	return false
}

// freeForName reports whether n cells from plot column x hold no mark and no name, and no cross
// unless names may cover crosses.
func (p *drawing) freeForName(x, y, n int, overCrosses bool) bool {
	return !slices.ContainsFunc(p.f.Row(y)[p.x0+x:p.x0+x+n], func(c Cell) bool {
		cross := c.Rune == '─' || c.Rune == '│'
		return c.Rune != ' ' && c.Style.Role != Ref && !(cross && overCrosses)
	})
}
