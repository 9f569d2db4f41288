package plot

import (
	"math/rand/v2"
	"testing"
)

// grow adds points to a series, breaks it and rewinds it, as a run does that goes on and is
// resumed.
func grow(r *rand.Rand, s *Series) {
	x, _, _ := s.Last()
	for range r.IntN(9) {
		x += r.Float64() * float64(r.IntN(3))
		y := r.NormFloat64()
		switch r.IntN(16) {
		case 0, 1:
			y = nasty(r)
		case 2, 3, 4, 5, 6, 7:
			y = 0.5
		}
		s.Append(x, y)
		switch r.IntN(40) {
		case 0, 1, 2, 3, 4:
			s.interrupt()
		case 5:
			x *= r.Float64()
			s.Rewind(x)
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
