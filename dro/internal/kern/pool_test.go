package kern

import (
	"math"
	"math/rand/v2"
	"testing"
)

func TestAveragePool(t *testing.T) {
	r := rand.New(rand.NewPCG(24, 25))
	for _, images := range batchSizes {
		b, s := NewBatch(images), Shape{3, 4, 5}
		plain, flat := random(t, r, images*s.Len()), random(t, r, images*s.Channels)
		p := NewAveragePool(Detect(), b, s)
		y, dx, dy := guarded(t, b.Len(p.Out())), guarded(t, b.Len(s)), guarded(t, b.Len(p.Out()))
		p.Forward(nil, y, packed(t, r, b, s, plain))
		means, spread := newSums(len(flat)), make([]float64, len(plain))
		for i, v := range plain {
			means.add(i/20, float64(v)/20)
			spread[i] = float64(flat[i/20]) / 20
		}
		near(t, "y", gather(b, p.Out(), y), means.value, means.scale)
		clear(dy)
		scatter(b, p.Out(), dy, flat)
		p.Backward(nil, dx, dy)
		close64(t, "dx", gather(b, s, dx), spread)
	}
}

// tied returns n guarded values of a few levels, some of them NaN, so that windows have ties.
func tied(t *testing.T, r *rand.Rand, n int) []float32 {
	s := guarded(t, n)
	for i := range s {
		s[i] = float32(r.IntN(4) - 1)
		if r.IntN(50) == 0 {
			s[i] = float32(math.NaN())
		}
	}
	return s
}

func TestMaxPool(t *testing.T) {
	r := rand.New(rand.NewPCG(10, 11))
	for _, images := range batchSizes {
		for _, in := range []Shape{{3, 7, 6}, {3, 4, 5}, {2, 3, 3}} {
			for _, relu := range []bool{false, true} {
				b := NewBatch(images)
				x := tied(t, r, b.Len(in))
				eachISA(t, func(t *testing.T, isa ISA) {
					m := NewMaxPool(isa, b, in)
					y, dx := guarded(t, b.Len(m.Out())), guarded(t, len(x))
					dy := random(t, r, len(y))
					m.Forward(nil, y, x)
					m.Backward(nil, dx, x, y, dy, relu)
					checkPool(t, b, in, m.Out(), relu, x, y, dx, dy)
				})
			}
		}
	}
}

// checkPool follows each window by the definition: the first maximum in row order gets the
// gradient, everything else 0.
func checkPool(t *testing.T, b Batch, in, out Shape, relu bool, x, y, dx, dy []float32) {
	t.Helper()
	want := make([]float32, len(dx))
	depth := in.Channels * b.Lanes
	for o := range y {
		block, j := o/(out.Len()*b.Lanes), o%depth
		row, col := o/depth/out.Width%out.Height, o/depth%out.Width
		best := -1
		for k := range 4 {
			i := ((block*in.Height+2*row+k/2)*in.Width+2*col+k%2)*depth + j
			if best < 0 || x[best] == x[best] && (x[i] > x[best] || x[i] != x[i]) {
				best = i
			}
		}
		if y[o] != x[best] && (y[o] == y[o] || x[best] == x[best]) {
			t.Fatalf("y[%d] = %v, want %v", o, y[o], x[best])
		}
		if !relu || !(y[o] <= 0) {
			want[best] = dy[o]
		}
	}
	for i := range dx {
		if dx[i] != want[i] {
			t.Fatalf("%v relu %v: dx[%d] = %v, want %v", in, relu, i, dx[i], want[i])
		}
	}
}
