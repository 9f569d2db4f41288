package plot

import (
	"math"
	"math/rand/v2"
	"strings"
	"testing"
)

// TestHistogram: the heights of the bars are the shares of the bins, and the ticks are below their
// bins. Whatever the counts, nothing leaves the frame.
func TestHistogram(t *testing.T) {
	h := &Histogram{Counts: []float64{30, 0, 60, 10}, Ticks: []string{"0", "", "1", "4"},
		Mark: 2, Charset: Lines}
	var f Frame
	h.DrawTo(&f, 28, 10)
	lines := strings.Split(f.String(), "\n")
	column := func(x int) (n int) {
		for y := range 8 {
			if strings.ContainsRune("▁▂▃▄▅▆▇█", []rune(lines[y])[x]) {
				n++
			}
		}
		return n
	}
	for x, want := range map[int]int{5: 4, 11: 0, 17: 7, 23: 2} {
		if got := column(x); got != want {
			t.Errorf("the bar at column %d has %d rows, want %d:\n%s", x, got, want, f.String())
		}
	}
	if at := strings.Index(lines[9], "1"); at != 16 {
		t.Errorf("the tick 1 is at column %d, want 16:\n%s", at, f.String())
	}
	if !strings.Contains(lines[0], "60%") {
		t.Errorf("the first line is %q, want 60%% in it", lines[0])
	}
	r := rand.New(rand.NewPCG(7, 8))
	for range draws(2000) {
		h.Charset = Charset(r.IntN(3))
		for i := range h.Counts {
			if h.Counts[i] = nasty(r); r.IntN(5) == 0 {
				h.Counts[i] = math.NaN()
			}
		}
		w, rows := r.IntN(50), r.IntN(14)
		h.DrawTo(&f, w, rows)
		checkFrame(t, &f, w, rows, h.Charset)
	}
}
