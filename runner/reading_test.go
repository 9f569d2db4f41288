package runner

import (
	"testing"
	"time"
)

// The time left follows from the pace of the last seconds. What was read before, as of an earlier
// reading, does not count, and at first nothing is known.
func TestPaceOfReading(t *testing.T) {
	var p ReadingPace
	at := time.Unix(0, 0)
	for _, c := range []struct {
		after time.Duration
		done  int
		want  time.Duration
	}{
		{0, 4000, 0},
		{500 * time.Millisecond, 4050, 0},
		{500 * time.Millisecond, 4100, 59 * time.Second},
		{time.Second, 4200, 58 * time.Second},
		{time.Second, 4200, 87 * time.Second}, // it stood still for a second
		{40 * time.Second, 8200, 18428571428}, // 4200 in 43 s, 1800 left
	} {
		at = at.Add(c.after)
		if got := p.Left(c.done, 10_000, at); got != c.want {
			t.Errorf("%v: %d of 10000 read: %v left, want %v", at.Unix(), c.done, got, c.want)
		}
	}
	for i := range 100 { // a new pace prevails
		at = at.Add(time.Second)
		p.Left(8200+i, 10_000, at)
	}
	if got, want := p.Left(8299, 10_000, at), 1701*time.Second; got != want {
		t.Errorf("at one a second: %v left, want %v", got, want)
	}
	r := Reading{What: "samples", Done: 8299, Of: 10_000, Left: 1701 * time.Second}
	if got, want := r.String(), "reading samples: 8299 of 10000, ETA 28:21"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}
