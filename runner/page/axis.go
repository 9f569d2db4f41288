package page

import "math"

// Axes are for figures in files and for charts in the terminal. Every loop counts in whole numbers
// over a range that UsableAxis has opened, so none depends on a sum that rounding may leave where
// it was.

// AxisLimit bounds the values that an axis spans, so that no difference of two of them
// overflows; AxisMin is the least length, so that no step between ticks underflows.
const (
	AxisLimit = 1e300
	AxisMin   = 1e-300
)

// resolution is the least length of an axis as a part of its largest value: below it
// rounding makes ticks meaningless.
const resolution = 1e-9

// UsableAxis returns the axis from lo to hi, widened if it is too short to be divided. It lies
// within ±AxisLimit, and is 0 to 1 for a NaN or an empty range.
func UsableAxis(lo, hi float64) (float64, float64) {
	if !(lo <= hi) { // before clamping, which closes +Inf to −Inf
		return 0, 1
	}
	lo, hi = clamp(lo), clamp(hi)
	if hi-lo > max(AxisMin, resolution*max(math.Abs(lo), math.Abs(hi))) {
		return lo, hi
	}
	middle := lo/2 + hi/2
	half := math.Abs(middle) / 2
	if half < 1e-290 { // a measure that is 0 throughout hardly ever falls below 0
		return min(lo, 0), 1
	}
	return clamp(middle - half), clamp(middle + half)
}

func clamp(v float64) float64 { return max(-AxisLimit, min(AxisLimit, v)) }

// mostTicks is the greatest number of ticks of an axis, so that two neighbours always differ.
const mostTicks = 1000

// Ticks returns at most n multiples of a step between lo and hi, increasing. The step
// is the smallest of 1, 2 or 5 times 10^e that keeps to n, and e tells how many
// decimals the ticks need.
func Ticks(lo, hi float64, n int) (ticks []float64, e int) {
	lo, hi = UsableAxis(lo, hi)
	n = max(1, min(n, mostTicks))
	m, e := NiceStep((hi - lo) / float64(n))
	for {
		step := Multiple(1, m, e)
		first, last := math.Ceil(lo/step-1e-9), math.Floor(hi/step+1e-9)
		if last-first+1 <= float64(n) {
			for i := range int(last - first + 1) {
				ticks = append(ticks, Multiple(first+float64(i), m, e)+0) // −0 becomes 0
			}
			return ticks, e
		}
		m, e = NiceStep(step * 1.5)
	}
}

// scale maps v linearly from the axis between lo and hi to the range between from and to. A v
// outside the axis lies at its nearer end.
func scale(v, lo, hi, from, to float64) float64 {
	return from + (max(lo, min(hi, v))-lo)/(hi-lo)*(to-from)
}

// NiceStep returns the least m·10^e >= v with m in 1, 2, 5, for v > 0.
func NiceStep(v float64) (m float64, e int) {
	e = int(math.Floor(math.Log10(v)))
	f := v / math.Pow(10, float64(e))
	for _, m := range [...]float64{1, 2, 5} {
		if f <= m+1e-9 {
			return m, e
		}
	}
	return 1, e + 1
}

// Multiple returns i·m·10^e, rounded once: 3·1·10^-1 is 0.3, not 0.30000000000000004.
func Multiple(i, m float64, e int) float64 {
	if e < 0 && e > -300 {
		return i * m / math.Pow(10, float64(-e))
	}
	return i * m * math.Pow(10, float64(e))
}
