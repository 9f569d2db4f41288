package plot

import (
	"math/rand/v2"
	"slices"
	"testing"
)

// grow adds, breaks and rewinds, as a run that goes on and is resumed.
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
			s.Break()
		case 5:
			x *= r.Float64()
			s.Rewind(x)
		}
	}
}

// A frame that is drawn into again and again looks like a new one.
func TestKeptLooksNew(t *testing.T) {
	r := rand.New(rand.NewPCG(21, 22))
	for range 100 {
		c := nastyChart(r)
		c.X = Range{0, 60}
		w, h := 1+r.IntN(60), 1+r.IntN(20)
		f := new(Frame)
		for range 30 {
			for i := range c.Lines {
				if s := c.Lines[i].Series; s != nil {
					grow(r, s)
				}
			}
			switch r.IntN(20) {
			case 0:
				w, h = 1+r.IntN(60), 1+r.IntN(20)
			case 1:
				c.X = Range{0, float64(10 + r.IntN(100))}
			case 2:
				c.Charset = Charset(r.IntN(3))
			case 3:
				slices.Reverse(c.Lines)
			case 4:
				c.YScale = scales()[r.IntN(4)]
			}
			c.Y = c.FitY()
			report := c.DrawTo(f, w, h)
			fresh, want := c.Draw(w, h)
			if !slices.Equal(f.Cells, fresh.Cells) || report != want {
				t.Fatalf("%+v, drawn again:\n%s\nnew, %+v:\n%s", report, f, want, fresh)
			}
		}
	}
}

// Long series merge their buckets, and their latest points are kept apart.
func TestKeptLongSeries(t *testing.T) {
	r := rand.New(rand.NewPCG(23, 24))
	s, f := NewSeries("s"), new(Frame)
	c := Chart{Lines: []Line{{Series: s}}}
	for n := 1; s.Len() < 40_000; n += 1 + n/3 {
		for range n {
			s.Append(float64(s.Len()), r.NormFloat64())
		}
		for _, view := range []Range{{0, 40_000}, {float64(s.Len() - 50), float64(s.Len())}} {
			c.X = view
			c.Y = c.FitY()
			c.DrawTo(f, 70, 12)
			if fresh, _ := c.Draw(70, 12); !slices.Equal(f.Cells, fresh.Cells) {
				t.Fatalf("%d points in %v, drawn again:\n%s\nnew:\n%s", s.Len(), view, f, fresh)
			}
		}
	}
}

// The range of a series that is wholly in view is known without a look at its
// points.
func TestDataYWhole(t *testing.T) {
	r := rand.New(rand.NewPCG(25, 26))
	for range 500 {
		s := nastySeries(r, 1+r.IntN(100))
		for range 5 {
			grow(r, s)
			x := s.XRange()
			for _, scale := range scales() {
				c := Chart{X: Range{x.Lo - 1, x.Hi + 1}, YScale: scale, Lines: []Line{{Series: s}}}
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
