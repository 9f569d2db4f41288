package foreign

import (
	"slices"
	"strings"
	"time"

	"drolab/runner/eventlog"
	"drolab/runner/measure"
)

// timeKeys are the columns and keys that tell when something was logged, the surest first: seconds
// since the start, or a time of day. "time" may also be how long a step took.
var timeKeys = []string{"elapsed", "_runtime", "_timestamp", "timestamp", "wall_time", unsureTime}

const unsureTime = "time"

// timeKey returns the first of the timeKeys that is among the keys, or "".
func timeKey(keys []string) string {
	for _, key := range timeKeys {
		if slices.Contains(keys, key) {
			return key
		}
	}
	return ""
}

// timing turns the times of a log into seconds since its start.
type timing struct {
	begun, ofDay bool // whether there was a time, and whether it was a time of day
	first        float64
	key          string // of the rows of a table or of lines; empty: none has told a time
	last         float64
	back         bool // the times of the rows go back, so they are none
}

// A number of at least leastDay is a time of day: seconds since 1970, of 1973 at the earliest.
// The same in milliseconds, microseconds or nanoseconds is larger by thousands each.
const leastDay, nextUnit = 1e8, 1e11

// secondsOf returns a time of a log in seconds, and whether it is a time of day.
func secondsOf(x float64) (seconds float64, ofDay bool) {
	if !(x >= leastDay) {
		return x, false
	}
	for range 3 {
		if x >= nextUnit {
			x /= 1000
		}
	}
	return x, true
}

// elapsed returns the seconds from the first time of the log up to a time, or, where the log counts
// from its start itself, that count. It is empty for what is no time.
func (t *timing) elapsed(x float64) measure.Number {
	x, ofDay := secondsOf(x)
	if !(x >= 0) || x >= nextUnit {
		return measure.Number{}
	}
	if !t.begun {
		t.begun, t.ofDay, t.first = true, ofDay, x
	}
	if t.ofDay != ofDay || ofDay && x < t.first {
		return measure.Number{}
	}
	if ofDay {
		x -= t.first
	}
	return measure.NumIf(x <= eventlog.MostElapsed, x)
}

// inOrder is elapsed for a log of rows, whose times cannot go back. Those that do are no times of
// one training: how long a step took, or a count that began anew.
func (l *Log) inOrder(key string, x float64) measure.Number {
	e := l.timing.elapsed(x)
	seconds, ofDay := secondsOf(x)
	early := ofDay && l.timing.ofDay && seconds < l.timing.first
	if l.timing.back || !e.Applies() && !early {
		return measure.Number{}
	}
	l.timing.key = key
	if early || e.Float() < l.timing.last {
		l.timing.back = true
		l.note("%s goes back, so it is not taken for the time", key)
		return measure.Number{}
	}
	l.timing.last = e.Float()
	return e
}

// again prepares for a log that is read once more from its start.
func (t *timing) again() { t.last = 0 }

// dayForms are the forms of a time of day as text. Without a zone it is taken for UTC: only
// differences count.
var dayForms = []string{time.RFC3339Nano, "2006-01-02 15:04:05.999999999Z07:00",
	"2006-01-02T15:04:05.999999999", time.DateTime + ".999999999"}

// timeOf returns a time that is a number or text.
func timeOf(v any) (x float64, ok bool) {
	switch v := v.(type) {
	case float64:
		return v, true
	case string:
		v = strings.TrimSpace(v)
		if x, ok = number(v); ok {
			return x, true
		}
		for _, form := range dayForms {
			if at, err := time.Parse(form, v); err == nil {
				return float64(at.UnixNano()) / 1e9, true
			}
		}
	}
	return 0, false
}
