package plot

import (
	"math"
	"strconv"
	"strings"
)

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
		return fit(v, 'e', 3, "", LabelWidth)
	case a < 99999.5:
		return fit(v, 'f', 4, "", LabelWidth)
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
			return fit(v/u.unit, 'f', 3, u.suffix, w)
		}
	}
	return fit(v/1e12, 'f', 3, "T", w)
}

// fit writes v with as many decimals, at most prec, as w cells allow.
func fit(v float64, verb byte, prec int, suffix string, w int) string {
	for ; prec > 0; prec-- {
		if s := number(v, verb, prec) + suffix; len(s) <= w {
			return s
		}
	}
	return number(v, verb, 0) + suffix
}

// number writes exponents without the leading zero of strconv: 1.5e-7.
func number(v float64, verb byte, prec int) string {
	s := strconv.FormatFloat(v, verb, prec, 64)
	s = strings.Replace(s, "e-0", "e-", 1)
	s = strings.Replace(s, "e+0", "e+", 1)
	return strings.Replace(s, "e+", "e", 1)
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
	if n < 60 {
		return strconv.FormatInt(n, 10) + "s"
	}
	for _, u := range [...]struct {
		below, big int64
		bigName    string
		small      int64
		smallName  string
	}{{3600, 60, "m", 1, "s"}, {86400, 3600, "h", 60, "m"}, {100 * 86400, 86400, "d", 3600, "h"}} {
		if n < u.below {
			return twoUnits(n, u.big, u.bigName, u.small, u.smallName)
		}
	}
	return strconv.FormatInt(n/86400, 10) + "d"
}

func twoUnits(n, big int64, bigName string, small int64, smallName string) string {
	s := strconv.FormatInt(n/big, 10) + bigName
	if rest := n % big / small; rest > 0 {
		if rest < 10 {
			s += "0"
		}
		s += strconv.FormatInt(rest, 10) + smallName
	}
	return s
}
