package panel

import (
	"cmp"
	"math"

	"drolab/runner/measure"
	"drolab/tui/plot"
)

// curve is the history of one quantity of a run. Both series are over steps, never over epochs or
// seconds: the horizontal axis can change at any time, and a chart maps steps as it draws.
type curve struct {
	Raw    *plot.Series
	Smooth *plot.Series  // the smoothed series of a noisy quantity; nil where nothing smooths it
	filter plot.Smoother // the state of the filter that made Smooth; nil where Smooth is nil
	Fresh  bool          // whether the curve has changed since its axis was fitted
}

// append adds a value with the least and the greatest value of the steps that it stands for, so
// that a chart shows what happened between two lines of the log.
func (c *curve) append(step int64, v, low, high measure.Number) {
	if !v.Applies() {
		return
	}
	c.Fresh = true
	x, y := float64(step), v.Float()
	lo, hi := math.Min(y, low.Float()), math.Max(y, high.Float())
	// A bucket with a bound that is not finite would stretch its axis without end. It is counted as
	// a bad point instead, and the panel's note says how many there were.
	if math.IsNaN(lo+hi) || math.IsInf(lo+hi, 0) {
		c.Raw.Append(x, math.NaN())
	} else {
		positive := math.Inf(1) // the least value above 0, as a log axis can show no less
		for _, p := range [...]float64{hi, y, lo} {
			if p > 0 {
				positive = p
			}
		}
		c.Raw.AppendBucket(plot.Bucket{X0: x, X1: x, First: y, Last: y, Mean: y, N: 1,
			Min: lo, Max: hi, MinPos: positive})
	}
	if c.filter != nil {
		c.Smooth.Append(x, c.filter.Push(y, 1))
	}
}

// Series returns the smoothed series, or the raw one where there is none. Axes, the crosshair and
// the labels at line ends all read this series, so that they agree with the line on the screen.
func (c *curve) Series() *plot.Series { return cmp.Or(c.Smooth, c.Raw) }
