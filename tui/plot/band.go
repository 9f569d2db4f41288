package plot

import (
	"math"
	"slices"
)

// BandPoint is one column of a band. N is the number of seeds with a finite value there. Lo and Hi
// are NaN below two seeds, since a single run supports no interval; Mean is NaN without seeds.
type BandPoint struct {
	X, Mean, Lo, Hi float64
	N               int
}

// Points returns the points of the band in n columns of the view, none without seeds. They are
// valid until the next call. Seeds are aligned by x: the value of a seed in a column is the mean of
// its points there, or lies on the straight line between its neighbours if it has no points there.
// A seed has no value before its first point, after its last and within a break. The interval is
// mean ± HalfWidth(N)·s/√N of these values. Where seeds were cut short or diverged, N is smaller
// and the drawn band says less.
func (l *Line) Points(view Range, n int) (list []BandPoint) {
	view = view.usable(Scale{})
	if n < 1 || len(l.Seeds) == 0 {
		return nil
	}
	merged := func(s *Series) bool { return s == nil || s.per > 1 }
	if l.MapX == nil && len(l.Seeds) <= mostCachedSeeds && !slices.ContainsFunc(l.Seeds, merged) {
		return l.cachedPoints(view, n)
	}
	values := make([]float64, n*len(l.Seeds))
	var c columns
	for i, s := range l.Seeds {
		s.sample(&c, view, n, l.MapX)
		c.values(values[i*n:(i+1)*n], 0)
	}
	half := l.halfWidths()
	for j := range n {
		list = append(list, interval(values[j:], n, half, view, j))
	}
	return list
}

// halfWidths returns HalfWidth for each number of seeds; NaN where there is none.
func (l *Line) halfWidths() []float64 {
	half := make([]float64, len(l.Seeds)+1)
	for k := range half {
		half[k] = math.NaN()
		if k >= 2 && l.HalfWidth != nil {
			half[k] = l.HalfWidth(k)
		}
	}
	return half
}

// values sets dst to the value of the series in each column, NaN where it has none. Columns before
// from have not changed since the last call. So it leaves the values as they are up to the last of
// these columns that holds points, and returns the column after that.
func (c *columns) values(dst []float64, from int) (first int) {
	prev, y, ok := c.before.pos, c.before.y, c.before.ok && !c.before.brk
	for i := from - 1; i >= 0; i-- {
		if b := &c.cols[i]; b.count() > 0 {
			prev, y, ok = float64(i), b.Mean, b.N > 0
			first = i + 1
			break
		}
	}
	for i := first; i < len(dst); i++ {
		dst[i] = math.NaN()
		b := &c.cols[i]
		if b.count() == 0 {
			continue
		}
		if b.N > 0 {
			dst[i] = b.Mean
			if ok && !b.Break {
				between(dst, prev, y, float64(i), b.Mean)
			}
		}
		prev, y, ok = float64(i), b.Mean, b.N > 0
	}
	if ok && c.after.ok && !c.after.brk {
		between(dst, prev, y, c.after.pos, c.after.y)
	}
	return first
}

// between sets the elements strictly between positions x0 and x1 to the
// straight line between them.
func between(dst []float64, x0, y0, x1, y1 float64) {
	for i := max(0, int(math.Floor(max(x0, -1)))+1); i < len(dst) && float64(i) < x1; i++ {
		dst[i] = lerp(y0, y1, (float64(i)-x0)/(x1-x0))
	}
}

// interval returns the band point of column j of stride columns. The values of the seeds there are
// every stride-th of values, from the first; half is HalfWidth by n.
func interval(values []float64, stride int, half []float64, view Range, j int) BandPoint {
	x := view.Lo + (float64(j)+0.5)/float64(stride)*(view.Hi-view.Lo)
	p := BandPoint{X: x, Lo: math.NaN(), Hi: math.NaN()}
	for i := 0; i < len(values); i += stride {
		if v := values[i]; !math.IsNaN(v) {
			p.N++
			p.Mean += (v - p.Mean) / float64(p.N)
		}
	}
	if p.N == 0 {
		p.Mean = math.NaN()
	}
	if p.N < 2 {
		return p
	}
	norm := 0.0 // Hypot, because squares overflow
	for i := 0; i < len(values); i += stride {
		if v := values[i]; !math.IsNaN(v) {
			norm = math.Hypot(norm, v-p.Mean)
		}
	}
	n := float64(p.N)
	width := half[p.N] * norm / math.Sqrt(n*(n-1))
	p.Lo, p.Hi = p.Mean-width, p.Mean+width
	return p
}

// bandColumns sets c to the means of the points, from which the line of the band is traced.
func bandColumns(c *columns, points []BandPoint) {
	c.reset(len(points))
	for i, p := range points {
		if p.N > 0 {
			c.cols[i] = pointBucket(p.X, p.Mean, i > 0 && points[i-1].N == 0)
		}
	}
}
