package plot

import (
	"math"

	"drolab/runner/page"
)

// Range is a closed interval of axis values. It is empty when Lo > Hi or a
// bound is NaN; the zero value holds the single value 0.
type Range struct{ Lo, Hi float64 }

// leastFill is the least part of an axis (as lengths on its scale) that the data must cover before
// Fit zooms in. leastFillToGrow is the least that they must cover for the axis to grow instead of
// being chosen afresh.
const (
	leastFill       = 0.4
	leastFillToGrow = 0.55
)

// EmptyRange contains nothing; Add grows it.
func EmptyRange() Range { return Range{math.Inf(1), math.Inf(-1)} }

// empty reports whether no value lies in r.
func (r Range) empty() bool { return !(r.Lo <= r.Hi) }

// spans reports whether r has a length; the zero value has none.
func (r Range) spans() bool { return r.Lo < r.Hi }

// Contains reports whether v lies in r.
func (r Range) Contains(v float64) bool { return v >= r.Lo && v <= r.Hi }

// Add returns the smallest range containing r and v; a v that is not finite is
// ignored.
func (r Range) Add(v float64) Range {
	if !finite(v) {
		return r
	}
	if r.empty() {
		return Range{v, v}
	}
	return Range{min(r.Lo, v), max(r.Hi, v)}
}

// column returns the column of x among w that divide r, and whether x lies in r.
func (r Range) column(x float64, w int) (col int, inside bool) {
	if !r.Contains(x) {
		return 0, false
	}
	return min(int((x-r.Lo)/(r.Hi-r.Lo)*float64(w)), w-1), true
}

// clip returns the part of r that lies in bounds; it is empty if there is none.
func (r Range) clip(bounds Range) Range { return Range{max(r.Lo, bounds.Lo), min(r.Hi, bounds.Hi)} }

// usable returns a range that spans a length on s, so that dividing by it is
// safe: r itself where possible.
func (r Range) usable(s Scale) Range {
	if s.Kind == Linear {
		lo, hi := page.UsableAxis(r.Lo, r.Hi)
		return Range{lo, hi}
	}
	empty := r.empty() // before clamping, which keeps NaN but closes (+Inf, -Inf)
	r.Lo = max(-page.AxisLimit, min(page.AxisLimit, r.Lo))
	r.Hi = max(-page.AxisLimit, min(page.AxisLimit, r.Hi))
	switch {
	case s.Kind == Log10 && (empty || r.Hi <= 0):
		return Range{0.1, 1}
	case empty:
		return Range{0, 1}
	case s.Kind == Log10:
		r.Hi = max(r.Hi, page.AxisMin)
		if r.Lo <= 0 {
			r.Lo = r.Hi / 1e3
		}
		r.Lo = max(r.Lo, page.AxisMin)
	}
	if !(s.span(r) > leastSpan) {
		return r.widen(s)
	}
	return r
}

// leastSpan is the smallest length that a logarithmic axis resolves.
const leastSpan = 1e-9

// widen opens the range of a logarithmic axis around its middle, for constant data.
func (r Range) widen(s Scale) Range {
	least, most := -s.forward(page.AxisLimit), s.forward(page.AxisLimit)
	u := (s.forward(r.Lo) + s.forward(r.Hi)) / 2
	u = max(least+0.5, min(most-0.5, u))
	return Range{s.backward(u - 0.5), s.backward(u + 0.5)}
}

// Fit returns the range for an axis that showed r in the last frame (the zero Range for none) and
// must now show data. It has hysteresis, because a rescale redraws the whole chart. r is returned
// as long as it contains the data and the data fill two fifths of it. Otherwise the bounds are new
// 1-2-5 values, with headroom on the side that was outgrown. Only r and data matter, so a replay
// shows the same axes.
func (r Range) Fit(data Range, s Scale) Range {
	if s.Kind == Log10 && data.Lo <= 0 {
		data.Lo = min(data.Hi, max(page.AxisMin, data.Hi/1e3))
	}
	known := r.spans() && r == r.usable(s)
	if data.empty() || (s.Kind == Log10 && data.Hi <= 0) {
		if known {
			return r
		}
		return EmptyRange().usable(s)
	}
	data = data.usable(s)
	want := data
	if known {
		if r.Contains(data.Lo) && r.Contains(data.Hi) && s.span(data) >= leastFill*s.span(r) {
			return r
		}
		if u := r.Add(data.Lo).Add(data.Hi); s.span(data) >= leastFillToGrow*s.span(u) {
			want = u
		}
	}
	got := s.snap(s.headroom(want, data, r, known))
	if s.span(data) < leastFill*s.span(got) { // else the next Fit would zoom in again
		return s.snap(data)
	}
	return got
}

// GrowX returns the extent of an x axis from 0: a quarter or a half of the planned one as long as
// the data stay within it, then all of it; past that the next 1-2-5 value. So the axis jumps rarely
// instead of creeping. planned <= 0 means not known.
func GrowX(planned, last float64) Range {
	for _, part := range []float64{4, 2, 1} {
		if planned > 0 && !(last > planned/part) {
			return Range{0, min(planned/part, page.AxisLimit)}
		}
	}
	if !(last > 0) {
		return Range{0, 1}
	}
	return Range{0, snapUp(min(last, page.AxisLimit/10), 0)}
}
