package kern

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
	blocks := ceilDiv(images, maxLanes)
	perBlock := ceilDiv(images, blocks)
	return Batch{Images: images, Blocks: blocks, Lanes: wholeVectors(perBlock)}
}

// padded returns the number of lanes in all blocks.
func (b Batch) padded() int { return b.Blocks * b.Lanes }

// Len returns the length of the slice that holds the batch's activations of shape s.
func (b Batch) Len(s Shape) int { return b.padded() * s.Len() }

func (b Batch) valid() bool { return b.Images > 0 && b == NewBatch(b.Images) }

// check panics if isa cannot run here, or if no operation can have activations of shape s in b.
func (b Batch) check(isa ISA, s Shape) {
	isa.check()
	if !b.valid() || !s.valid() {
		panic("kern: an operation needs positive sizes and a batch from NewBatch")
	}
}

// biasGrad sums dy, of shape s, over images and positions for the channels from channel on. It sets
// db to the sums or, with add, adds them to it.
func (b Batch) biasGrad(isa ISA, db, dy []float32, s Shape, channel int, add bool) {
	if !add {
		clear(db)
	}
	for block := range b.Blocks {
		from := dy[(block*s.Len()+channel)*b.Lanes:]
		sumRows(isa, db, from, s.Height*s.Width, s.Channels*b.Lanes, b.Lanes)
	}
}

// ceilDiv returns the number of pieces of a size that n values are cut into.
func ceilDiv(n, size int) int { return (n + size - 1) / size }

// wholeVectors returns n rounded up to whole vectors.
func wholeVectors(n int) int { return ceilDiv(n, vector) * vector }
