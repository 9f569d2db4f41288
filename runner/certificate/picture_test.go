package certificate

import "testing"

// A picture that is too large is reduced; it keeps its mean colour and the ratio of its sides.
func TestWithin(t *testing.T) {
	p := &Picture{W: 8, H: 4}
	for i := range 8 * 4 {
		p.RGB = append(p.RGB, byte(i%8/4*200), 10, 0)
	}
	small := p.Within(4, 4)
	if small.W != 4 || small.H != 2 || small.At(0, 0) != [3]byte{0, 10, 0} ||
		small.At(3, 1) != [3]byte{200, 10, 0} {
		t.Errorf("%dx%d: %v", small.W, small.H, small.RGB)
	}
	if p.Within(8, 9) != p {
		t.Error("a picture that fits is changed")
	}
}
