package kern

import (
	"math/rand/v2"
	"testing"
)

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
