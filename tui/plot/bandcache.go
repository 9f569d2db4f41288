package plot

import (
	"math"
	"slices"
)

// bandCache is a band in the columns of a view. The first of its seeds keeps it, so that the next
// drawing costs the columns that changed since, not the length of the seeds. A band is needed at
// every frame, for its axis, its shade and its line. A cache only saves time: without it a look at
// forty live runs costs 7 ms of a core and not 3 (BenchmarkLive of tui). It serves only seeds whose
// every bucket is a single point.
type bandCache struct {
	view   Range
	shaded bool
	half   []float64
	seeds  []*seedCache // none until something is kept
	values []float64    // the values of one seed after the other
	points []BandPoint
}

// seedCache is one seed of a bandCache, as far as its buckets have been placed in columns.
type seedCache struct {
	series   *Series
	reshaped int
	placed   int  // number of buckets placed
	past     bool // the next one lies right of the view
	last     int  // last column that holds points; -1 for none
	cols     columns
}

// mostCachedSeeds is the maximum number of seeds of a band that is kept. Caches of more seeds take
// more memory than the seeds themselves, and save no time where so much is drawn only once a
// second.
const mostCachedSeeds = 8

// maxBandCaches is the maximum number of caches kept for a band. It is drawn in one or two widths,
// and its axis has another.
const maxBandCaches = 4

// cachedPoints returns the points of the band in n columns, brought up to date. They belong to the
// cache.
func (l *Line) cachedPoints(view Range, n int) []BandPoint {
	cuts := &l.Seeds[0].bandCaches
	i := slices.IndexFunc(*cuts, func(c *bandCache) bool { return len(c.points) == n })
	if i < 0 {
		if len(*cuts) == maxBandCaches {
			*cuts = (*cuts)[1:]
		}
		i = len(*cuts)
		*cuts = append(*cuts, &bandCache{points: make([]BandPoint, n)})
	}
	c := (*cuts)[i]
	if !c.holds(l, view) {
		c.reset(l, view)
	}
	c.update()
	return c.points
}

// holds reports whether the cache is one of this band and view.
func (c *bandCache) holds(l *Line, view Range) bool {
	return c.view == view && c.shaded == (l.HalfWidth != nil) &&
		slices.EqualFunc(c.seeds, l.Seeds, func(k *seedCache, s *Series) bool {
			return k.series == s && k.reshaped == s.reshaped
		})
}

func (c *bandCache) reset(l *Line, view Range) {
	n := len(c.points)
	c.view = view
	c.shaded, c.half = l.HalfWidth != nil, l.halfWidths()
	c.seeds = nil
	c.values = slices.Repeat([]float64{math.NaN()}, n*len(l.Seeds))
	for _, s := range l.Seeds {
		k := &seedCache{series: s, reshaped: s.reshaped, last: -1,
			placed: s.firstIn(view, identity)}
		k.cols.reset(n)
		c.seeds = append(c.seeds, k)
	}
	for j := range c.points {
		c.points[j] = interval(c.values[j:], n, c.half, view, j)
	}
}

// update brings the points up to date with the seeds.
func (c *bandCache) update() {
	n := len(c.points)
	from, to := n, 0
	for i, k := range c.seeds {
		if first, end := k.update(c.values[i*n:(i+1)*n], c.view); first < end {
			from, to = min(from, first), max(to, end)
		}
	}
	for j := from; j < to; j++ {
		c.points[j] = interval(c.values[j:], n, c.half, c.view, j)
	}
}

// update brings the values up to date with the seed, and returns the range of columns in which they
// may have changed.
func (k *seedCache) update(values []float64, view Range) (first, end int) {
	n, all := len(values), k.series.buckets
	if k.past || k.placed == len(all) {
		return 0, 0
	}
	p := placer{c: &k.cols, view: view, scale: float64(n) / (view.Hi - view.Lo),
		mapX: identity, last: k.last}
	for ; k.placed < len(all) && !k.past; k.placed++ {
		k.past = !p.add(&all[k.placed])
	}
	before := max(0, k.last)
	k.last, end = p.last, p.last+1
	if k.past {
		end = n
	}
	return k.cols.values(values[:end], before), end
}
