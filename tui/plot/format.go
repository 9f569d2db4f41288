package plot

import (
	"fmt"
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
		return formatWithin(v, 'e', 3, "", LabelWidth)
	case a < 99999.5:
		return formatWithin(v, 'f', 4, "", LabelWidth)
	default:
		return formatSuffixed(v, a, LabelWidth)
	}
}

// formatBrief writes v with one to three significant digits: enough beside a line, and steady from
// step to step. It takes at most endValue cells and a sign, except for an exponent of three digits.
func formatBrief(v float64) string {
	switch a := math.Abs(v); {
	case v == 0 || !finite(v):
		return Format(v)
	case a < 0.9995e-3 || a >= 0.9995e15:
		return number(v, 'e', 0)
	case a >= 9999.5:
		return formatSuffixed(v, a, endValue+len(number(v, 'f', 0))-len(number(a, 'f', 0)))
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

// formatEnd is formatBrief, or Percent for parts of 1 that are shown in per cent.
func formatEnd(v float64, percent bool) string {
	if percent {
		return Percent(v)
	}
	return formatBrief(v)
}

// orDash returns the text of a value, or a dash where there is none: NaN.
func orDash(v float64, text string) string {
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

// formatSuffixed writes 1e3 <= a < 1e15 with an SI suffix, in w cells.
func formatSuffixed(v, a float64, w int) string {
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
