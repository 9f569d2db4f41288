package plot

import (
	"math"
	"strconv"

	"drolab/runner/page"
)

// tick is a labelled position on an axis.
type tick struct {
	Value float64
	Label string // without padding
}

// AxisTick is a label and the place of it on the axis of a chart.
type AxisTick struct {
	X     float64
	Label string
}

// TicksOf returns at most n labelled values of a range, of seconds if it is one of durations.
func TicksOf(r Range, duration bool, n int) (list []AxisTick) {
	ticks := Scale{}.ticks(r, n)
	if duration {
		ticks = timeTicks(r, n)
	}
	for _, t := range ticks {
		list = append(list, AxisTick{t.Value, t.Label})
	}
	return list
}

// ticks returns at most n ticks (n >= 1) at 1-2-5 values in r, in increasing order. They are
// multiples of a step on a linear scale, and powers of ten on a logarithmic one, with 2 and 5 where
// there is room.
func (s Scale) ticks(r Range, n int) []tick {
	r = r.usable(s)
	n = max(1, n)
	switch s.Kind {
	case Log10:
		if t := logTicks(r, n); len(t) >= min(2, n) {
			return t
		}
	case Symlog:
		return symlogTicks(r, s.threshold(), n)
	}
	return linearTicks(r, n)
}

func linearTicks(r Range, n int) (ticks []tick) {
	values, e := page.Ticks(r.Lo, r.Hi, n)
	for _, v := range values {
		ticks = append(ticks, tick{v, tickLabel(v, e)})
	}
	return ticks
}

// logTicks takes 1, 2 and 5 of each decade where there is room, else 1 of each or of every few
// decades. Where that leaves fewer than two ticks, as in a range of little more than a decade, it
// keeps the first and the last of the former.
func logTicks(r Range, n int) []tick {
	all := decades(r, 1, 1, 2, 5)
	if len(all) <= n {
		return all
	}
	for stride := 1; ; stride++ {
		ticks := decades(r, stride, 1)
		switch {
		case len(ticks) > n:
			continue
		case len(ticks) >= min(2, n):
			return ticks
		}
		return []tick{all[0], all[len(all)-1]}[:min(n, 2)]
	}
}

// decades returns the ticks in r at the mantissas of every stride-th decade.
func decades(r Range, stride int, mantissas ...float64) (ticks []tick) {
	// Both are above -301, since r is usable.
	k0, k1 := int(math.Floor(math.Log10(r.Lo))), int(math.Ceil(math.Log10(r.Hi)))
	for k := k0; k <= k1; k++ {
		if k%stride != 0 {
			continue
		}
		for _, m := range mantissas {
			if v := page.Multiple(1, m, k); v >= r.Lo*(1-1e-9) && v <= r.Hi*(1+1e-9) {
				ticks = append(ticks, tick{v, tickLabel(v, k)})
			}
		}
	}
	return ticks
}

// symlogTicks takes 0 and powers of ten of both signs from the threshold on,
// with a stride that keeps at most n.
func symlogTicks(r Range, threshold float64, n int) []tick {
	k0 := int(math.Ceil(math.Log10(threshold) - 1e-9))
	k1 := int(math.Ceil(math.Log10(max(math.Abs(r.Lo), math.Abs(r.Hi), threshold))))
	for stride := 1; ; stride++ {
		var ticks []tick
		for k := k1 - (k1-k0)%stride; k >= k0; k -= stride {
			ticks = addTick(ticks, r, -page.Multiple(1, 1, k), k)
		}
		ticks = addTick(ticks, r, 0, 0)
		for k := k0; k <= k1; k += stride {
			ticks = addTick(ticks, r, page.Multiple(1, 1, k), k)
		}
		if len(ticks) == 0 {
			return linearTicks(r, n)
		}
		if len(ticks) <= n {
			return ticks
		}
		if stride > k1-k0 {
			return ticks[:n]
		}
	}
}

func addTick(ticks []tick, r Range, v float64, e int) []tick {
	if !r.Contains(v) {
		return ticks
	}
	return append(ticks, tick{v, tickLabel(v, e)})
}

// timeTicks returns at most n ticks at round durations; values are seconds.
func timeTicks(r Range, n int) []tick {
	r = r.usable(Scale{})
	n = max(1, n)
	steps := [...]float64{
		1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800,
		3600, 7200, 10800, 21600, 43200, 86400,
	}
	if r.Hi-r.Lo < float64(n) || r.Hi > 1e12 {
		return linearTicks(r, n) // plain seconds, below one or beyond all calendars
	}
	for _, step := range steps {
		if t, ok := multiples(r, step, n); ok {
			return t
		}
	}
	for days := 2.0; ; days = nextNice(days) {
		if t, ok := multiples(r, days*86400, n); ok {
			return t
		}
	}
}

func multiples(r Range, step float64, n int) ([]tick, bool) {
	lo, hi := math.Ceil(r.Lo/step-1e-9), math.Floor(r.Hi/step+1e-9)
	if hi-lo+1 > float64(n) {
		return nil, false
	}
	ticks := make([]tick, 0, n)
	for i := lo; i <= hi; i++ {
		ticks = append(ticks, tick{i * step, FormatDuration(i * step)})
	}
	return ticks, true
}

// tickLabel writes a tick that is a multiple of 10^e (or of 1, 2, 5 times it)
// with the decimals that this needs, so that the ticks of an axis look alike.
func tickLabel(v float64, e int) string {
	if a := math.Abs(v); a < 1e5 && e >= -5 && (a == 0 || a >= 1e-4) {
		if s := strconv.FormatFloat(v, 'f', max(0, -e), 64); len(s) <= LabelWidth {
			return s
		}
	}
	return trimZeros(Format(v))
}
