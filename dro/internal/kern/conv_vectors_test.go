package kern

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"drolab/dro/testsize"
)

// TestCopiedVectorsSameBits checks that copies of vectors of lanes change no bit of a convolution's
// outputs and input gradients, on any number of threads. Every geometry gets copies here, those too
// that gain nothing by them.
func TestCopiedVectorsSameBits(t *testing.T) {
	manyWeights := []convCase{ // of which a task has some channels, and rows where the map is large
		{33, ConvConfig{In: Shape{48, 3, 2}, Out: 130, KernelHeight: 3, KernelWidth: 3, Stride: 1,
			Pad: 1, ReLU: true}},
		{64, ConvConfig{In: Shape{70, 10, 9}, Out: 70, KernelHeight: 3, KernelWidth: 3, Stride: 2,
			Pad: 1}},
	}
	if !AVX2.Available() {
		t.Skip("copies are made on AVX2 only")
	}
	for _, tc := range append(manyWeights, testsize.Few(4, convCases...)...) {
		t.Run(caseName(tc.images, tc.cfg), func(t *testing.T) { copiesKeepBits(t, tc) })
	}
}

func copiesKeepBits(t *testing.T, tc convCase) {
	r, b := rand.New(rand.NewPCG(8, 9)), NewBatch(tc.images)
	plain, copying := must(NewConv(AVX2, b, tc.cfg)), must(NewConv(AVX2, b, tc.cfg))
	space := NewScratch(3)
	copying.planVectors(&copying.forward, convAxis, space)
	copying.planVectors(&copying.backward, transposedAxis, space)
	x, dy := random(t, r, b.Len(tc.cfg.In)), random(t, r, b.Len(plain.Out()))
	w, bias := random(t, r, plain.weightLen()), random(t, r, tc.cfg.Out)
	plus := random(t, r, len(x))
	wantY, wantX := guarded(t, len(dy)), guarded(t, len(x))
	plain.Forward(nil, wantY, x, w, bias)
	plain.BackwardData(nil, wantX, dy, w, x, plus)
	for threads := 1; threads <= 3; threads++ {
		team := NewTeam(threads)
		defer team.Close()
		y, dx := guarded(t, len(dy)), guarded(t, len(x))
		copying.Forward(team, y, x, w, bias)
		copying.BackwardData(team, dx, dy, w, x, plus)
		sameBits(t, fmt.Sprintf("y on %d threads", threads), y, wantY)
		sameBits(t, fmt.Sprintf("dx on %d threads", threads), dx, wantX)
	}
}
