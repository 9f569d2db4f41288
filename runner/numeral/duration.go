package numeral

import (
	"math"
	"strings"
	"time"
)

// units are the units of a duration, the longest first.
var units = []struct {
	name   string
	length time.Duration
}{{"w", 7 * 24 * time.Hour}, {"d", 24 * time.Hour}, {"h", time.Hour}, {"m", time.Minute},
	{"s", time.Second}, {"ms", time.Millisecond}}

// Duration returns the time that a text states: numbers with their units, the longest unit first,
// as in 90m, 1d12h or 1.5h. Zero needs no unit.
func Duration(text string) (d time.Duration, ok bool) {
	text = strings.Trim(text, " \t")
	if text == "0" {
		return 0, true
	}
	if strings.ContainsAny(text, "+- \t") {
		return 0, false
	}
	total, before := 0.0, -1
	for text != "" {
		end := strings.IndexFunc(text, isLetter)
		if end <= 0 {
			return 0, false
		}
		name := text[end:]
		if i := strings.IndexFunc(name, func(r rune) bool { return !isLetter(r) }); i >= 0 {
			name = name[:i]
		}
		x, isNumber := Float(text[:end])
		unit := unitOf(name)
		if !isNumber || unit <= before {
			return 0, false
		}
		total += x * float64(units[unit].length)
		text, before = text[end+len(name):], unit
	}
	if before < 0 || total >= math.MaxInt64 {
		return 0, false
	}
	return time.Duration(math.Round(total)), true
}

func isLetter(r rune) bool { return r >= 'a' && r <= 'z' }

// unitOf returns the place of a unit in units; -1 for a name that is none.
func unitOf(name string) int {
	for i, u := range units {
		if u.name == name {
			return i
		}
	}
	return -1
}
