package kern

import (
	"fmt"
	"math/rand/v2"
	"testing"
)

func TestSum(t *testing.T) {
	r := rand.New(rand.NewPCG(26, 27))
	for _, n := range []int{0, 1, 17, 16<<10 + 33} {
		for _, relu := range []bool{false, true} {
			a, b := random(t, r, n), random(t, r, n)
			eachISA(t, func(t *testing.T, isa ISA) {
				dst, want := guarded(t, n), make([]float32, n)
				var mask []float32
				if relu {
					mask = dst
				}
				for i := range want {
					if want[i] = a[i] + b[i]; relu {
						want[i] = max(want[i], 0)
					}
				}
				s := NewSum(isa)
				s.Run(nil, dst, a, b, mask)
				sameBits(t, "sum", dst, want)
				copy(dst, a)
				s.Run(nil, dst, dst, b, mask)
				sameBits(t, "in place", dst, want)
			})
		}
	}
}

func TestMaskedSum(t *testing.T) {
	r := rand.New(rand.NewPCG(44, 45))
	for _, n := range []int{1, 17, cachedChunk + 5, elementChunk + 33} {
		eachISA(t, func(t *testing.T, isa ISA) {
			a, b, y := random(t, r, n), random(t, r, n), random(t, r, n)
			want, got := guarded(t, n), guarded(t, n)
			sum := NewSum(isa)
			sum.Run(nil, want, a, b, nil)
			sum.Run(nil, want, want, nil, y)
			sum.Run(nil, got, a, b, y)
			sameBits(t, fmt.Sprint(n, " values"), got, want)
			team := NewTeam(2)
			defer team.Close()
			sum.Run(team, got, a, b, y)
			sameBits(t, "on two threads", got, want)
		})
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
