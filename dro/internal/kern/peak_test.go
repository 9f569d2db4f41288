package kern

import "testing"

// The roofline must do the work that it counts: sums of 12 geometric series that tend to 1.
func TestPeak(t *testing.T) {
	for n, want := range map[int]float32{0: 0, 1: 6, 2: 9, 100: 12} {
		if got := peakGeneric(n); got != want {
			t.Errorf("after %d steps the sums are %v, want %v", n, got, want)
		}
	}
	for _, isa := range ISAs() {
		p := NewPeak(isa, Rounded)
		p.Run(nil)
		if p.FLOPs() <= 0 {
			t.Errorf("%v: counts %v operations", isa, p.FLOPs())
		}
	}
	for kind := Rounded; kind.Available(); kind++ {
		p := NewPeak(Detect(), kind)
		p.Run(nil)
		if p.FLOPs() <= 0 {
			t.Errorf("%v: counts %v operations", kind, p.FLOPs())
		}
	}
	if panicOf(func() { NewPeak(NEON+1, Rounded) }) == nil {
		t.Error("an instruction set that does not exist is taken")
	}
}
