package plot

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// TestSpikeSurvives: a spike of one point in a million is visible in every view that contains it.
func TestSpikeSurvives(t *testing.T) {
	const n, spike = 1_000_000, 654_321
	s := new(Series)
	for i := range n {
		y := 1.0
		if i == spike {
			y = 9
		}
		s.Append(float64(i), y)
	}
	for _, view := range []Range{{0, n}, {600_000, 700_000}, {654_000, 655_000}} {
		for _, w := range []int{1, 7, 160, 400} {
			var c columns
			s.sample(&c, view, w, nil)
			found := -1
			for i := range c.cols {
				if c.cols[i].Max == 9 {
					found = i
				}
			}
			want := (spike - view.Lo) / (view.Hi - view.Lo) * float64(w)
			slack := 1 + 2*float64(s.per)*float64(w)/(view.Hi-view.Lo)
			if found < 0 || math.Abs(float64(found)-want) > slack {
				t.Errorf("view %v, %d columns: spike in column %d, want %.1f", view, w, found, want)
			}
		}
	}
}

// TestSampleExact: up to the budget, and within the tail, the columns equal those of a brute-force
// computation.
func TestSampleExact(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	for _, n := range []int{1, 100, 5000, 60_000} {
		s := new(Series)
		xs, ys := make([]float64, n), make([]float64, n)
		x := 0.0
		for i := range n {
			x += float64(r.IntN(3))
			xs[i], ys[i] = x, r.NormFloat64()
			s.Append(x, ys[i])
		}
		view := Range{xs[max(0, n-3000)], x + 1}
		for _, w := range []int{1, 13, 160} {
			var c columns
			s.sample(&c, view, w, nil)
			want := make([]Bucket, w)
			for i := range n {
				if xs[i] >= view.Lo {
					b := pointBucket(xs[i], ys[i], false)
					want[min(int((xs[i]-view.Lo)*(float64(w)/(view.Hi-view.Lo))), w-1)].merge(&b)
				}
			}
			if !slices.Equal(c.cols, want) {
				t.Errorf("n=%d w=%d: columns differ from brute force", n, w)
			}
		}
	}
}

// TestZoomBetweenPoints: a line between two points is drawn even if neither of them is in view.
func TestZoomBetweenPoints(t *testing.T) {
	s := new(Series)
	s.Append(0, 1)
	s.Append(100, 3)
	for _, cs := range []Charset{Lines, Braille, ASCII} {
		c := Chart{X: Range{40, 60}, Y: Range{1, 3}, Charset: cs,
			Lines: []Line{{Name: "s", Seeds: []*Series{s}}}}
		f, _ := c.Draw(18, 3) // too small for axes
		for x := range 18 {
			if f.Row(1)[x].Style.Role != Data {
				t.Errorf("charset %d: no line in column %d:\n%s", cs, x, f)
				break
			}
		}
	}
}
