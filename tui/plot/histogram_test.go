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
	a, b, c, d := column(5), column(11), column(17), column(23)
	if c != 7 || a != 4 || b != 0 || d != 2 {
		t.Errorf("bars of %d, %d, %d and %d rows:\n%s", a, b, c, d, f.String())
	}
	if ticks := lines[9]; strings.Index(ticks, "1") != 16 || !strings.Contains(lines[0], "60%") {
		t.Errorf("ticks %q:\n%s", ticks, f.String())
	}
	r := rand.New(rand.NewPCG(7, 8))
	for range 2000 {
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
