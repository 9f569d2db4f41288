package plot

import "slices"

// kept is what a Frame keeps of a line that was drawn into it, so that drawing
// it once more costs the columns that changed, not the length of the series.
// It only saves time: whatever was drawn before, the line looks the same.
type kept struct {
	cols  columns // of the view
	trace trace

	// The columns of all buckets but the last, which still grows, and what
	// they hold for.
	closed   columns
	series   *Series // nil: they hold for nothing
	reshaped int
	view     Range
	taken    int  // buckets of series that were looked at
	past     bool // the next one lies right of the view

	shown []span  // what grid shows
	grid  []uint8 // arms, see boxLine
}

// sample is Series.sample into k.cols.
func (k *kept) sample(s *Series, view Range, n int, mapX func(float64) float64) {
	if s == nil || len(s.buckets) == 0 || mapX != nil || s.tailCovers(view, identity) {
		k.series = nil
		s.sample(&k.cols, view, n, mapX)
		return
	}
	if k.series != s || k.reshaped != s.reshaped || k.view != view || len(k.closed.cols) != n {
		k.closed.reset(n)
		k.series, k.reshaped, k.view = s, s.reshaped, view
		k.taken, k.past = s.firstIn(view, identity), false
	}
	last := len(s.buckets) - 1
	p := placer{c: &k.closed, view: view, scale: float64(n) / (view.Hi - view.Lo), mapX: identity}
	for ; k.taken < last && !k.past; k.taken++ {
		k.past = !p.add(&s.buckets[k.taken])
	}
	k.cols.cols = append(k.cols.cols[:0], k.closed.cols...)
	k.cols.before, k.cols.after = k.closed.before, k.closed.after
	if !k.past {
		p.c = &k.cols
		p.add(&s.buckets[last])
	}
}

// box brings the grid of arms, w by h for w columns, to the line's trace.
func (k *kept) box(h int) []uint8 {
	spans := k.trace.spans
	w := len(spans)
	from := 0
	if len(k.shown) == w && len(k.grid) == w*h {
		for from < w && k.shown[from] == spans[from] {
			from++
		}
		if from == w {
			return k.grid
		}
		from = max(0, from-1) // the column before leads to the first that changed
	} else {
		k.grid = slices.Grow(k.grid[:0], w*h)[:w*h]
	}
	for y := range h {
		clear(k.grid[y*w+from : (y+1)*w])
	}
	boxLine(k.grid, spans, from, h)
	k.shown = append(k.shown[:0], spans...)
	return k.grid
}
