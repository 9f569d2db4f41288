package plot

import (
	"math/rand/v2"
	"strings"
	"testing"
)

// TestPictureStaysInside: nothing is drawn outside the frame, whatever the values.
func TestPictureStaysInside(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	for range draws(2000) {
		w, h, cs := r.IntN(50), r.IntN(14), Charset(r.IntN(3))
		var f Film
		s := &Spread{Hi: nasty(r), Front: r.IntN(3) - 1, First: r.IntN(5) - 1,
			Charset: cs, Numbers: []uint8{0, 1}, Heads: []string{"a", "v", "b"}}
		for i := range r.IntN(6) {
			f.Append(float64(i), []float64{nasty(r), nasty(r), nasty(r)})
			s.Rows = append(s.Rows, SpreadRow{Row{Label: "基準 of it", Cells: []string{"λ"}},
				[]float64{nasty(r), nasty(r)}})
		}
		m := &HeatMap{Film: &f, Labels: []string{"a", "基準", "c"}, X: nastyRange(r),
			Values: nastyRange(r), Log: r.IntN(2) == 0, First: r.IntN(5) - 1, Head: "λ",
			Charset: cs, Shades: r.IntN(2) == 0, Cross: Cross{On: r.IntN(2) == 0, X: nasty(r)}}
		var a, b Frame
		m.DrawTo(&a, w, h)
		checkFrame(t, &a, w, h, cs)
		s.DrawTo(&b, w, h)
		checkFrame(t, &b, w, h, cs)
	}
}

// TestRowsLeftOut: where rows have no room, the last line says how many, and no row covers it.
func TestRowsLeftOut(t *testing.T) {
	s := &Spread{Hi: 1, Front: -1, Numbers: []uint8{0}}
	for _, name := range []string{"a", "b", "c", "d", "e"} {
		s.Rows = append(s.Rows, SpreadRow{Row{Label: name}, []float64{.5}})
	}
	var f Frame
	s.DrawTo(&f, 30, 3)
	lines := strings.Split(f.String(), "\n")
	if !strings.HasPrefix(lines[1], "b ") || !strings.HasPrefix(lines[2], "+3 more") {
		t.Errorf("want a line of b, then +3 more:\n%s", f.String())
	}
}
