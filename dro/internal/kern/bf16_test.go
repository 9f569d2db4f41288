package kern

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"drolab/dro/testsize"
)

// eachBF16 runs f for every kernel of this machine, and skips the other kernels by name.
func eachBF16(t *testing.T, f func(t *testing.T, kind BF16, isa ISA)) {
	for _, isa := range ISAs() {
		t.Run(Rounded.On(isa), func(t *testing.T) { f(t, Rounded, isa) })
	}
	for kind := AVX512BF16; kind <= AMX; kind++ {
		t.Run(kind.String(), func(t *testing.T) {
			if !kind.Available() {
				t.Skipf("no %v here: the best is %v", kind, DetectBF16())
			}
			f(t, kind, AVX512)
		})
	}
}

// newBF16Problem returns a convolution of rounded operands; its float64 results are exact sums. The
// bias's gradient is that of dy itself, which is rounded here, too.
func newBF16Problem(t *testing.T, r *rand.Rand, images int, cfg ConvConfig) *convProblem {
	return newRoundedProblem(t, r, images, cfg, nearestBF16)
}

func TestBF16AgainstFloat64(t *testing.T) {
	for i, tc := range bf16Cases() {
		if testing.Short() && i%4 > 0 {
			continue
		}
		t.Run(caseName(tc.images, tc.cfg), func(t *testing.T) {
			p := newBF16Problem(t, rand.New(rand.NewPCG(1, 2)), tc.compared(), tc.cfg)
			eachBF16(t, func(t *testing.T, kind BF16, isa ISA) { p.checkBF16(t, kind, isa) })
		})
	}
}

// bf16Cases returns convCases and geometries that leave remainders beside tiles of 16 and 32.
func bf16Cases() []convCase {
	return append(convCases[:len(convCases):len(convCases)],
		convCase{100, ConvConfig{In: Shape{33, 3, 3}, Out: 35, KernelHeight: 3, KernelWidth: 3,
			Stride: 1, Pad: 1}},
		convCase{64, ConvConfig{In: Shape{48, 4, 5}, Out: 50, KernelHeight: 5, KernelWidth: 4,
			Stride: 2, Pad: 2,
			ReLU: true}},
		convCase{31, ConvConfig{In: Shape{17, 6, 6}, Out: 16, KernelHeight: 5, KernelWidth: 5,
			Stride: 1, Pad: 1}},
		convCase{128, Linear(Shape{130, 1, 1}, 67, true)},
		// products of roundings
		convCase{120, ConvConfig{In: Shape{16, 17, 16}, Out: 32, KernelHeight: 3, KernelWidth: 3,
			Stride: 2, Pad: 1, ReLU: true}},
		convCase{60, ConvConfig{In: Shape{64, 5, 4}, Out: 16, KernelHeight: 3, KernelWidth: 3,
			Stride: 1, Pad: 1}},
		convCase{20, ConvConfig{In: Shape{32, 7, 8}, Out: 64, KernelHeight: 1, KernelWidth: 1,
			Stride: 2}},
		// products of runs of roundings
		convCase{70, ConvConfig{In: Shape{3, 8, 7}, Out: 16, KernelHeight: 4, KernelWidth: 3,
			Stride: 1, Pad: 1, ReLU: true}},
		convCase{128, ConvConfig{In: Shape{3, 7, 9}, Out: 32, KernelHeight: 5, KernelWidth: 5,
			Stride: 2, Pad: 2}},
		convCase{30, ConvConfig{In: Shape{5, 6, 6}, Out: 16, KernelHeight: 2, KernelWidth: 2,
			Stride: 3}},
	)
}

func (p *convProblem) checkBF16(t *testing.T, kind BF16, isa ISA) {
	for _, data := range []bool{true, false} {
		p.checkDirections(t, kind, isa, data)
	}
}

// checkDirections checks the directions of a layer; data is false for the first layer, which has no
// gradient of its input.
func (p *convProblem) checkDirections(t *testing.T, kind BF16, isa ISA, data bool) {
	r := rand.New(rand.NewPCG(3, 4))
	c := must(NewConv(isa, p.b, p.cfg)).BF16(kind, new(Workspace), data)
	for _, s := range [][]uint16{c.space.a, c.space.b} {
		for i := range s {
			s[i] = uint16(math.Float32bits(canary) >> 16) // whatever was there before
		}
	}
	x, dy := packed(t, r, p.b, p.cfg.In, p.x), packed(t, r, p.b, p.out, p.dy)
	zeroPadding(p.b, dy)

	y := guarded(t, p.b.Len(p.out))
	c.Forward(nil, y, x, p.w, p.bias)
	near(t, "y", gather(p.b, p.out, y), p.y.value, p.y.scale)

	if data {
		p.checkData(t, c, x, dy)
	}
	dw, db := guarded(t, len(p.w)), guarded(t, p.cfg.Out)
	c.BackwardWeights(nil, dw, db, x, dy, false)
	near(t, "dw", dw, p.dw.value, p.dw.scale)
	near(t, "db", db, p.db.value, p.db.scale)
	c.BackwardWeights(nil, dw, db, x, dy, true)
	near(t, "dw, twice", halved(dw), p.dw.value, p.dw.scale)
	near(t, "db, twice", halved(db), p.db.value, p.db.scale)
}

func (p *convProblem) checkData(t *testing.T, c *BF16Conv, x, dy []float32) {
	dx := guarded(t, len(x))
	c.BackwardData(nil, dx, dy, p.w, nil, nil)
	near(t, "dx", gather(p.b, p.cfg.In, dx), p.dx.value, p.dx.scale)
	masked := guarded(t, len(x))
	c.BackwardData(nil, masked, dy, p.w, x, nil)
	for i := range masked {
		if want := dx[i] * boolFloat(x[i] > 0); masked[i] != want {
			t.Fatalf("masked dx[%d] = %v, want %v", i, masked[i], want)
		}
	}
	if reads, _ := c.ReadsRoundings(); !reads {
		return
	}
	plus, added := random(t, rand.New(rand.NewPCG(7, 8)), len(x)), guarded(t, len(x))
	c.BackwardData(nil, added, dy, p.w, x, plus)
	for i := range added {
		if want := (dx[i] + plus[i]) * boolFloat(x[i] > 0); added[i] != want {
			t.Fatalf("dx[%d] with another = %v, want %v", i, added[i], want)
		}
	}
}

func TestBF16SameBitsOnAnyTeam(t *testing.T) {
	own := bf16Cases()[len(convCases):]
	tiles, roundings, runs := own[0], own[4], own[8]
	for _, tc := range testsize.Few(3, convCases[2], tiles, runs, convCases[4], convCases[14],
		roundings) {
		eachBF16(t, func(t *testing.T, kind BF16, isa ISA) {
			r := rand.New(rand.NewPCG(5, 6))
			b := NewBatch(tc.images)
			data := !BF16Runs(kind, b, tc.cfg) // only a first layer has products of runs
			c := must(NewConv(isa, b, tc.cfg)).BF16(kind, new(Workspace), data)
			x, dy := random(t, r, b.Len(tc.cfg.In)), random(t, r, b.Len(c.Out()))
			w, bias := random(t, r, c.weightLen()), random(t, r, tc.cfg.Out)
			run := func(team *Team) []float32 {
				all := guarded(t, len(dy)+len(x)+len(w)+len(bias))
				y, rest := all[:len(dy)], all[len(dy):]
				dx, rest := rest[:len(x)], rest[len(x):]
				c.Forward(team, y, x, w, bias)
				if data {
					c.BackwardData(team, dx, dy, w, x, nil)
				}
				c.BackwardWeights(team, rest[:len(w)], rest[len(w):], x, dy, false)
				return all
			}
			want := run(nil)
			for _, n := range []int{2, 3} {
				team := NewTeam(n)
				defer team.Close()
				for range (repeats(isa) + 1) / 2 {
					sameBits(t, fmt.Sprintf("%d threads", n), run(team), want)
				}
			}
		})
	}
}

func TestNearestBF16(t *testing.T) {
	inf := float32(math.Inf(1))
	for _, tc := range []struct{ x, want float32 }{
		{0, 0}, {1, 1}, {-3, -3}, {inf, inf}, {-inf, -inf},
		{1 + 1.0/256, 1},                     // a tie goes to the even neighbour below
		{1 + 3.0/256, 1 + 4.0/256},           // and to the even one above
		{1 + 1.0/256 + 0x1p-23, 1 + 1.0/128}, // just above a tie
		{math.MaxFloat32, inf},
		{0x1p-127, 0}, {0x1p-126, 0x1p-126},
	} {
		if got := nearestBF16(tc.x); got != tc.want {
			t.Errorf("%v is rounded to %v, want %v", tc.x, got, tc.want)
		}
	}
	for _, bits := range []uint32{0x7f800001, 0x7fffffff, 0xffc00000} {
		if got := nearestBF16(math.Float32frombits(bits)); got == got {
			t.Errorf("NaN %#x is rounded to %v", bits, got)
		}
	}
}

// The instructions round as the reference does, whatever the value.
func TestBF16RoundsAsTheReference(t *testing.T) {
	if DetectBF16() == Rounded {
		t.Skip("no bf16 instructions here")
	}
	r := rand.New(rand.NewPCG(8, 9))
	offsets := offsetsOf(tileSide, tileDepth)
	src, dst := Alloc(tileLen), make([]uint16, tileLen)
	for range 2000 {
		for i := range src {
			src[i] = math.Float32frombits(r.Uint32())
			if r.IntN(4) == 0 { // a tie, or next to one
				src[i] = math.Float32frombits(
					r.Uint32()&0xffff0000 + 0x8000 + uint32(r.IntN(3)) - 1)
			}
		}
		packRows(dst, src, 0, offsets[:], tileDepth, false)
		for i, x := range src {
			got, want := math.Float32frombits(uint32(dst[i])<<16), nearestBF16(x)
			same := math.Float32bits(got) == math.Float32bits(want)
			if want == want && !same || want != want && got == got {
				t.Fatalf("%v (%#x) is rounded to %v, want %v", x, math.Float32bits(x), got, want)
			}
		}
	}
}

func FuzzBF16(f *testing.F) {
	f.Add(uint8(7), uint8(3), uint8(9), uint8(8), uint8(5), uint8(3), uint8(3), uint8(1), uint8(1))
	f.Add(uint8(79), uint8(33), uint8(2), uint8(2), uint8(40), uint8(2), uint8(2), uint8(0),
		uint8(1))
	f.Fuzz(func(t *testing.T, images, channels, height, width, out, kh, kw, stride, pad uint8) {
		cfg := ConvConfig{
			In:           Shape{1 + int(channels%70), 1 + int(height%6), 1 + int(width%6)},
			Out:          1 + int(out%70),
			KernelHeight: 1 + int(kh%5), KernelWidth: 1 + int(kw%5),
			Stride: 1 + int(stride%4), Pad: int(pad % 4), ReLU: pad&64 != 0,
		}
		if _, err := cfg.OutShape(); err != nil {
			return
		}
		p := newBF16Problem(t, rand.New(rand.NewPCG(7, uint64(images))), 1+int(images%80), cfg)
		for kind := Rounded; kind.Available(); kind++ {
			p.checkBF16(t, kind, Detect())
		}
	})
}

func needPairs(t *testing.T) {
	t.Helper()
	if !AVX512BF16.Available() {
		t.Skip("no bf16 instructions here: ", DetectBF16())
	}
}

// Batch normalisation that rounds its results gives the rounding of the results that it writes
// without rounding.
func TestNormsThatRound(t *testing.T) {
	needPairs(t)
	for _, images := range []int{128, 50, 20} {
		b, s := NewBatch(images), Shape{6, 3, 5}
		r := rand.New(rand.NewPCG(3, 4))
		x, dy, plus := random(t, r, b.Len(s)), random(t, r, b.Len(s)), random(t, r, b.Len(s))
		zeroPadding(b, x)
		gamma, beta := random(t, r, s.Channels), random(t, r, s.Channels)
		pass := func(n *BatchNorm, y, dx []float32) {
			dgamma, dbeta := guarded(t, s.Channels), guarded(t, s.Channels)
			n.Forward(nil, y, x, gamma, beta, plus, images)
			n.Backward(nil, dx, dgamma, dbeta, x, dy, gamma, false)
		}
		wantY, wantDX := guarded(t, len(x)), guarded(t, len(x))
		pass(NewBatchNorm(AVX512, b, s, true), wantY, wantDX)
		for _, alone := range []bool{false, true} {
			n := NewBatchNorm(AVX512, b, s, true)
			roundY, roundDX := newGuardedRounding(t, b, s), newGuardedRounding(t, b, s)
			n.RoundForward(roundY, alone)
			n.RoundBackward(roundDX, alone)
			y, dx := guarded(t, len(x)), guarded(t, len(x))
			untouched := append([]float32(nil), y...)
			pass(n, y, dx)
			if alone {
				sameBits(t, "y", y, untouched)
				sameBits(t, "dx", dx, untouched)
			} else {
				sameBits(t, "y", y, wantY)
				sameBits(t, "dx", dx, wantDX)
			}
			for k, got := range []*Rounding{roundY, roundDX} {
				want := newGuardedRounding(t, b, s)
				want.Round(nil, [][]float32{wantY, wantDX}[k])
				sameBits(t, fmt.Sprintf("rounding %d of %d images", k, images),
					got.values(), want.values())
			}
		}
	}
}

// Products read the roundings that they are given in place of the values, and of the masks, and
// give the same bits.
func TestProductsOfGivenRoundings(t *testing.T) {
	needPairs(t)
	for _, tc := range bf16Cases() {
		b := NewBatch(tc.images)
		if !BF16Pairs(AVX512BF16, b, tc.cfg) {
			continue
		}
		r := rand.New(rand.NewPCG(5, 6))
		c := must(NewConv(AVX512, b, tc.cfg)).BF16(AVX512BF16, new(Workspace), true)
		x, dy := random(t, r, b.Len(tc.cfg.In)), random(t, r, b.Len(c.Out()))
		w := random(t, r, c.weightLen())
		plus := random(t, r, len(x))
		run := func(x, act, dy []float32) (all []float32) {
			y, dx, dw := guarded(t, len(dy)), guarded(t, len(x)), guarded(t, len(w))
			c.Forward(nil, y, x, w, nil)
			c.BackwardData(nil, dx, dy, w, act, plus)
			c.BackwardWeights(nil, dw, nil, x, dy, false)
			return append(append(y, dx...), dw...)
		}
		want := run(x, x, dy)
		roundX, roundDY := newGuardedRounding(t, b, tc.cfg.In), newGuardedRounding(t, b, c.Out())
		roundX.Round(nil, x)
		roundDY.Round(nil, dy)
		c.SetRoundings(roundX, roundDY)
		other := random(t, r, max(len(x), len(dy)))
		sameBits(t, caseName(tc.images, tc.cfg),
			run(other[:len(x)], other[:len(x)], other[:len(dy)]), want)
	}
}
