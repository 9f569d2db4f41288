package plot

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"drolab/runner/page"
)

// tick is a labelled position on an axis.
type tick struct {
	Value float64
	Label string // without padding
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

// LabelWidth is the width in cells of Format's result and of the y-axis
// labels.
const LabelWidth = 7

// Format writes v in at most LabelWidth 7-bit cells, with about four significant
// digits: plain from 0.001 to 99999, with k, M, G, T up to 1e15, else with an
// exponent.
func Format(v float64) string {
	switch a := math.Abs(v); {
	case math.IsNaN(v):
		return "nan"
	case a > math.MaxFloat64:
		return strconv.FormatFloat(v, 'f', 0, 64)
	case v == 0:
		return "0"
	case a < 0.9995e-3 || a >= 0.9995e15:
		return formatWithin(v, 'e', 3, "", LabelWidth)
	case a < 99999.5:
		return formatWithin(v, 'f', 4, "", LabelWidth)
	default:
		return suffixed(v, a, LabelWidth)
	}
}

// brief writes v with one to three significant digits: enough beside a line, and steady from step
// to step. It takes at most endValue cells and a sign, except for an exponent of three digits.
func brief(v float64) string {
	switch a := math.Abs(v); {
	case v == 0 || !finite(v):
		return Format(v)
	case a < 0.9995e-3 || a >= 0.9995e15:
		return number(v, 'e', 0)
	case a >= 9999.5:
		return suffixed(v, a, endValue+len(number(v, 'f', 0))-len(number(a, 'f', 0)))
	case a < 0.09995:
		return number(v, 'f', 3)
	case a < 9.995:
		return number(v, 'f', 2)
	case a < 99.95:
		return number(v, 'f', 1)
	default:
		return number(v, 'f', 0)
	}
}

// briefly is brief, or Percent for parts of 1 that are shown in per cent.
func briefly(v float64, percent bool) string {
	if percent {
		return Percent(v)
	}
	return brief(v)
}

// known returns the text of a value, or a dash where there is none: NaN.
func known(v float64, text string) string {
	if math.IsNaN(v) {
		return "–"
	}
	return text
}

// Percent writes a part of 1 times 100, with one decimal.
func Percent(v float64) string {
	if math.Abs(v) < 9.9995 {
		return strconv.FormatFloat(100*v, 'f', 1, 64)
	}
	return Format(100 * v)
}

// suffixed writes 1e3 <= a < 1e15 with an SI suffix, in w cells.
func suffixed(v, a float64, w int) string {
	for _, u := range [...]struct {
		unit   float64
		suffix string
	}{{1e3, "k"}, {1e6, "M"}, {1e9, "G"}} {
		if a < 999.95*u.unit {
			return formatWithin(v/u.unit, 'f', 3, u.suffix, w)
		}
	}
	return formatWithin(v/1e12, 'f', 3, "T", w)
}

// formatWithin writes v with as many decimals, at most prec, as w cells allow.
func formatWithin(v float64, verb byte, prec int, suffix string, w int) string {
	for ; prec > 0; prec-- {
		if s := number(v, verb, prec) + suffix; len(s) <= w {
			return s
		}
	}
	return number(v, verb, 0) + suffix
}

// number writes exponents without the plus and the leading zero of strconv: 1.5e-7.
func number(v float64, verb byte, prec int) string {
	mantissa, exponent, ok := strings.Cut(strconv.FormatFloat(v, verb, prec, 64), "e")
	if !ok {
		return mantissa
	}
	e, _ := strconv.Atoi(exponent)
	return mantissa + "e" + strconv.Itoa(e)
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

// trimZeros drops zeros at the end of the decimals: 150.0k becomes 150k.
func trimZeros(s string) string {
	_, decimals, ok := strings.Cut(s, ".")
	if !ok {
		return s
	}
	suffix := strings.TrimLeft(decimals, "0123456789")
	number := strings.TrimRight(strings.TrimSuffix(s, suffix), "0")
	return strings.TrimSuffix(number, ".") + suffix
}

// FormatDuration writes seconds in at most LabelWidth cells, with the two
// largest units: 45s, 1m30s, 2h05m, 3d04h, 120d.
func FormatDuration(seconds float64) string {
	switch {
	case !finite(seconds) || math.Abs(seconds) >= 9999*86400:
		return Format(seconds)
	case seconds < 0:
		return "-" + FormatDuration(-seconds)
	}
	n := int64(seconds + 0.5)
	for _, u := range [...]struct {
		below, big, small  int64
		bigName, smallName string
	}{{60, 1, 1, "s", ""}, {3600, 60, 1, "m", "s"}, {86400, 3600, 60, "h", "m"},
		{100 * 86400, 86400, 3600, "d", "h"}} {
		if n >= u.below {
			continue
		}
		if rest := n % u.big / u.small; rest > 0 {
			return fmt.Sprintf("%d%s%02d%s", n/u.big, u.bigName, rest, u.smallName)
		}
		return fmt.Sprintf("%d%s", n/u.big, u.bigName)
	}
	return fmt.Sprintf("%dd", n/86400)
}
