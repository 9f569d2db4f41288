package plot

import (
	"math"
	"slices"
	"strconv"
)

// Band is the mean of several seeds with an interval of it.
type Band struct {
	Name  string
	Seeds []*Series
	// Half is the half width of the interval of n ≥ 2 seeds, in standard errors
	// of their mean; nil draws none.
	Half   func(n int) float64
	Number uint8                 // series number of its style
	Back   bool                  // see Line
	MapX   func(float64) float64 // see Line
}

// BandPoint is one column of a band. N seeds have a finite value there. Lo and
// Hi are NaN below two seeds, Mean too below one: an interval is not claimed
// from a single run.
type BandPoint struct {
	X, Mean, Lo, Hi float64
	N               int
}

// title is the band's name with the number of its seeds.
func (b *Band) title() string { return b.Name + " n" + strconv.Itoa(len(b.Seeds)) }

// PointsTo appends the band in n columns of the view to dst, nothing without
// seeds. Seeds are aligned
// by x: the value of a seed in a column is the mean of its points there, or the
// straight line between its neighbours where it has none; it has no value
// before its first point, after its last and within a break. The interval is
// mean ± Half(N)·s/√N of these values; where seeds were cut short or diverged N
// is smaller, and the drawn band says less.
func (b *Band) PointsTo(dst []BandPoint, view Range, n int) []BandPoint {
	return append(dst, b.points(view, n)...)
}

// points are those of PointsTo, until the next time they are asked for.
func (b *Band) points(view Range, n int) (list []BandPoint) {
	view = view.usable(Scale{})
	if n < 1 || len(b.Seeds) == 0 {
		return nil
	}
	merged := func(s *Series) bool { return s == nil || s.per > 1 }
	if b.MapX == nil && len(b.Seeds) <= mostCut && !slices.ContainsFunc(b.Seeds, merged) {
		return b.kept(view, n)
	}
	values := make([]float64, n*len(b.Seeds))
	var c columns
	for i, s := range b.Seeds {
		s.sample(&c, view, n, b.MapX)
		c.values(values[i*n:(i+1)*n], 0)
	}
	half := b.halves()
	for j := range n {
		list = append(list, interval(values[j:], n, half, view, j))
	}
	return list
}

// halves is Half by n, NaN where there is none.
func (b *Band) halves() []float64 {
	half := make([]float64, len(b.Seeds)+1)
	for k := range half {
		if half[k] = math.NaN(); k >= 2 && b.Half != nil {
			half[k] = b.Half(k)
		}
	}
	return half
}

// values sets dst to the value of the series in each column, NaN where it has
// none; those before a column that has points, and the columns before it, are there already. It
// returns the first that may be another one.
func (c *columns) values(dst []float64, from int) (first int) {
	prev, y, ok := c.before.pos, c.before.y, c.before.ok && !c.before.brk
	for i := from - 1; i >= 0; i-- {
		if b := &c.cols[i]; b.count() > 0 {
			prev, y, ok, first = float64(i), b.Mean, b.N > 0, i+1
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

// interval is the interval in column j of as many as a stride, of every stride-th value;
// half is Half by n.
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

// columns turns band points into what a line is traced from, and the shade
// into its range of values.
func bandColumns(c *columns, points []BandPoint) {
	c.reset(len(points))
	gap := false
	for i, p := range points {
		if p.N == 0 {
			gap = true
			continue
		}
		c.cols[i] = pointBucket(p.X, p.Mean, gap)
		gap = false
	}
}
