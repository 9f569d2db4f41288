package train

import (
	"math/rand/v2"

	"drolab/runner/data"
)

// noise is a dataset of random bytes, four batches long: the cost of a step does not depend on the
// pixels, and so short a dataset needs no file. It is an image source, so that the loader converts
// and augments its bytes as it does for real pictures.
type noise struct {
	shape   data.Shape
	classes int
	bytes   []byte
}

func newNoise(shape data.Shape, classes, n int) *noise {
	rng := rand.New(rand.NewPCG(1, 0))
	bytes := make([]byte, n*shape.Len())
	for i := range bytes {
		bytes[i] = byte(rng.Uint32())
	}
	return &noise{shape, classes, bytes}
}

func (x *noise) Len() int { return len(x.bytes) / x.shape.Len() }

func (x *noise) Shape() data.Shape { return x.shape }

func (x *noise) Label(i int) int { return i % x.classes }

func (x *noise) Group(i int) int { return i % x.classes }

func (x *noise) Pixels(_ []byte, i int) []byte {
	size := x.shape.Len()
	return x.bytes[i*size : (i+1)*size]
}

func (x *noise) Read(dst []float32, i int) {
	for j, b := range x.Pixels(nil, i) {
		dst[j] = float32(b) / 255
	}
}

var _ data.ImageSource = (*noise)(nil)
