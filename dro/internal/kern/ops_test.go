package kern

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"
)

var batchSizes = []int{1, 7, 16, 100, 128, 130}

func TestNewBatch(t *testing.T) {
	for n, want := range map[int]Batch{
		0: {1, 1, 16}, 1: {1, 1, 16}, 17: {17, 1, 32}, 64: {64, 1, 64},
		65: {65, 2, 48}, 128: {128, 2, 64}, 130: {130, 3, 48},
	} {
		if got := NewBatch(n); got != want {
			t.Errorf("NewBatch(%d) = %+v, want %+v", n, got, want)
		}
	}
}

func TestLayout(t *testing.T) {
	r := rand.New(rand.NewPCG(8, 9))
	for _, images := range batchSizes {
		for _, s := range []Shape{{1, 1, 1}, {3, 5, 7}, {3, 8, 8}, {2, 1, 16}} {
			b := NewBatch(images)
			for _, held := range []int{images, images - 1, 0} {
				eachISA(t, func(t *testing.T, isa ISA) {
					l := NewLayout(isa, b, s)
					src, dst := random(t, r, held*s.Len()), guarded(t, b.Len(s))
					want := make([]float32, b.Len(s))
					scatter(b, s, want, append(append([]float32{}, src...),
						make([]float32, (images-held)*s.Len())...))
					l.Pack(nil, dst, src)
					sameBits(t, fmt.Sprintf("packed %d of %d %v", held, images, s), dst, want)
					back := guarded(t, len(src))
					l.Unpack(back, dst)
					sameBits(t, "unpacked", back, src)
				})
			}
		}
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

func TestReLUBackward(t *testing.T) {
	r := rand.New(rand.NewPCG(12, 13))
	for _, n := range []int{0, 1, 15, 16, 17, 63, 16<<10 + 33} {
		y, dy := tied(t, r, n), random(t, r, n)
		eachISA(t, func(t *testing.T, isa ISA) {
			dst := guarded(t, n)
			op := NewSum(isa)
			op.Run(nil, dst, dy, nil, y)
			for i := range dst {
				if want := dy[i] * boolFloat(!(y[i] <= 0)); dst[i] != want {
					t.Fatalf("dst[%d] = %v, want %v", i, dst[i], want)
				}
			}
			copy(dst, dy)
			again := guarded(t, n)
			op.Run(nil, again, dy, nil, y)
			op.Run(nil, dst, dst, nil, y)
			sameBits(t, "in place", dst, again)
		})
	}
}

func TestSGD(t *testing.T) {
	r := rand.New(rand.NewPCG(14, 15))
	c := SGDConfig{LearningRate: .1, Momentum: .9, WeightDecay: .01}
	for _, n := range []int{1, 7, 16, 33, 2*sgdChunk + 19} {
		w0, v0, g := random(t, r, n), random(t, r, n), random(t, r, n)
		eachISA(t, func(t *testing.T, isa ISA) {
			w, v := guarded(t, n), guarded(t, n)
			copy(w, w0)
			copy(v, v0)
			s := NewSGD(isa, n)
			norm := s.Step(nil, w, v, g, c)
			want := 0.0
			for i := range g {
				want += float64(g[i]) * float64(g[i])
				wantV := .9*float64(v0[i]) + float64(g[i]) + .01*float64(w0[i])
				wantW := float64(w0[i]) - .1*wantV
				if math.Abs(float64(v[i])-wantV) > 2e-6 || math.Abs(float64(w[i])-wantW) > 2e-6 {
					t.Fatalf("w, v [%d] = %v, %v, want %v, %v", i, w[i], v[i], wantW, wantV)
				}
			}
			if math.Abs(norm-want) > 1e-12*want {
				t.Fatalf("norm² = %v, want %v", norm, want)
			}
			team := NewTeam(3)
			defer team.Close()
			if got := s.SquaredNorm(team, g); got != norm {
				t.Fatalf("SquaredNorm on 3 threads = %v, Step's %v", got, norm)
			}
		})
	}
}

// TestSGDInTwoParts checks both halves by hand, and that the number of threads does not change
// their bits.
func TestSGDInTwoParts(t *testing.T) {
	r := rand.New(rand.NewPCG(28, 29))
	m := AccumulateConfig{Momentum: .9, Keep: .25, Scale: .5, WeightDecay: .01}
	for _, n := range []int{1, 17, 2*sgdChunk + 19} {
		w0, v0, g := random(t, r, n), random(t, r, n), random(t, r, n)
		eachISA(t, func(t *testing.T, isa ISA) {
			w, v := guarded(t, n), guarded(t, n)
			copy(w, w0)
			copy(v, v0)
			s := NewSGD(isa, n)
			norm := s.Accumulate(nil, w, v, g, m)
			s.Advance(nil, w, v, .1)
			want := 0.0
			for i := range g {
				wantV := .9*float64(v0[i]) + .25*(.5*float64(g[i])+.01*float64(w0[i]))
				wantW := float64(w0[i]) - .1*wantV
				want += wantV * wantV
				if math.Abs(float64(v[i])-wantV) > 2e-6 || math.Abs(float64(w[i])-wantW) > 2e-6 {
					t.Fatalf("w, v [%d] = %v, %v, want %v, %v", i, w[i], v[i], wantW, wantV)
				}
			}
			if math.Abs(norm-want) > 1e-6*want {
				t.Fatalf("‖v‖² = %v, want %v", norm, want)
			}
			team := NewTeam(3)
			defer team.Close()
			again, moved := guarded(t, n), guarded(t, n)
			copy(again, v0)
			copy(moved, w0)
			if got := s.Accumulate(team, moved, again, g, m); got != norm {
				t.Fatalf("‖v‖² on 3 threads = %v, on one %v", got, norm)
			}
			s.Advance(team, moved, again, .1)
			sameBits(t, "v", again, v)
			sameBits(t, "w", moved, w)
		})
	}
}

// FuzzLayout checks that Pack and Unpack are inverse and that Pack agrees with the definition, on
// every ISA.
func FuzzLayout(f *testing.F) {
	f.Add(uint8(19), uint8(17), uint8(3), uint8(5), uint8(9))
	f.Fuzz(func(t *testing.T, images, held, channels, height, width uint8) {
		b := NewBatch(1 + int(images))
		s := Shape{1 + int(channels%5), 1 + int(height%20), 1 + int(width%20)}
		n := int(held) % (b.Images + 1)
		r := rand.New(rand.NewPCG(18, 19))
		src := random(t, r, n*s.Len())
		want := make([]float32, b.Len(s))
		scatter(b, s, want, append(append([]float32{}, src...),
			make([]float32, (b.Images-n)*s.Len())...))
		for _, isa := range isas() {
			l := NewLayout(isa, b, s)
			dst, back := guarded(t, b.Len(s)), guarded(t, len(src))
			l.Pack(nil, dst, src)
			sameBits(t, "packed", dst, want)
			l.Unpack(back, dst)
			sameBits(t, "unpacked", back, src)
		}
	})
}
