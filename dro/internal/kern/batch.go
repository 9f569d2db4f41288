package kern

import "unsafe"

// maxLanes is the widest block: four 512-bit vectors, the width of the AVX-512 convolution tile.
const maxLanes = 64

// vector is a number of lanes that divides the width of every block; kernels rely on it.
const vector = 16

// Shape is the shape of one image's activation.
type Shape struct{ Channels, Height, Width int }

// Len returns the number of values in one image's activation.
func (s Shape) Len() int { return s.Channels * s.Height * s.Width }

func (s Shape) valid() bool { return s.Channels > 0 && s.Height > 0 && s.Width > 0 }

// Batch says how the images of a batch lie in memory: in Blocks of Lanes images,
// [block][row][column][channel][lane]. Image i is lane i%Lanes of block i/Lanes. The lanes beyond
// the last image must hold finite activations and zero gradients; Pack, Loss and the forward
// kernels see to that.
type Batch struct {
	Images int // images in the batch
	Blocks int // blocks of images
	Lanes  int // images per block: 16, 32, 48 or 64
}

// NewBatch returns the layout for a batch of images (at least 1): the fewest blocks of at most 64
// lanes, and then the narrowest lanes.
func NewBatch(images int) Batch {
	images = max(images, 1)
	blocks := (images + maxLanes - 1) / maxLanes
	perBlock := (images + blocks - 1) / blocks
	return Batch{Images: images, Blocks: blocks, Lanes: (perBlock + vector - 1) / vector * vector}
}

// padded returns the number of lanes in all blocks.
func (b Batch) padded() int { return b.Blocks * b.Lanes }

// Len returns the length of the slice that holds the batch's activations of shape s.
func (b Batch) Len(s Shape) int { return b.padded() * s.Len() }

func (b Batch) valid() bool { return b.Images > 0 && b == NewBatch(b.Images) }

// cacheLine is the alignment of Alloc in bytes; vectors that straddle lines halve the load rate.
const cacheLine = 64

// Alloc returns a zeroed slice of n values that starts on a cache line. Kernels run on any slice,
// but faster on these.
func Alloc(n int) []float32 {
	const perLine = cacheLine / 4
	s := make([]float32, n+perLine-1)
	hugePages(s)
	over := uintptr(unsafe.Pointer(unsafe.SliceData(s))) % cacheLine
	skip := int((cacheLine-over)%cacheLine) / 4
	return s[skip : skip+n : skip+n]
}
