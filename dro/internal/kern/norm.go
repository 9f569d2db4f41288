package kern

import "math"

// PyTorch's defaults.
const (
	normEpsilon  = 1e-5 // added to a variance
	normMomentum = 0.1  // the weight of a batch in running statistics
)

// BatchNorm normalises each channel over the images and positions of a batch (Ioffe and Szegedy
// 2015, Algorithm 1),
//
//	y = gamma·(x − mean)/√(variance + 1e-5) + beta
//
// by the batch's own mean and biased variance, or by given ones. It keeps the statistics from a
// forward pass to the backward pass. It sums in float64, within the rows of a map and then over the
// rows.
type BatchNorm struct {
	isa   ISA
	batch Batch
	shape Shape
	relu  bool

	images         int  // of the last forward pass
	given          bool // its statistics were given, not taken from its batch
	mean, variance []float64
	zeros          []float64 // by channel
	centre         []float32 // mean, in float32

	rounded [2]roundedNorm // for forward and backward

	sums   []moment // by task and channel
	summed bool     // a convolution has put the moments into sums
	call   normCall
}

// normCall is the running call. Forward sets dst = scale·(x − centre) + offset + plus; backward
// sets dst = scale·dy + slope·(x − centre) + offset.
type normCall struct {
	dst, x, dy, plus     []float32
	around               []float64
	scale, slope, offset []float32 // by channel
}

// NewBatchNorm returns the normalisation of activations of shape s; with relu, Forward ends with
// max(0, ·).
func NewBatchNorm(isa ISA, b Batch, s Shape, relu bool) *BatchNorm {
	b.check(isa, s)
	c := s.Channels
	return &BatchNorm{
		isa: isa, batch: b, shape: s, relu: relu,
		mean: make([]float64, c), variance: make([]float64, c), zeros: make([]float64, c),
		centre: make([]float32, c),
		sums:   make([]moment, b.Blocks*s.Height*c),
		call: normCall{
			scale: make([]float32, c), slope: make([]float32, c), offset: make([]float32, c),
		},
	}
}

// roundedNorm says where a pass writes the rounding of its results (nil: nowhere), and whether it
// writes nothing else.
type roundedNorm struct {
	to    *Rounding
	alone bool
}

// RoundForward makes the forward passes of n by the batch's own statistics write the rounding of y
// to r, too. With alone they write nothing else. AVX512-BF16 has instructions for it.
func (n *BatchNorm) RoundForward(r *Rounding, alone bool) { n.rounded[0] = roundedNorm{r, alone} }

// RoundBackward does the same for the backward passes and dx.
func (n *BatchNorm) RoundBackward(r *Rounding, alone bool) { n.rounded[1] = roundedNorm{r, alone} }

// Forward computes y from x by the statistics of the first images of the batch, of which there must
// be at least 1. If plus is not nil, it is added to y, and max(0, ·) follows. The lanes of the
// other images are 0 in y.
func (n *BatchNorm) Forward(t *Team, y, x, gamma, beta, plus []float32, images int) {
	n.check(images, y, x, gamma, beta)
	n.images, n.given = images, false
	n.addUp(t, x, x, n.zeros)
	for c := range n.mean {
		total := n.total(c)
		n.mean[c] = total.sum / n.count()
		n.variance[c] = max(total.product/n.count()-n.mean[c]*n.mean[c], 0)
	}
	n.normalise(t, y, x, gamma, beta, plus)
}

// ForwardBy is Forward by the given statistics: no image's output then depends on another image.
func (n *BatchNorm) ForwardBy(
	t *Team, y, x, gamma, beta, plus []float32, images int, mean, variance []float32,
) {
	n.check(images, y, x, gamma, beta)
	n.images, n.given = images, true
	for c := range n.mean {
		n.mean[c], n.variance[c] = float64(mean[c]), float64(variance[c])
	}
	n.normalise(t, y, x, gamma, beta, plus)
}

// Track moves the running statistics a tenth of the way to the statistics of the last Forward,
// whose variance it makes unbiased.
func (n *BatchNorm) Track(mean, variance []float32) {
	unbiased := n.count() / max(n.count()-1, 1)
	for c := range n.mean {
		mean[c] += float32(normMomentum * (n.mean[c] - float64(mean[c])))
		variance[c] += float32(normMomentum * (unbiased*n.variance[c] - float64(variance[c])))
	}
}

// Backward computes dx, dgamma and dbeta from the last forward pass's input x and its output's
// gradient dy, which is 0 where a ReLU was off. It differentiates through statistics of the batch
// itself; given statistics are constants. With add, it adds to the values in dgamma and dbeta.
func (n *BatchNorm) Backward(t *Team, dx, dgamma, dbeta, x, dy, gamma []float32, add bool) {
	n.check(n.images, dx, x, gamma, dgamma)
	n.check(n.images, dy, x, gamma, dbeta)
	n.addUp(t, dy, x, n.mean)
	for c := range n.mean {
		total, inverse := n.total(c), n.inverse(c)
		scale := float64(gamma[c]) * inverse
		slope, offset := -scale*inverse*inverse*total.product/n.count(), -scale*total.sum/n.count()
		if n.given {
			slope, offset = 0, 0
		}
		n.call.scale[c] = float32(scale)
		n.call.slope[c], n.call.offset[c] = float32(slope), float32(offset)
		if !add {
			dgamma[c], dbeta[c] = 0, 0
		}
		dgamma[c] += float32(total.product * inverse)
		dbeta[c] += float32(total.sum)
	}
	n.call.dst, n.call.x, n.call.dy = dx, x, dy
	t.run(n.tasks(), (*normBackward)(n))
	n.call.dst, n.call.x, n.call.dy = nil, nil, nil
}

func (n *BatchNorm) check(images int, a, b, gamma, beta []float32) {
	size, channels := n.batch.Len(n.shape), n.shape.Channels
	if len(a) != size || len(b) != size || len(gamma) != channels || len(beta) != channels {
		panic("kern: BatchNorm: slice has the wrong length")
	}
	if images < 1 || images > n.batch.Images {
		panic("kern: BatchNorm: no such number of images in the batch")
	}
}

// count returns the number of values that the statistics of a channel are taken over.
func (n *BatchNorm) count() float64 { return float64(n.images * n.shape.Height * n.shape.Width) }

func (n *BatchNorm) inverse(channel int) float64 {
	return 1 / math.Sqrt(n.variance[channel]+normEpsilon)
}

// normalise runs the forward pass with the statistics in n.
func (n *BatchNorm) normalise(t *Team, y, x, gamma, beta, plus []float32) {
	for c := range n.mean {
		n.centre[c], n.call.offset[c] = float32(n.mean[c]), beta[c]
		n.call.scale[c] = float32(float64(gamma[c]) * n.inverse(c))
	}
	n.call.dst, n.call.x, n.call.plus = y, x, plus
	t.run(n.tasks(), (*normForward)(n))
	n.call.dst, n.call.x, n.call.plus = nil, nil, nil
}

// addUp writes the moments of a and b around a centre for each channel to n.sums, unless a
// convolution has already done so.
func (n *BatchNorm) addUp(t *Team, a, b []float32, around []float64) {
	if !n.summed {
		n.call.dy, n.call.x, n.call.around = a, b, around
		t.run(n.tasks(), (*normMoments)(n))
	}
	n.summed = false
	n.call.dy, n.call.x, n.call.around = nil, nil, nil
}

func (n *BatchNorm) total(channel int) (all moment) {
	for i := channel; i < len(n.sums); i += n.shape.Channels {
		all.sum += n.sums[i].sum
		all.product += n.sums[i].product
	}
	return all
}

// tasks returns the number of tasks of every pass: one for each row of a block.
func (n *BatchNorm) tasks() int { return n.batch.Blocks * n.shape.Height }

// row returns where task i's values start, and how many of the block's lanes hold images.
func (n *BatchNorm) row(i int) (first, used int) {
	block := i / n.shape.Height
	used = min(max(n.images-block*n.batch.Lanes, 0), n.batch.Lanes)
	return i * n.shape.Width * n.shape.Channels * n.batch.Lanes, used
}

type normMoments BatchNorm

func (f *normMoments) task(i int) {
	(*BatchNorm)(f).moments(i, 0, f.shape.Width, 0, f.shape.Channels)
}

// moments adds the moments of the columns [left, right) of row i of a block, for the channels
// [from, to), to n.sums. The columns of a row must come in order.
func (n *BatchNorm) moments(i, left, right, from, to int) {
	first, used := n.row(i)
	channels, lanes := n.shape.Channels, n.batch.Lanes
	sums, at := n.sums[i*channels:][from:to], first+(left*channels+from)*lanes
	if left == 0 {
		clear(sums)
	}
	if used == 0 {
		return
	}
	tile := momentTile{
		a: n.call.dy[at:], b: n.call.x[at:], sums: sums, around: n.call.around[from:to],
		positions: right - left, stride: channels * lanes, channels: to - from, apart: lanes,
		lanes: used, own: &n.call.around[0] == &n.zeros[0],
	}
	tile.add(n.isa)
}

// tile returns the tile of row i for a pass with this rounding, and the number of lanes that hold
// images.
func (n *BatchNorm) tile(i int, rounded roundedNorm) (t normTile, used int) {
	first, used := n.row(i)
	t = normTile{
		x:      n.call.x[first:],
		centre: n.centre, scale: n.call.scale, slope: n.call.slope, offset: n.call.offset,
		positions: n.shape.Width, channels: n.shape.Channels, lanes: n.batch.Lanes,
	}
	if rounded.to != nil && !n.given {
		t.rounded = rounded.to.pairs[first/2:]
	}
	if t.rounded == nil || !rounded.alone {
		t.dst = n.call.dst[first:]
	}
	size := t.positions * t.channels * t.lanes
	t.dy, t.plus = optionalPart(n.call.dy, first, size), optionalPart(n.call.plus, first, size)
	return t, used
}

// clearUnused clears the lanes beyond the last image.
func (t *normTile) clearUnused(used int) {
	if used == t.lanes {
		return
	}
	for k := range t.positions * t.channels {
		if t.dst != nil {
			clear(t.dst[k*t.lanes:][used:t.lanes])
		}
		if t.rounded != nil {
			clearImages(t.rounded[k*t.lanes/2:][:t.lanes/2], used)
		}
	}
}

type normForward BatchNorm

func (f *normForward) task(i int) {
	n := (*BatchNorm)(f)
	tile, used := n.tile(i, n.rounded[0])
	tile.relu = bit(n.relu || tile.plus != nil)
	if tile.rounded != nil {
		tile.forwardRounded()
	} else {
		tile.forward(n.isa)
	}
	tile.clearUnused(used)
}

type normBackward BatchNorm

func (f *normBackward) task(i int) {
	n := (*BatchNorm)(f)
	tile, used := n.tile(i, n.rounded[1])
	if tile.rounded != nil {
		tile.backwardRounded()
	} else {
		tile.backward(n.isa)
	}
	tile.clearUnused(used)
}
