package plot

import (
	"math/rand/v2"
	"strings"
	"testing"
)

func labels(ticks []tick) string {
	var s []string
	for _, t := range ticks {
		s = append(s, t.Label)
	}
	return strings.Join(s, " ")
}

func TestTicksTable(t *testing.T) {
	for _, c := range []struct {
		s    Scale
		r    Range
		n    int
		want string
	}{
		{Scale{}, Range{0, 1}, 6, "0.0 0.2 0.4 0.6 0.8 1.0"},
		{Scale{}, Range{-1, 1}, 5, "-1.0 -0.5 0.0 0.5 1.0"},
		{Scale{}, Range{0, 13650}, 8, "0 2000 4000 6000 8000 10000 12000"},
		{Scale{}, Range{0, 1e7}, 6, "0 2M 4M 6M 8M 10M"},
		{Scale{}, Range{1, 1.0003}, 4, "1.0000 1.0001 1.0002 1.0003"},
		{Scale{Kind: Log10}, Range{0.1, 10}, 9, "0.1 0.2 0.5 1 2 5 10"},
		{Scale{Kind: Log10}, Range{1e-6, 1}, 4, "1e-6 0.0001 0.01 1"},
		{Scale{Kind: Log10}, Range{3, 4}, 3, "3.0 3.5 4.0"},
		{Scale{Kind: Log10}, Range{0.3, 5}, 2, "0.5 5"},
		{Scale{Kind: Log10}, Range{0.03, 5}, 2, "0.1 1"},
		{Scale{Kind: Symlog, linear: 1}, Range{-10, 100}, 9, "-10 -1 0 1 10 100"},
	} {
		t.Run(c.want, func(t *testing.T) {
			if got := labels(c.s.ticks(c.r, c.n)); got != c.want {
				t.Errorf("Ticks(%v, %v, %d) = %q, want %q", c.s, c.r, c.n, got, c.want)
			}
		})
	}
	if got := labels(timeTicks(Range{0, 7200}, 5)); got != "0s 30m 1h 1h30m 2h" {
		t.Errorf("timeTicks = %q, want %q", got, "0s 30m 1h 1h30m 2h")
	}
	if got := labels(timeTicks(Range{0, 90 * 86400}, 5)); got != "0s 20d 40d 60d 80d" {
		t.Errorf("timeTicks over days = %q, want %q", got, "0s 20d 40d 60d 80d")
	}
}

func TestTicksProperties(t *testing.T) {
	r := rand.New(rand.NewPCG(2, 2))
	for range draws(20_000) {
		s, in, n := scales()[r.IntN(4)], nastyRange(r), 1+r.IntN(12)
		ticks := s.ticks(in, n)
		if len(ticks) > n {
			t.Fatalf("Ticks(%v, %v, %d): %d ticks", s, in, n, len(ticks))
		}
		for i, k := range ticks {
			if !finite(k.Value) {
				t.Fatalf("Ticks(%v, %v, %d) = %v: tick %d has no value", s, in, n, ticks, i)
			}
			if i > 0 && k.Value <= ticks[i-1].Value {
				t.Fatalf("Ticks(%v, %v, %d) = %v: tick %d is out of order", s, in, n, ticks, i)
			}
			if len(k.Label) > LabelWidth {
				t.Fatalf("Ticks(%v, %v, %d) = %v: label %q has more than %d cells", s, in, n, ticks,
					k.Label, LabelWidth)
			}
		}
		if got := timeTicks(in, n); len(got) > n {
			t.Fatalf("timeTicks(%v, %d): %d ticks", in, n, len(got))
		}
	}
}
