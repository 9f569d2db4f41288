package page

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"drolab/dro"
	"drolab/runner/measure"
)

// None is written where a number does not apply.
const None = "–"

// Style is a way to write numbers of one kind, with an interval or a deviation behind.
// It says nothing of widths: a chart's labels, which have to fit, are plot's.
type Style struct {
	scale       float64
	value, half string // formats
	unit        string
}

// Digits has n significant digits, and two in the interval.
func Digits(n int) Style { return Style{1, fmt.Sprintf("%%.%dg", n), "%.2g", ""} }

// Fixed has n decimals.
func Fixed(n int) Style {
	f := fmt.Sprintf("%%.%df", n)
	return Style{1, f, f, ""}
}

// Points is a part of 1 in percent, whose sign is at the head of the column.
func Points() Style { return Style{100, "%.1f", "%.1f", ""} }

// Percent is a part of 1 with the sign.
func Percent() Style { return Style{100, "%.1f", "%.1f", " %"} }

// Of is the style of a measure in a table: points, or four digits.
func Of(s dro.Scale) Style {
	if s == dro.Percent {
		return Points()
	}
	return Digits(4)
}

// Alone is the style of a measure in a sentence or where the head has no unit.
func Alone(s dro.Scale) Style {
	if s == dro.Percent {
		return Percent()
	}
	return Digits(4)
}

// Half is the style with another format of the interval, where that is no part of 1.
func (s Style) Half(digits int) Style {
	if s.scale == 1 {
		s.half = fmt.Sprintf("%%.%dg", digits)
	}
	return s
}

// Signed is the style of differences.
func (s Style) Signed() Style {
	s.value = "%+" + s.value[1:]
	return s
}

// Text writes a number.
func (s Style) Text(n measure.Number) string { return s.With(n, measure.Number{}) }

// With writes a number with half of its interval, if there is one, or its deviation.
func (s Style) With(n, half measure.Number) string {
	if !n.Applies() {
		return None
	}
	return s.Float(n.Float(), half.Float())
}

// Float is With for plain numbers; the half is NaN where there is none.
func (s Style) Float(v, half float64) string {
	text := fmt.Sprintf(s.value, s.scale*v)
	if strings.HasPrefix(s.value, "%+") {
		text = strings.Replace(text, "-", "−", 1)
	}
	if !math.IsNaN(half) {
		text += " ± " + fmt.Sprintf(s.half, s.scale*half)
	}
	return text + s.unit
}

// Exact is a number that reads back as it was.
func Exact(v float64) string { return strconv.FormatFloat(v, 'g', -1, 64) }

// ExactOf is Exact, and empty where the number does not apply.
func ExactOf(n measure.Number) string {
	if !n.Applies() {
		return ""
	}
	return Exact(n.Float())
}
