package kern

import "unsafe"

// Rounding is an activation rounded to bfloat16, for products that do not pack it. It is laid out
// as the activation, in half the memory. A line of 64 bytes is 32 images of a channel, where four
// of the first 16 and four of the others take turns. Two lines, unpacked, are then pairs of
// channels of 16 images in their order. For sums over images, whose operands lie alike, a line is
// 16 pairs of images.
type Rounding struct {
	pairs []float32 // each float32 is the memory of a pair
	src   []float32 // the activation of the running call
}

// CanRound reports whether the images of each block of b fill lines.
func CanRound(b Batch) bool { return b.valid() && b.Lanes%tileDepth == 0 }

// NewRounding returns a Rounding for activations of shape s.
func NewRounding(b Batch, s Shape) *Rounding {
	if !CanRound(b) || !s.valid() {
		panic("kern: Rounding: a block of the batch does not fill lines")
	}
	return &Rounding{pairs: Alloc(b.Len(s) / 2)}
}

// Round sets r to the rounding of x.
func (r *Rounding) Round(t *Team, x []float32) {
	if len(x) != 2*len(r.pairs) {
		panic("kern: Rounding: slice has the wrong length")
	}
	r.src = x
	t.run(ceilDiv(len(x), elementChunk), r)
	r.src = nil
}

func (r *Rounding) task(i int) {
	from, to := i*elementChunk, min((i+1)*elementChunk, len(r.src))
	round(r.pairs[from/2:to/2], r.src[from:to])
}

// linePlace returns where in a line image i lies.
func linePlace(i int) int { return i%tileSide/4*8 + i/tileSide*4 + i%4 }

// clearImages sets the images of a channel from first on to 0.
func clearImages(pairs []float32, first int) {
	values := halves(pairs)
	for i := first; i < len(values); i++ {
		values[i/tileDepth*tileDepth+linePlace(i%tileDepth)] = 0
	}
}

// halves returns the same memory as values of two bytes.
func halves(s []float32) []uint16 {
	return unsafe.Slice((*uint16)(unsafe.Pointer(unsafe.SliceData(s))), 2*len(s))
}

// floats is the inverse of halves.
func floats(s []uint16) []float32 {
	return unsafe.Slice((*float32)(unsafe.Pointer(unsafe.SliceData(s))), len(s)/2)
}
