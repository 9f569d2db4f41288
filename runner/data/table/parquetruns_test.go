package table

import (
	"errors"
	"math/rand/v2"
	"testing"

	"github.com/parquet-go/parquet-go/encoding/rle"
)

// Numbers that the library writes are read back, at every width and at lengths that leave the last
// group incomplete.
func TestRuns(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for bits := 1; bits <= 32; bits++ {
		want := make([]int32, 1+rng.IntN(300))
		for i := range want {
			if want[i] = int32(rng.Uint64N(1 << bits)); i > 0 && rng.IntN(8) > 0 {
				want[i] = want[i-1]
			}
		}
		b, err := (&rle.Encoding{BitWidth: bits}).EncodeInt32(nil, want)
		if err != nil {
			t.Fatal(err)
		}
		in, err := placesIn(append([]byte{byte(bits)}, b...))
		if err != nil {
			t.Fatal(err)
		}
		for i, w := range want {
			got, err := in.next()
			if err != nil || got != uint64(uint32(w)) {
				t.Fatalf("%d bits: number %d of %d is %d, want %d: %v", bits, i, len(want), got,
					uint32(w), err)
			}
		}
	}
}

// A run may declare any number of numbers, which takes no memory.
func TestEndlessRun(t *testing.T) {
	endless := smallInts{rest: []byte{0xfe, 0xff, 0xff, 0xff, 0xff, 0xff, 0x7f, 1}, bits: 1}
	if n := testing.AllocsPerRun(10, func() { endless.next() }); n != 0 {
		t.Errorf("%v allocations a number", n)
	}
	for name, b := range map[string][]byte{
		"nothing": nil, "no width": {}, "half a head": {3, 0x80}, "no value": {9, 4, 1},
		"no group": {1, 0xff, 0xff, 0xff, 0xff, 0x0f},
	} {
		in, err := placesIn(b)
		if err == nil {
			_, err = in.next()
		}
		if !errors.Is(err, errShort) {
			t.Errorf("%s: error %v, want %v", name, err, errShort)
		}
	}
}
