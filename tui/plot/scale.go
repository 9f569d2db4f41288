package plot

import (
	"math"

	"drolab/runner/axis"
)

// ScaleKind is how an axis maps values to lengths.
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

// limit bounds the values an axis spans, so that no difference of two of them
// overflows and no step between ticks underflows. Larger values are drawn at
// the edge.
const (
	limit     = axis.Limit
	tiny      = axis.Tiny
	threshold = 1e-3
)

func (s Scale) threshold() float64 {
	if s.linear > tiny && s.linear < limit {
		return s.linear
	}
	return threshold
}

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

func (s Scale) over(r Range) mapping {
	r = r.usable(s)
	lo, hi := s.forward(r.Lo), s.forward(r.Hi)
	return mapping{s, lo, 1 / (hi - lo)}
}

// at is the position of v in 0..1, beyond it outside the range, NaN where the
// scale has no place for v.
func (m mapping) at(v float64) float64 { return (m.scale.forward(v) - m.lo) * m.inv }

// pixel is the pixel of v among n, 0 for the low end, clamped to the range. ok
// is false where the scale has no place for v, outside where v was clamped.
func (m mapping) pixel(v float64, n int) (p int, outside, ok bool) {
	t := m.at(v)
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
