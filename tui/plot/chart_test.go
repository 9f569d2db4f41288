package plot

import (
	"math"
	"math/rand/v2"
	"strings"
	"testing"
)

// TestSpots: a spot is drawn over its line in every charset, and none is drawn out of view.
func TestSpots(t *testing.T) {
	for _, cs := range []Charset{Lines, Braille, ASCII} {
		s := new(Series)
		for i := range 10 {
			s.Append(float64(i), float64(i))
		}
		c := Chart{X: Range{0, 9}, Y: Range{0, 9}, Charset: cs,
			Lines: []Line{{Seeds: []*Series{s}}},
			Spots: []Spot{{X: 5, Y: 5, Number: 3}, {X: 5, Y: 50}, {X: -1, Y: 5}}}
		f, _ := c.Draw(40, 12)
		var at []Cell
		for _, c := range f.Cells {
			if c.Rune == spotRune {
				at = append(at, c)
			}
		}
		if len(at) != 1 || at[0].Style != (Style{Data, 3}) {
			t.Errorf("charset %d: the spots are %+v, want one of series 3\n%s", cs, at, f)
		}
	}
}

// TestBoundIsNamed: a bound keeps its name when a line ends on it, and loses the name only where
// there is no room at all.
func TestBoundIsNamed(t *testing.T) {
	for from, want := range map[float64]bool{0: false, 6: true, 20: true} {
		s := new(Series)
		for i := range 10 {
			s.Append(float64(i), math.Max(1, 1+from-float64(i)))
		}
		c := Chart{X: Range{0, 9}, Y: Range{0, 22}, Lines: []Line{{Seeds: []*Series{s}}},
			Refs: []RefLine{{"bound", 1}}}
		f, _ := c.Draw(60, 20)
		if got := strings.Contains(f.String(), "bound"); got != want {
			t.Errorf("a line from %g above it: named %v, want %v\n%s", from, got, want, f)
		}
	}
}

// TestDataYWhole: the range of a series that is wholly in view is known without looking at its
// points.
func TestDataYWhole(t *testing.T) {
	r := rand.New(rand.NewPCG(25, 26))
	for range 500 {
		s := nastySeries(r, 1+r.IntN(100))
		for range 5 {
			grow(r, s)
			x := s.XRange()
			for _, scale := range scales() {
				c := Chart{X: Range{x.Lo - 1, x.Hi + 1}, YScale: scale,
					Lines: []Line{{Seeds: []*Series{s}}}}
				var cols columns
				want := EmptyRange()
				s.sample(&cols, c.X.usable(Scale{}), 256, nil)
				for j := range cols.cols {
					want = want.addBucket(&cols.cols[j], scale)
				}
				if got := c.DataY(); got != want {
					t.Fatalf("range %v, of the points %v", got, want)
				}
			}
		}
	}
}
