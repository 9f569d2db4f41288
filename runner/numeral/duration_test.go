package numeral

import (
	"testing"
	"time"
)

// TestDuration: a duration is numbers with units, the longest unit first.
func TestDuration(t *testing.T) {
	const day = 24 * time.Hour
	for text, want := range map[string]time.Duration{
		"0": 0, "0s": 0, "90m": 90 * time.Minute, "1d": day, "2w": 14 * day,
		"1d12h": 36 * time.Hour,
		"3m20s": 200 * time.Second, "2h05m": 125 * time.Minute, "1.5h": 90 * time.Minute,
		" 8h ": 8 * time.Hour, "20ms": 20 * time.Millisecond, "1w2d3h4m5s6ms": 9*day + 3*time.Hour +
			4*time.Minute + 5*time.Second + 6*time.Millisecond, "0.1s": 100 * time.Millisecond,
	} {
		if got, ok := Duration(text); !ok || got != want {
			t.Errorf("Duration(%q) = %v, %v, want %v", text, got, ok, want)
		}
	}
	for _, text := range []string{"", " ", "1", "90", "h", "-1h", "+1h", "1h1h", "1m1h", "1 y",
		"1y", "1µs", "1h30", "infd", "1e400s", "1000000w", "1H", "1h -2m", "1h+2m"} {
		if got, ok := Duration(text); ok {
			t.Errorf("Duration(%q) = %v, want none", text, got)
		}
	}
}
