package plot

import (
	"cmp"
	"math"

	"drolab/runner/page"
)

// ScaleKind is the way in which an axis maps values to lengths.
type ScaleKind uint8

const (
	Linear ScaleKind = iota
	Log10            // values <= 0 have no place: they break the line and are counted
	Symlog           // linear near 0, logarithmic in |v| beyond
)

// Scale maps values to lengths. The zero value is linear.
type Scale struct {
	Kind ScaleKind
	// linear is the |v| below which Symlog is close to linear; 0 means 0.001.
	linear float64
}

// limit bounds the values that an axis spans, so that no difference of two of them overflows and no
// step between ticks underflows. Larger values are drawn at the edge.
const (
	limit     = page.AxisLimit
	tiny      = page.AxisMin
	threshold = 1e-3
)

func (s Scale) threshold() float64 { return cmp.Or(s.linear, threshold) }

// forward maps v to a length; NaN where the scale has no place for it.
func (s Scale) forward(v float64) float64 {
	v = max(-limit, min(limit, v))
	switch s.Kind {
	case Log10:
		if v <= 0 {
			return math.NaN()
		}
		return math.Log10(max(v, tiny))
	case Symlog:
		return math.Copysign(math.Log1p(math.Abs(v)/s.threshold())/math.Ln10, v)
	}
	return v
}

// backward is the inverse of forward.
func (s Scale) backward(u float64) float64 {
	switch s.Kind {
	case Log10:
		return math.Pow(10, u)
	case Symlog:
		return math.Copysign(s.threshold()*math.Expm1(math.Abs(u)*math.Ln10), u)
	}
	return u
}

// mapping is a scale over a range with the constants of the range computed
// once.
type mapping struct {
	scale Scale
	lo    float64 // forward(range.Lo)
	inv   float64 // 1 / (forward(range.Hi) - lo)
}

func (s Scale) mapping(r Range) mapping {
	r = r.usable(s)
	lo, hi := s.forward(r.Lo), s.forward(r.Hi)
	return mapping{s, lo, 1 / (hi - lo)}
}

// position returns the position of v: 0..1 in the range, beyond that outside it, and NaN where the
// scale has no place for v.
func (m mapping) position(v float64) float64 { return (m.scale.forward(v) - m.lo) * m.inv }

// pixel returns the pixel of v among n, clamped to the range; pixel 0 is the low end. outside
// reports whether v was clamped; ok is false where the scale has no place for v.
func (m mapping) pixel(v float64, n int) (p int, outside, ok bool) {
	t := m.position(v)
	switch {
	case math.IsNaN(t):
		return 0, false, false
	case t < 0:
		return 0, t < -1e-9, true
	case t > 1:
		return n - 1, t > 1+1e-9, true
	}
	return int(t*float64(n-1) + 0.5), false, true
}

// Range is a closed interval of axis values. It is empty when Lo > Hi or a
// bound is NaN; the zero value holds the single value 0.
type Range struct{ Lo, Hi float64 }

// fill is the least part of an axis (as lengths on its scale) that the data must cover before Fit
// zooms in. roomy is the least that they must cover for the axis to grow instead of being chosen
// afresh.
const (
	fill  = 0.4
	roomy = 0.55
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
	r.Lo, r.Hi = max(-limit, min(limit, r.Lo)), max(-limit, min(limit, r.Hi))
	switch {
	case s.Kind == Log10 && (empty || r.Hi <= 0):
		return Range{0.1, 1}
	case empty:
		return Range{0, 1}
	case s.Kind == Log10:
		r.Hi = max(r.Hi, tiny)
		if r.Lo <= 0 {
			r.Lo = r.Hi / 1e3
		}
		r.Lo = max(r.Lo, tiny)
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
	least, most := -s.forward(limit), s.forward(limit)
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
		data.Lo = min(data.Hi, max(tiny, data.Hi/1e3))
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
		if r.Contains(data.Lo) && r.Contains(data.Hi) && s.span(data) >= fill*s.span(r) {
			return r
		}
		if u := r.Add(data.Lo).Add(data.Hi); s.span(data) >= roomy*s.span(u) {
			want = u
		}
	}
	got := s.snap(s.headroom(want, data, r, known))
	if s.span(data) < fill*s.span(got) { // else the next Fit would zoom in again
		return s.snap(data)
	}
	return got
}

// span is the length of r on s.
func (s Scale) span(r Range) float64 { return s.forward(r.Hi) - s.forward(r.Lo) }

// headroom opens want by a sixth where the data outgrew the old range, and
// never across 0: losses stay on an axis from 0.
func (s Scale) headroom(want, data, old Range, known bool) Range {
	if !known {
		return want
	}
	d := s.span(want) / 6
	if data.Hi > old.Hi {
		want.Hi = pushOut(want.Hi, s.backward(s.forward(want.Hi)+d))
	}
	if data.Lo < old.Lo {
		want.Lo = -pushOut(-want.Lo, -s.backward(s.forward(want.Lo)-d))
	}
	return want
}

// pushOut moves an upper bound from v up to w, but not across 0.
func pushOut(v, w float64) float64 {
	if v <= 0 && w > 0 {
		return 0
	}
	return min(max(v, w), limit)
}

// snap moves the bounds outward to 1-2-5 values, within what an axis spans.
func (s Scale) snap(r Range) Range {
	least, small := -limit, 0.0
	lo, hi := r.Lo, r.Hi
	switch s.Kind {
	case Linear:
		step, e := page.NiceStep((r.Hi - r.Lo) / 12)
		unit := page.Multiple(1, step, e)
		lo, hi = page.Multiple(math.Floor(lo/unit), step, e),
			page.Multiple(math.Ceil(hi/unit), step, e)
	case Symlog:
		small = s.threshold()
		lo, hi = -snapUp(-lo, small), snapUp(hi, small)
	case Log10:
		least = tiny
		lo, hi = -snapUp(-lo, small), snapUp(hi, small)
	}
	// Rounding must not move a bound inward.
	return Range{max(least, min(lo, r.Lo)), min(limit, max(hi, r.Hi))}
}

// snapUp is the least of ..., 1, 2, 5, 10, 20, ... (and their negatives, and 0
// for |v| < small) that is >= v.
func snapUp(v, small float64) float64 {
	a := math.Abs(v)
	if a <= small {
		if v <= 0 {
			return 0
		}
		return small
	}
	e := int(math.Floor(math.Log10(a)))
	for _, d := range [...]int{e - 1, e, e + 1} {
		for _, m := range [...]float64{1, 2, 5} {
			c := page.Multiple(1, m, d)
			if v > 0 && c >= v*(1-1e-12) {
				return c
			}
			if v < 0 && nextNice(c) > a*(1+1e-12) {
				return -c
			}
		}
	}
	return v
}

// nextNice is the 1-2-5 value after c, which is one.
func nextNice(c float64) float64 {
	m, e := page.NiceStep(c * 1.5)
	return page.Multiple(1, m, e)
}

// GrowX returns the extent of an x axis from 0: a quarter or a half of the planned one as long as
// the data stay within it, then all of it; past that the next 1-2-5 value. So the axis jumps rarely
// instead of creeping. planned <= 0 means not known.
func GrowX(planned, last float64) Range {
	for _, part := range []float64{4, 2, 1} {
		if planned > 0 && !(last > planned/part) {
			return Range{0, min(planned/part, limit)}
		}
	}
	if !(last > 0) {
		return Range{0, 1}
	}
	return Range{0, snapUp(min(last, limit/10), 0)}
}
