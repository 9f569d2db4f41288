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

// symlogThreshold is the usual Scale.linear.
const symlogThreshold = 1e-3

func (s Scale) threshold() float64 { return cmp.Or(s.linear, symlogThreshold) }

// forward maps v to a length; NaN where the scale has no place for it. A value beyond
// page.AxisLimit is drawn at the edge.
func (s Scale) forward(v float64) float64 {
	v = max(-page.AxisLimit, min(page.AxisLimit, v))
	switch s.Kind {
	case Log10:
		if v <= 0 {
			return math.NaN()
		}
		return math.Log10(max(v, page.AxisMin))
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
	return min(max(v, w), page.AxisLimit)
}

// snap moves the bounds outward to 1-2-5 values, within what an axis spans.
func (s Scale) snap(r Range) Range {
	least, small := -page.AxisLimit, 0.0
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
		least = page.AxisMin
		lo, hi = -snapUp(-lo, small), snapUp(hi, small)
	}
	// Rounding must not move a bound inward.
	return Range{max(least, min(lo, r.Lo)), min(page.AxisLimit, max(hi, r.Hi))}
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
