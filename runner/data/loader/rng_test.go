package loader

import (
	"math/rand/v2"
	"testing"

	"drolab/runner/data"
)

func TestPCGGivesTheNumbersOfRand(t *testing.T) {
	for _, seed := range []uint64{0, 1, 1 << 63, 0xdeadbeefcafe} {
		ours, theirs := data.PCG{Hi: seed, Lo: ^seed}, rand.NewPCG(seed, ^seed)
		for i := range 1000 {
			if got, want := ours.Uint64(), theirs.Uint64(); got != want {
				t.Fatalf("seed %#x, number %d: %#x, want %#x", seed, i, got, want)
			}
		}
	}
}

// The look-ups go by fours, and the rest goes one by one.
func TestLookUpOfEveryLength(t *testing.T) {
	var table [256]float32
	for i := range table {
		table[i] = float32(i) / 7
	}
	for n := range 12 {
		src, forth, back := make([]byte, n), make([]float32, n), make([]float32, n)
		for i := range src {
			src[i] = byte(200 - 17*i)
		}
		lookUp(forth, src, &table)
		lookUpReversed(back, src, &table)
		for i, v := range src {
			if forth[i] != table[v] || back[n-1-i] != table[v] {
				t.Errorf("length %d, value %d: %v and %v, want %v", n, i, forth[i], back[n-1-i],
					table[v])
			}
		}
	}
}
