package console

import (
	"fmt"

	"drolab/runner/measure"
	"drolab/runner/page"
)

// Percent formats an accuracy in 0..1.
func Percent(n measure.Number) string { return page.Percent().Text(n) }

// Short formats a measure in four significant digits.
func Short(n measure.Number) string { return page.Digits(4).Text(n) }

// Whole formats a rate without decimals.
func Whole(n measure.Number) string { return page.Fixed(0).Text(n) }

// Figure formats a measure on its own scale.
func Figure(m *measure.Measure, n measure.Number) string {
	return page.SentenceStyle(m.Scale).Text(n)
}

// Between returns an interval in percent, or "" if it does not apply.
func Between(i measure.Interval) string {
	if !i[0].Applies() || !i[1].Applies() {
		return ""
	}
	return fmt.Sprintf(" [%.1f, %.1f]", 100*i[0].Float(), 100*i[1].Float())
}
