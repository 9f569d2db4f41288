package page

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"drolab/dro"
)

// Number is a figure that may not apply, such as the λ of ERM.
type Number interface {
	Applies() bool
	Float() float64 // NaN if it does not apply
}

// None is written where a number does not apply.
const None = "–"

// Style is a way to write numbers of one kind, followed by an interval or a deviation. It has no
// width: the labels of charts, which have to fit, are written by tui/plot.
type Style struct {
	scale  float64
	digits int // significant digits; 0 stands for a fixed number of decimals
	half   int // significant digits of an interval, whose decimals its number then has, too
	fixed  int // decimals
	signed bool
	unit   string
}

// Digits returns the style with n significant digits. A number with an interval has the decimals of
// the interval instead, which has two significant digits.
func Digits(n int) Style { return Style{scale: 1, digits: n, half: 2} }

// Fixed returns the style with n decimals.
func Fixed(n int) Style { return Style{scale: 1, fixed: n} }

// Points returns the style of a fraction in percent, whose sign is in the head of the column.
func Points() Style { return Style{scale: 100, fixed: 1} }

// Percent returns the style of a fraction in percent, with the sign.
func Percent() Style { return Style{scale: 100, fixed: 1, unit: " %"} }

// TableStyle returns the style of a measure in a table: points, or four digits.
func TableStyle(s dro.Scale) Style {
	if s == dro.Percent {
		return Points()
	}
	return Digits(4)
}

// SentenceStyle returns the style of a measure in a sentence or where the head has no unit.
func SentenceStyle(s dro.Scale) Style {
	if s == dro.Percent {
		return Percent()
	}
	return Digits(4)
}

// Half returns the style with so many digits in the interval; a style with a fixed number of
// decimals stays as it is.
func (s Style) Half(digits int) Style {
	s.half = digits
	return s
}

// Signed returns the style for differences, with a sign before each number.
func (s Style) Signed() Style {
	s.signed = true
	return s
}

// Text writes a number.
func (s Style) Text(n Number) string { return s.With(n, nil) }

// With writes a number with half of its interval, if there is one, or its deviation.
func (s Style) With(n, half Number) string {
	if !n.Applies() {
		return None
	}
	if half == nil {
		return s.Float(n.Float(), math.NaN())
	}
	return s.Float(n.Float(), half.Float())
}

// Float is With for plain numbers; the half is NaN where there is none.
func (s Style) Float(v, half float64) string {
	v, half = s.scale*v, s.scale*half
	format, digits, of := "f", s.fixed, s.fixed
	if s.digits > 0 {
		format, digits, of = "g", s.digits, s.half
		if n, ok := decimals(v, half, s.half); ok {
			format, digits, of = "f", n, n
		}
	}
	text := fmt.Sprintf("%.*"+format, digits, v)
	if s.signed {
		text = strings.Replace(fmt.Sprintf("%+.*"+format, digits, v), "-", "−", 1)
	}
	if !math.IsNaN(half) {
		text += " ± " + fmt.Sprintf("%.*"+format, of, half)
	}
	return text + s.unit
}

// decimals returns the decimals of a number whose interval has so many significant digits. It is
// not ok where there is no interval, or where the number needs an exponent.
func decimals(v, half float64, digits int) (n int, ok bool) {
	const most = 1e6 // above it and below its inverse, %g writes exponents
	if !(half >= 1/most && half < most && math.Abs(v) < most) {
		return 0, false
	}
	_, exponent, _ := strings.Cut(fmt.Sprintf("%.*e", digits-1, half), "e")
	power, err := strconv.Atoi(exponent)
	return max(0, digits-1-power), err == nil
}

// Exact writes a number so that it reads back unchanged.
func Exact(v float64) string { return strconv.FormatFloat(v, 'g', -1, 64) }

// ExactOf is Exact, and empty where the number does not apply.
func ExactOf(n Number) string {
	if !n.Applies() {
		return ""
	}
	return Exact(n.Float())
}
