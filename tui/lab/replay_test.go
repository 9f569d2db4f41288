package lab

import (
	"testing"
	"time"

	"drolab/runner"
	"drolab/runner/eventlog"
	"drolab/runner/record"
)

// TestKeptIsListedNewestFirst: lists are in order from newest to oldest, even if the runs were
// named in another order. A replay keeps the order in which they were named.
func TestKeptIsListedNewestFirst(t *testing.T) {
	var given []*record.Run
	for i, id := range []string{"b", "a", "c"} {
		given = append(given,
			&record.Run{Meta: runner.Meta{ID: id, Created: time.Unix(int64(10*(i%2)), 0)}})
	}
	k, reads := NewKept(func() ([]*record.Run, error) { return given, nil }), ""
	shown, err := k.Runs()
	listed, problems := k.List()
	if err != nil || problems != nil {
		t.Fatal(err, problems)
	}
	for i := range given {
		reads += shown[i].Meta.ID + listed[i].Meta.ID + " "
	}
	if reads != "ba ab cc " {
		t.Errorf("shown and listed as %q", reads)
	}
}

func TestPlaces(t *testing.T) {
	end := eventlog.Moment{Seconds: 200, Step: 1000}
	for text, want := range map[string]float64{"0%": 0, "25%": 50, "100%": 200, "1m": 60, "90s": 90,
		"1h": 200, "500": 100, "0": 0, "5000": 200} {
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
