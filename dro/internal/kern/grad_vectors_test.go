package kern

import (
	"fmt"
	"math/rand/v2"
	"testing"
)

// TestGradVectorsSameBits checks that the gradient by vectors has the same bits on any number of
// threads, and allocates nothing.
func TestGradVectorsSameBits(t *testing.T) {
	if !AVX2.Available() {
		t.Skip("gradients by vectors are summed on AVX2 only")
	}
	for _, tc := range []convCase{
		{20, ConvConfig{In: Shape{32, 9, 8}, Out: 7, KernelHeight: 3, KernelWidth: 3, Stride: 2,
			Pad: 1}},
		{200, ConvConfig{In: Shape{16, 5, 6}, Out: 20, KernelHeight: 2, KernelWidth: 3, Stride: 1}},
	} {
		if !GradVectors(AVX2, tc.cfg) {
			t.Fatalf("%+v has no gradient by vectors", tc.cfg)
		}
		r, b := rand.New(rand.NewPCG(10, 11)), NewBatch(tc.images)
		c := must(NewConv(AVX2, b, tc.cfg))
		c.SumByVectors(NewScratch(3))
		x, dy := random(t, r, b.Len(tc.cfg.In)), random(t, r, b.Len(c.Out()))
		want := guarded(t, c.weightLen())
		c.BackwardWeights(nil, want, nil, x, dy, false)
		for threads := 1; threads <= 3; threads++ {
			team := NewTeam(threads)
			defer team.Close()
			dw := guarded(t, len(want))
			if n := testing.AllocsPerRun(2, func() {
				c.BackwardWeights(team, dw, nil, x, dy, false)
			}); n != 0 {
				t.Errorf("it allocates %v times", n)
			}
			sameBits(t, fmt.Sprintf("dw on %d threads", threads), dw, want)
		}
	}
}
