package compare

import (
	"fmt"
	"strings"
	"time"

	"drolab/runner/numeral"
)

// startedKey is the fact that is a moment.
const startedKey = "started"

// dayForm is how a day is written, as time.Format takes it.
const dayForm = "2006-01-02"

// moment is the time with which a term compares the start of a run: so long ago, or a day.
type moment struct {
	ago time.Duration
	day time.Time
}

// parseMoment reads -1h or 2026-11-29. The zero moment stands for text that is still being typed.
func parseMoment(text string) (m moment, err error) {
	if day, err := time.Parse(dayForm, text); err == nil {
		return moment{day: day}, nil
	}
	figure, ago := strings.CutPrefix(text, "-")
	length, ok := numeral.Duration(figure)
	if ok && ago && length > 0 {
		return moment{ago: length}, nil
	}
	whole := strings.TrimRight(figure, "0123456789.")
	_, wholeOK := numeral.Duration(whole)
	if strings.Trim(text, "-0123456789.") == "" || whole != figure && ago && wholeOK {
		return m, nil
	}
	return m, fmt.Errorf("%s: expected a time, as in -30m, -1h, -2d or 2026-11-29", text)
}

// holds reports whether a time compares with the moment. A day is equal to each of its times, and
// what was so long ago to the minute that begins then.
func (m moment) holds(op string, t time.Time) bool {
	from, length := m.day, 24*time.Hour
	if m.ago > 0 {
		from, length = time.Now().Add(-m.ago), time.Minute
	}
	before, after := t.Before(from), !t.Before(from.Add(length))
	switch op {
	case "<":
		return before
	case ">=":
		return !before
	case "<=":
		return !after
	case "!=":
		return before || after
	case ">":
		return after || m.ago > 0 && !before
	}
	return !before && !after
}
