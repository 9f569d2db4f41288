package lab

import (
	"testing"

	"drolab/runner/eventlog"
)

func TestPlaces(t *testing.T) {
	end := eventlog.Moment{Seconds: 200, Step: 1000}
	for text, want := range map[string]float64{"0%": 0, "25%": 50, "100%": 200, "1m": 60, "90s": 90,
		"1h": 200, "1d": 200, "1m05s": 65, "500": 100, "0": 0, "5000": 200} {
		p, err := ParsePlace(text)
		if got := p.Seconds(end); err != nil || got != want {
			t.Errorf("%s is %v s, %v; want %v", text, got, err, want)
		}
	}
	for _, text := range []string{"", "-1", "101%", "x%", "NaN%", "-3s", "soon"} {
		if _, err := ParsePlace(text); err == nil {
			t.Errorf("%q was read", text)
		}
	}
}
