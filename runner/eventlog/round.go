package eventlog

import (
	"slices"
	"strconv"
	"time"

	"drolab/runner"
	"drolab/runner/lists"
	"drolab/runner/measure"
)

// shortDigits is the number of digits that a screen can tell apart; they take half the bytes.
const shortDigits = 7

// ShortEvent returns an event whose numbers are rounded to shortDigits digits.
func ShortEvent(e runner.Event) runner.Event {
	switch e := e.(type) {
	case *runner.StepEvent:
		r := *e
		r.Time = r.Time.Truncate(time.Millisecond)
		r.Values, r.Min = RoundValues(e.Values, shortDigits), RoundValues(e.Min, shortDigits)
		r.Max = RoundValues(e.Max, shortDigits)
		r.ImagesPerSecond = Round(e.ImagesPerSecond, shortDigits)
		return &r
	case *runner.EvalEvent:
		r := *e
		r.Values, r.ByGroup = RoundValues(e.Values, shortDigits), nil
		short := func(n measure.Number) measure.Number { return Round(n, shortDigits) }
		for _, l := range e.ByGroup {
			l.Numbers = lists.Map(l.Numbers, short)
			r.ByGroup = append(r.ByGroup, l)
		}
		return &r
	}
	return e
}

// RoundValues returns a copy of values, rounded to this number of significant digits.
func RoundValues(values measure.Values, digits int) measure.Values {
	values = slices.Clone(values)
	for i := range values {
		values[i].Number = Round(values[i].Number, digits)
	}
	return values
}

// Round returns n, rounded to this number of significant digits.
func Round(n measure.Number, digits int) measure.Number {
	x, err := strconv.ParseFloat(strconv.FormatFloat(n.Float(), 'g', digits, 64), 64)
	return measure.NumIf(n.Applies() && err == nil, x)
}
