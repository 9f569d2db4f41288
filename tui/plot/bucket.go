package plot

import "math"

// Bucket summarises consecutive points of a series so that no spike is lost:
// the M4 aggregation (Jugel et al., VLDB 2014) of first, last, minimum and
// maximum, plus what logarithmic scales and smoothing need.
type Bucket struct {
	X0, X1      float64 // x of the first and the last point, non-finite y included
	First, Last float64 // of the finite y; the y fields mean nothing when N is 0
	Min, Max    float64
	MinPos      float64 // smallest y > 0, +Inf when there is none
	Mean        float64
	N           uint32 // points with a finite y
	Bad         uint32 // points with a NaN or infinite y
	NonPos      uint32 // finite points with y <= 0
	Break       bool   // the line is interrupted at or within this bucket
}

func pointBucket(x, y float64, brk bool) Bucket {
	b := Bucket{X0: x, X1: x, MinPos: math.Inf(1), Break: brk}
	if !finite(y) {
		b.Bad, b.Break = 1, true
		return b
	}
	b.First, b.Last, b.Min, b.Max, b.Mean, b.N = y, y, y, y, y, 1
	if y > 0 {
		b.MinPos = y
	} else {
		b.NonPos = 1
	}
	return b
}

// count returns the number of points in b.
func (b *Bucket) count() uint32 { return b.N + b.Bad }

// merge appends the points of c, which follow those of b. The mean is a
// weighted sum, never a sum of values, because values near the largest float64
// would overflow.
func (b *Bucket) merge(c *Bucket) {
	if b.count() == 0 {
		*b = *c
		return
	}
	b.X1 = c.X1
	b.Break = b.Break || c.Break
	b.Bad += c.Bad
	b.NonPos += c.NonPos
	switch {
	case c.N == 0:
		return
	case b.N == 0:
		b.First, b.Last, b.Min, b.Max, b.Mean = c.First, c.Last, c.Min, c.Max, c.Mean
	default:
		n := float64(b.N) + float64(c.N)
		b.Mean = b.Mean*(float64(b.N)/n) + c.Mean*(float64(c.N)/n)
		b.Last = c.Last
		b.Min = min(b.Min, c.Min)
		b.Max = max(b.Max, c.Max)
	}
	b.MinPos = min(b.MinPos, c.MinPos)
	b.N += c.N
}
