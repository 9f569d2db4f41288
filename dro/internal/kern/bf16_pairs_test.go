package kern

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"
)

func needPairs(t *testing.T) {
	t.Helper()
	if !AVX512BF16.Available() {
		t.Skip("no bf16 instructions here: ", DetectBF16())
	}
}

// values returns the values that r holds, in the order of the activation.
func (r *Rounding) values() []float32 {
	halves := halves(r.pairs)
	values := make([]float32, len(halves))
	for i := range values {
		bits := halves[i/tileDepth*tileDepth+place(i%tileDepth)]
		values[i] = math.Float32frombits(uint32(bits) << 16)
	}
	return values
}

func newGuardedRounding(t *testing.T, b Batch, s Shape) *Rounding {
	return &Rounding{pairs: guarded(t, b.Len(s)/2)}
}

func TestRounding(t *testing.T) {
	needPairs(t)
	for _, images := range []int{128, 60, 20} {
		b, s := NewBatch(images), Shape{5, 3, 2}
		x := random(t, rand.New(rand.NewPCG(1, 2)), b.Len(s))
		r := newGuardedRounding(t, b, s)
		r.Round(nil, x)
		for i, v := range r.values() {
			if v != nearestBF16(x[i]) {
				t.Fatalf("of %d images value %d is %v, want %v", images, i, v, nearestBF16(x[i]))
			}
		}
	}
	if _, err := NewRounding(NewBatch(40), Shape{1, 1, 1}); err == nil {
		t.Error("lines of 48 images are taken")
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
		pass(must(NewBatchNorm(AVX512, b, s, true)), wantY, wantDX)
		for _, alone := range []bool{false, true} {
			n := must(NewBatchNorm(AVX512, b, s, true))
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
		c := must(must(NewConv(AVX512, b, tc.cfg)).BF16(AVX512BF16, new(Workspace), true))
		x, dy := random(t, r, b.Len(tc.cfg.In)), random(t, r, b.Len(c.Out()))
		w := random(t, r, c.weightLen())
		plus := random(t, r, len(x))
		run := func(x, act, dy []float32) (all []float32) {
			y, dx, dw := guarded(t, len(dy)), guarded(t, len(x)), guarded(t, len(w))
			c.Forward(nil, y, x, w, nil)
			c.BackwardSum(nil, dx, dy, w, act, plus)
			c.BackwardWeights(nil, dw, nil, x, dy, false)
			return append(append(y, dx...), dw...)
		}
		want := run(x, x, dy)
		roundX, roundDY := newGuardedRounding(t, b, tc.cfg.In), newGuardedRounding(t, b, c.Out())
		roundX.Round(nil, x)
		roundDY.Round(nil, dy)
		c.Given(roundX, roundDY)
		other := random(t, r, max(len(x), len(dy)))
		sameBits(t, caseName(tc.images, tc.cfg),
			run(other[:len(x)], other[:len(x)], other[:len(dy)]), want)
	}
}
