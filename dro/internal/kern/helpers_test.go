package kern

import (
	"math"
	"math/rand/v2"
	"testing"
)

// eachISA runs f for every instruction set of this machine.
func eachISA(t *testing.T, f func(t *testing.T, isa ISA)) {
	for _, isa := range ISAs() {
		t.Run(isa.String(), func(t *testing.T) { f(t, isa) })
	}
}

// guard is the number of canaries before and after a guarded slice: more than a vector, and a
// multiple of a line.
const guard = 32

// canary is a NaN whose bits no kernel writes.
var canary = math.Float32frombits(0x7fc0beef)

// guarded returns a slice of n values between canaries. When the test ends, it checks that nothing
// touched the canaries.
func guarded(t *testing.T, n int) []float32 {
	t.Helper()
	all := Alloc(n + 2*guard)
	for i := range all {
		all[i] = canary
	}
	t.Cleanup(func() {
		for i, v := range all {
			if inside := i >= guard && i < guard+n; !inside &&
				math.Float32bits(v) != math.Float32bits(canary) {
				t.Errorf("value %d of %d was overwritten", i-guard, n)
			}
		}
	})
	return all[guard : guard+n : guard+n]
}

// random returns n guarded values, normally distributed.
func random(t *testing.T, r *rand.Rand, n int) []float32 {
	s := guarded(t, n)
	for i := range s {
		s[i] = float32(r.NormFloat64())
	}
	return s
}

// packed returns the blocked form of plain with random values in the padded lanes, as a layer in
// the middle of a network sees it.
func packed(t *testing.T, r *rand.Rand, b Batch, s Shape, plain []float32) []float32 {
	x := random(t, r, b.Len(s))
	scatter(b, s, x, plain)
	return x
}

// at returns where channel c of image i lies at position p.
func (b Batch) at(s Shape, i, c, p int) int {
	return ((i/b.Lanes*s.Height*s.Width+p)*s.Channels+c)*b.Lanes + i%b.Lanes
}

// scatter writes plain (NCHW) into blocked by the definition in Batch.
func scatter(b Batch, s Shape, blocked, plain []float32) {
	for i := range b.Images {
		for c := range s.Channels {
			for p := range s.Height * s.Width {
				blocked[b.at(s, i, c, p)] = plain[(i*s.Channels+c)*s.Height*s.Width+p]
			}
		}
	}
}

// gather is scatter's inverse.
func gather(b Batch, s Shape, blocked []float32) []float32 {
	plain := make([]float32, b.Images*s.Len())
	for i := range b.Images {
		for c := range s.Channels {
			for p := range s.Height * s.Width {
				plain[(i*s.Channels+c)*s.Height*s.Width+p] = blocked[b.at(s, i, c, p)]
			}
		}
	}
	return plain
}

// zeroPadding clears the lanes beyond the last image.
func zeroPadding(b Batch, blocked []float32) {
	for k := 0; k < len(blocked); k += b.Lanes {
		block := k / (len(blocked) / b.Blocks)
		used := min(max(b.Images-block*b.Lanes, 0), b.Lanes)
		clear(blocked[k+used : k+b.Lanes])
	}
}

// near fails unless each value of got is within 2e-6·scale of want, where scale is the sum of the
// magnitudes of the terms of want.
func near(t *testing.T, what string, got []float32, want, scale []float64) {
	t.Helper()
	for i := range want {
		if math.Abs(float64(got[i])-want[i]) > 2e-6*scale[i]+1e-30 || math.IsNaN(float64(got[i])) {
			t.Fatalf("%s[%d] = %v, want %v (scale %v)", what, i, got[i], want[i], scale[i])
		}
	}
}

// sameBits fails unless a and b hold the same bits.
func sameBits(t *testing.T, what string, a, b []float32) {
	t.Helper()
	for i := range a {
		if math.Float32bits(a[i]) != math.Float32bits(b[i]) {
			t.Fatalf("%s[%d]: %v and %v differ", what, i, a[i], b[i])
		}
	}
}

// must returns v; the geometry of a test is valid unless the test says otherwise.
func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}
