package plot

import "math"

// Smoother is an incremental filter. Push takes the next n points, given by their mean y (n is 1
// for a single point), and returns the smoothed value there. A y that is not finite gives NaN and
// leaves the state alone. Reset forgets everything, as at a break.
type Smoother interface {
	Push(y float64, n int) float64
	Reset()
}

// EMA is the exponential moving average s <- Beta s + (1-Beta) y, divided by
// 1 - Beta^t to remove the bias of starting from 0 (Adam's correction). Beta
// is in [0, 1); 0 copies its input.
type EMA struct {
	Beta   float64
	sum    float64
	weight float64 // 1 - Beta^t
}

// Push implements Smoother. n equal points decay the past by Beta^n.
func (e *EMA) Push(y float64, n int) float64 {
	if !finite(y) {
		return math.NaN()
	}
	decay := math.Pow(min(max(e.Beta, 0), 1-1e-9), float64(max(n, 1)))
	e.sum = lerp(y, e.sum, decay)
	e.weight = lerp(1, e.weight, decay)
	return e.sum / e.weight
}

// Reset implements Smoother.
func (e *EMA) Reset() { e.sum, e.weight = 0, 0 }

// windowSize is the width of the moving average of the paper's curves (math.md §6).
const windowSize = 5

// Window is the mean of the latest five points, as in the paper's figures;
// fewer at the start.
type Window struct {
	last [windowSize]float64
	n    int
}

// Push implements Smoother. n beyond five fills the window.
func (w *Window) Push(y float64, n int) float64 {
	if !finite(y) {
		return math.NaN()
	}
	for range min(max(n, 1), windowSize) {
		w.last[w.n%windowSize] = y
		w.n++
	}
	// The sum is taken afresh: a running one drifts, and five terms are cheap.
	k := min(w.n, windowSize)
	mean := 0.0
	for _, v := range w.last[:k] {
		mean += v / float64(k)
	}
	return mean
}

// Reset implements Smoother.
func (w *Window) Reset() { w.n = 0 }

// Smooth returns a series of src filtered by f from the start, one point per
// bucket at its end. It costs the size of the buckets, not of the run, so a
// key may change the smoothing at any time; past 8192 points it filters bucket
// means. While a run grows, push new points through the same f instead.
func Smooth(src *Series, f Smoother) *Series {
	f.Reset()
	dst := &Series{most: src.most}
	bad := false // the line broke at a value, which does not reset f
	for i := range src.buckets {
		b := &src.buckets[i]
		if b.Break {
			dst.interrupt()
			if b.Bad == 0 && !bad {
				f.Reset()
			}
		}
		bad = b.Bad > 0
		if b.N == 0 {
			dst.Append(b.X1, math.NaN())
			continue
		}
		dst.Append(b.X1, f.Push(b.Mean, int(b.N)))
	}
	return dst
}
