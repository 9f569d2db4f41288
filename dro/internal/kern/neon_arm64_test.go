//go:build !purego

package kern

import (
	"math/rand/v2"
	"testing"
)

// TestNEONHasTheBitsOfPlainGo checks what the reference fixes on this architecture, where the
// compiler rounds a multiply-add once: outputs and the gradients of inputs, whose sums have one
// order. The gradients of weights keep more sums than the assembly, so their bits differ.
func TestNEONHasTheBitsOfPlainGo(t *testing.T) {
	for i, tc := range convCases {
		if testing.Short() && i%3 > 0 {
			continue
		}
		t.Run(caseName(tc.images, tc.cfg), func(t *testing.T) {
			r := rand.New(rand.NewPCG(7, 8))
			b := NewBatch(tc.compared())
			plain, neon := must(NewConv(Generic, b, tc.cfg)), must(NewConv(NEON, b, tc.cfg))
			in, out := b.Len(tc.cfg.In), b.Len(plain.Out())
			x, dy, plus := random(t, r, in), random(t, r, out), random(t, r, in)
			w, bias := random(t, r, plain.weightLen()), random(t, r, tc.cfg.Out)

			want, got := guarded(t, out), guarded(t, out)
			plain.Forward(nil, want, x, w, bias)
			neon.Forward(nil, got, x, w, bias)
			sameBits(t, "y", got, want)

			want, got = guarded(t, in), guarded(t, in)
			plain.BackwardData(nil, want, dy, w, x, plus)
			neon.BackwardData(nil, got, dy, w, x, plus)
			sameBits(t, "dx", got, want)
		})
	}
}
