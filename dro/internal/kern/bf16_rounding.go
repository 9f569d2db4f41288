package kern

import (
	"errors"
	"unsafe"
)

// Rounding is an activation rounded to bfloat16, for products that pack nothing: it lies as the
// activation does, in half the memory. A line of 64 bytes is 32 images of a channel, four of the
// first 16 and four of the others in turn: two lines, unpacked, are pairs of channels of 16 images
// in their order. To sums over images, whose operands lie alike, a line is 16 pairs of images.
type Rounding struct {
	pairs []float32 // as memory: a value is a pair
	src   []float32 // of the running call
}

// CanRound tells whether images of b fill lines.
func CanRound(b Batch) bool { return b.valid() && b.Lanes%tileDepth == 0 }

// NewRounding returns room for activations of shape s.
func NewRounding(b Batch, s Shape) (*Rounding, error) {
	if !CanRound(b) || !s.valid() {
		return nil, errors.New("rounding: a block of the batch does not fill lines")
	}
	return &Rounding{pairs: Alloc(b.Len(s) / 2)}, nil
}

// Round sets r from x.
func (r *Rounding) Round(t *Team, x []float32) {
	if len(x) != 2*len(r.pairs) {
		panic("kern: Rounding: slice has the wrong length")
	}
	r.src = x
	t.run((len(x)+elementChunk-1)/elementChunk, r)
	r.src = nil
}

func (r *Rounding) task(i int) {
	from, to := i*elementChunk, min((i+1)*elementChunk, len(r.src))
	round(r.pairs[from/2:to/2], r.src[from:to])
}

// place is where image i of a line lies.
func place(i int) int { return i%tileSide/4*8 + i/tileSide*4 + i%4 }

// clearImages sets the images of a channel from the first on to 0.
func clearImages(pairs []float32, first int) {
	values := halves(pairs)
	for i := first; i < len(values); i++ {
		values[i/tileDepth*tileDepth+place(i%tileDepth)] = 0
	}
}

// halves is the same memory as values of two bytes.
func halves(s []float32) []uint16 {
	return unsafe.Slice((*uint16)(unsafe.Pointer(unsafe.SliceData(s))), 2*len(s))
}

// wholes is its inverse.
func wholes(s []uint16) []float32 {
	return unsafe.Slice((*float32)(unsafe.Pointer(unsafe.SliceData(s))), len(s)/2)
}
