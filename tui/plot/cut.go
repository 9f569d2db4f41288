package plot

import (
	"math"
	"slices"
)

// cut is a band in the columns of a view, kept (by the first of its seeds) so that having it
// once more costs the columns that changed since, not the length of the seeds: a band is
// wanted at every frame, for its axis, its shade and its line. It only saves time, and is
// for seeds whose every bucket is a point. Without it a look at forty live runs costs 16 ms
// of a core and not 3 (BenchmarkLive of tui).
type cut struct {
	view   Range
	shaded bool
	half   []float64
	seeds  []*seedCut // none until something is kept
	values []float64  // a seed after the other
	points []BandPoint
}

// seedCut is a seed as far as it was looked at.
type seedCut struct {
	series   *Series
	reshaped int
	taken    int  // buckets
	past     bool // the next one lies right of the view
	last     int  // column that holds points; -1
	cols     columns
}

// mostCut is of how many seeds bands are kept: of more they take more memory than the
// seeds, and there is no time to be saved where so much is drawn once a second.
const mostCut = 8

// maxCuts is how many cuts of a band are kept: it is drawn in one or two widths, and its
// axis has another.
const maxCuts = 4

// kept are the points of the band in n columns, which are the band's.
func (b *Band) kept(view Range, n int) []BandPoint {
	cuts := &b.Seeds[0].cuts
	i := slices.IndexFunc(*cuts, func(c *cut) bool { return len(c.points) == n })
	if i < 0 {
		if len(*cuts) == maxCuts {
			*cuts = (*cuts)[1:]
		}
		i = len(*cuts)
		*cuts = append(*cuts, &cut{points: make([]BandPoint, n)})
	}
	c := (*cuts)[i]
	if !c.holds(b, view) {
		c.reset(b, view)
	}
	c.take()
	return c.points
}

// holds tells whether what is kept is of this band and view.
func (c *cut) holds(b *Band, view Range) bool {
	return c.view == view && c.shaded == (b.Half != nil) &&
		slices.EqualFunc(c.seeds, b.Seeds, func(k *seedCut, s *Series) bool {
			return k.series == s && k.reshaped == s.reshaped
		})
}

func (c *cut) reset(b *Band, view Range) {
	n := len(c.points)
	c.view, c.shaded, c.half, c.seeds = view, b.Half != nil, b.halves(), nil
	c.values = make([]float64, n*len(b.Seeds))
	for i := range c.values {
		c.values[i] = math.NaN()
	}
	for _, s := range b.Seeds {
		k := &seedCut{series: s, reshaped: s.reshaped, last: -1, taken: s.firstIn(view, identity)}
		k.cols.reset(n)
		c.seeds = append(c.seeds, k)
	}
	for j := range c.points {
		c.points[j] = interval(c.values[j:], n, c.half, view, j)
	}
}

// take brings the points up to the seeds.
func (c *cut) take() {
	n := len(c.points)
	from, to := n, 0
	for i, k := range c.seeds {
		if first, end := k.take(c.values[i*n:(i+1)*n], c.view); first < end {
			from, to = min(from, first), max(to, end)
		}
	}
	for j := from; j < to; j++ {
		c.points[j] = interval(c.values[j:], n, c.half, c.view, j)
	}
}

// take brings the values up to the seed, and returns between which columns they may be others.
func (k *seedCut) take(values []float64, view Range) (first, end int) {
	n, all := len(values), k.series.buckets
	if k.past || k.taken == len(all) {
		return 0, 0
	}
	p := placer{c: &k.cols, view: view, scale: float64(n) / (view.Hi - view.Lo),
		mapX: identity, last: k.last}
	for ; k.taken < len(all) && !k.past; k.taken++ {
		k.past = !p.add(&all[k.taken])
	}
	before := max(0, k.last)
	if k.last, end = p.last, p.last+1; k.past {
		end = n
	}
	return k.cols.values(values[:end], before), end
}
