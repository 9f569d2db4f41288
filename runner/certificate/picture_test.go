package certificate

import "testing"

// A picture that is too large is reduced; it keeps its mean colour and the ratio of its sides.
func TestWithin(t *testing.T) {
	p := &Picture{W: 8, H: 4}
	for i := range 8 * 4 {
		p.RGB = append(p.RGB, byte(i%8/4*200), 10, 0)
	}
	small := p.Within(4, 4)
	if small.W != 4 || small.H != 2 {
		t.Fatalf("Within(4, 4) of 8x4 is %dx%d, want 4x2", small.W, small.H)
	}
	if got, want := small.At(0, 0), [3]byte{0, 10, 0}; got != want {
		t.Errorf("the first pixel is %v, want %v", got, want)
	}
	if got, want := small.At(3, 1), [3]byte{200, 10, 0}; got != want {
		t.Errorf("the last pixel is %v, want %v", got, want)
	}
	if p.Within(8, 9) != p {
		t.Error("a picture that fits is changed")
	}
}
