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

// Style is a way to write numbers of one kind, followed by an interval or a deviation. It has no
// width: the labels of charts, which have to fit, are written by tui/plot.
type Style struct {
	scale       float64
	value, half string // formats
	unit        string
}

// Digits returns the style with n significant digits, and two in the interval.
func Digits(n int) Style { return Style{1, fmt.Sprintf("%%.%dg", n), "%.2g", ""} }

// Fixed returns the style with n decimals.
func Fixed(n int) Style {
	f := fmt.Sprintf("%%.%df", n)
	return Style{1, f, f, ""}
}

// Points returns the style of a fraction in percent, whose sign is in the head of the column.
func Points() Style { return Style{100, "%.1f", "%.1f", ""} }

// Percent returns the style of a fraction in percent, with the sign.
func Percent() Style { return Style{100, "%.1f", "%.1f", " %"} }

// Of returns the style of a measure in a table: points, or four digits.
func Of(s dro.Scale) Style {
	if s == dro.Percent {
		return Points()
	}
	return Digits(4)
}

// Alone returns the style of a measure in a sentence or where the head has no unit.
func Alone(s dro.Scale) Style {
	if s == dro.Percent {
		return Percent()
	}
	return Digits(4)
}

// Half returns the style with so many digits in the interval; a style in percent stays as it is.
func (s Style) Half(digits int) Style {
	if s.scale == 1 {
		s.half = fmt.Sprintf("%%.%dg", digits)
	}
	return s
}

// Signed returns the style for differences, with a sign before each number.
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

// Exact writes a number so that it reads back unchanged.
func Exact(v float64) string { return strconv.FormatFloat(v, 'g', -1, 64) }

// ExactOf is Exact, and empty where the number does not apply.
func ExactOf(n measure.Number) string {
	if !n.Applies() {
		return ""
	}
	return Exact(n.Float())
}
