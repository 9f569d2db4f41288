package kern

import (
	"errors"
	"fmt"
	"math"
	"unsafe"
)

// ConvConfig is the geometry of a convolution. A linear layer has a kernel as large as its input
// and one output position.
type ConvConfig struct {
	In           Shape // of the input
	Out          int   // output channels
	KernelHeight int
	KernelWidth  int
	Stride       int  // in both directions, at least 1
	Pad          int  // zeros around the input, on each side; below the kernel's size
	ReLU         bool // Forward ends with max(0, ·)
}

// Linear returns the configuration of a fully connected layer from activations of shape in to out
// units, with weights [out][channel][row][column]. The pixels of a single channel lie in memory as
// the channels of a single pixel do, and Linear takes them as such, which is faster.
func Linear(in Shape, out int, relu bool) ConvConfig {
	if in.Channels == 1 {
		in = Shape{in.Len(), 1, 1}
	}
	return ConvConfig{
		In: in, Out: out, KernelHeight: in.Height, KernelWidth: in.Width, Stride: 1, ReLU: relu,
	}
}

// OutShape returns the shape of the output, or an error if the geometry is impossible.
func (c ConvConfig) OutShape() (Shape, error) {
	least := min(c.Out, c.KernelHeight-c.Pad, c.KernelWidth-c.Pad, c.Stride)
	h, w := c.In.Height+2*c.Pad-c.KernelHeight, c.In.Width+2*c.Pad-c.KernelWidth
	if !c.In.valid() || c.Pad < 0 || least < 1 || min(h, w) < 0 {
		return Shape{}, fmt.Errorf("convolution %+v: sizes and stride must be at least 1, pad "+
			"below the kernel's size, and the kernel no larger than the padded input", c)
	}
	return Shape{c.Out, h/c.Stride + 1, w/c.Stride + 1}, nil
}

// Conv is a convolution (cross-correlation, as in PyTorch) of a batch, with bias. Weights are
// [out][in][row][column]. It keeps the state of the running call and none between calls, so it runs
// one call at a time.
type Conv struct {
	isa   ISA
	batch Batch
	cfg   ConvConfig
	out   Shape

	forward, backward direction
	dot               *dotPlan // the plan of the weight gradient: dot, outer or taps
	outer             *outerPlan
	taps              *tapsPlan
	vectors           *tapVectors // instead of a plan: see SumByVectors

	space *Scratch // for a vector of lanes of a source; nil: sources are read where they lie

	call convCall
	norm *BatchNorm // gets the moments of the next Forward's output; nil: none
}

// direction is the geometry of Forward, or of BackwardData.
type direction struct {
	plane
	dst, src    Shape
	wRow, wStep int // from one channel of dst, and of src, to the next, in the weights
	relu        int // 1: the call ends with max(0, ·)

	vectors *vectorPlan // nil: tiles read the source where it lies
}

// convCall is the running call: its slices, and how the work is cut.
type convCall struct {
	way *direction

	y, x, w, b    []float32 // destination, source, weights, bias (or nil)
	plus, mask    []float32 // addend, activations (or nil)
	dw, db, dy    []float32
	chunk, chunks int  // destination rows or groups per task, and the number of such chunks
	add           bool // add to dw and db instead of replacing them
}

// NewConv returns the convolution cfg for batches laid out as b, or an error if the geometry is
// impossible or too large.
func NewConv(isa ISA, b Batch, cfg ConvConfig) (*Conv, error) {
	out, err := cfg.OutShape()
	if err != nil {
		return nil, err
	}
	b.check(isa, out)
	c := &Conv{isa: isa, batch: b, cfg: cfg, out: out}
	if max(b.Len(cfg.In), b.Len(out), c.weightLen()) > math.MaxInt32 {
		return nil, errors.New(
			"convolution: an activation or weight has 2^31 values or more: use a smaller batch")
	}
	c.forward = direction{
		plane: c.planeOf(convAxis, cfg.In, cfg.In.Channels*b.Lanes, 1), dst: out, src: cfg.In,
		wRow: cfg.In.Channels * c.area(), wStep: c.area(), relu: bit(cfg.ReLU),
	}
	c.backward = direction{
		plane: c.planeOf(transposedAxis, out, out.Channels*b.Lanes, 1), dst: cfg.In, src: out,
		wRow: c.area(), wStep: cfg.In.Channels * c.area(),
	}
	c.planGrad()
	return c, nil
}

// planeOf returns the plane of the direction that has these axes and reads a map of src, with depth
// values at a position and the weights of successive taps so far apart.
func (c *Conv) planeOf(newAxis axisMaker, src Shape, depth, apart int) plane {
	cfg, in := &c.cfg, c.cfg.In
	return newPlane(
		newAxis(c.out.Height, in.Height, cfg.KernelHeight, cfg.Stride, cfg.Pad),
		newAxis(c.out.Width, in.Width, cfg.KernelWidth, cfg.Stride, cfg.Pad),
		src.Width, cfg.KernelWidth, depth, apart)
}

// Out returns the shape of the output.
func (c *Conv) Out() Shape { return c.out }

// weightLen returns the number of weights.
func (c *Conv) weightLen() int { return c.cfg.Out * c.cfg.In.Channels * c.area() }

// FLOPs returns the floating-point operations of one direction for the batch's images,
// multiplications with padding left out. A training step has three directions: forward, data,
// weights.
func (c *Conv) FLOPs() float64 {
	in, out := float64(c.cfg.In.Channels), float64(c.out.Channels)
	return 2 * float64(c.forward.allTaps()) * in * out * float64(c.batch.Images)
}

// allTaps returns the number of taps of all positions of the destination.
func (d *direction) allTaps() (n int) {
	for row := range d.dst.Height {
		for col := range d.dst.Width {
			_, taps := d.lookUp(row, col)
			n += len(taps)
		}
	}
	return n
}

// area returns the number of taps of one kernel.
func (c *Conv) area() int { return c.cfg.KernelHeight * c.cfg.KernelWidth }

// Forward computes y from x with weights w and bias (one value per output channel, or nil).
func (c *Conv) Forward(t *Team, y, x, w, bias []float32) {
	c.enterForward(y, x, w, bias)
	c.spread(t, &c.forward)
}

// enterForward checks the operands and begins the call.
func (c *Conv) enterForward(y, x, w, bias []float32) {
	if len(y) != c.batch.Len(c.out) || len(x) != c.batch.Len(c.cfg.In) || len(w) != c.weightLen() ||
		bias != nil && len(bias) != c.cfg.Out {
		panic("kern: Conv.Forward: slice has the wrong length")
	}
	c.call = convCall{y: y, x: x, w: w, b: bias}
}

// BackwardData computes dx, the gradient of the input, from the output's gradient dy. If act is not
// nil, dx is 0 where act ≤ 0: with the input's own activations as act this is the backward pass of
// the ReLU that made them. If plus is not nil, it is added before act masks: the gradient of an
// input that is used twice, as [Sum] computes it. dy is not masked by this layer's own ReLU; that
// is for whoever made dy.
func (c *Conv) BackwardData(t *Team, dx, dy, w, act, plus []float32) {
	c.enterBackward(dx, dy, w, act, plus)
	c.spread(t, &c.backward)
}

// enterBackward checks the operands and begins the call.
func (c *Conv) enterBackward(dx, dy, w, act, plus []float32) {
	if len(dx) != c.batch.Len(c.cfg.In) || len(dy) != c.batch.Len(c.out) ||
		len(w) != c.weightLen() || act != nil && len(act) != len(dx) ||
		plus != nil && len(plus) != len(dx) {
		panic("kern: Conv.BackwardData: slice has the wrong length")
	}
	c.call = convCall{y: dx, x: dy, w: w, mask: act, plus: plus}
}

// SumMoments makes the next Forward, which computes y for the first images of the batch, add up the
// moments of y for n while the caches have y. It takes a row of the map for some channels at a
// time, in the order of n's own pass.
func (c *Conv) SumMoments(n *BatchNorm, y []float32, images int) {
	n.images = images
	n.call.dy, n.call.x, n.call.around = y, y, n.zeros
	c.norm = n
}

// addMoments adds up the moments of rows channels from channel on, in the columns [left, right) of
// a row of a block's map, whose values the caches have.
func (c *Conv) addMoments(block, row, left, right, channel, rows int) {
	if n := c.norm; n != nil {
		n.moments(block*n.shape.Height+row, left, right, channel, channel+rows)
	}
}

// finish ends the call.
func (c *Conv) finish() {
	if c.norm != nil {
		c.norm.summed = true
	}
	c.norm, c.call = nil, convCall{}
}

const (
	// minTasks is the number of tasks that an operation is cut into where possible: enough to
	// balance a few threads, at no cost to speak of.
	minTasks = 32
	// maxTaskSourceBytes is the number of bytes of the second-level cache that the source rows of a
	// task may fill; all row tiles visit them in turn.
	maxTaskSourceBytes = 1 << 20
)

// maxTaskWeightBytes is the most bytes of weights that a task goes through at every position. So
// many stay in the second-level cache, and all other data is read and written in the order in which
// it lies. If there are more weights, a task has one row tile of channels.
const maxTaskWeightBytes = 160 << 10

// channels returns the number of channels of a task of spread.
func (c *Conv) channels(dst Shape) int {
	if 4*c.weightLen() <= maxTaskWeightBytes {
		return dst.Channels
	}
	return tileRows
}

// spread cuts the destination of a call into tasks of one block, some map rows and some channels,
// and runs them.
func (c *Conv) spread(t *Team, way *direction) {
	c.call.way = way
	if way.vectors != nil {
		c.spreadVectors(t)
		return
	}
	tiles := ceilDiv(way.dst.Channels, c.channels(way.dst)) * c.batch.Blocks
	least := 4 * c.batch.Lanes * way.src.Len() / maxTaskSourceBytes
	t.run(c.cut(tiles, way.dst.Height, least), (*spreadCall)(c))
	c.finish()
}

// cut cuts n rows or groups into chunks for each of some tiles, and returns the number of tasks.
// There are at least least chunks, or n if n is smaller.
func (c *Conv) cut(tiles, n, least int) (tasks int) {
	chunks := min(max(ceilDiv(minTasks, tiles), least), n)
	c.call.chunk = ceilDiv(n, chunks)
	c.call.chunks = ceilDiv(n, c.call.chunk)
	return tiles * c.call.chunks
}

// region is the part of the destination that a task of spread covers: the map rows [top, bottom) of
// a block, and so many channels (rows) from channel on.
type region struct{ block, channel, rows, top, bottom int }

// region returns the region of task i.
func (c *Conv) region(i int, dst Shape) region {
	n := c.channels(dst)
	tiles := ceilDiv(dst.Channels, n)
	channel := i % tiles * n
	i /= tiles
	top := i % c.call.chunks * c.call.chunk
	bottom := min(top+c.call.chunk, dst.Height)
	return region{i / c.call.chunks, channel, min(n, dst.Channels-channel), top, bottom}
}

// weightPrefetchSteps is the number of outer steps by which weights are prefetched ahead of their
// use: about 200 ns of work for a 3×3 kernel.
const weightPrefetchSteps = 12

// spreadCall's task runs the tile over the positions of a region.
type spreadCall Conv

func (s *spreadCall) task(i int) {
	c := (*Conv)(s)
	way, lanes := c.call.way, c.batch.Lanes
	r := c.region(i, way.dst)
	tile := convTile{
		x: c.call.x[r.block*lanes*way.src.Len():][:lanes*way.src.Len()], w: c.call.w,
		wRow: way.wRow, wStep: way.wStep, prefetch: weightPrefetchSteps * way.wStep,
		outer: way.src.Channels, xStep: lanes, lanes: lanes, width: lanes, relu: way.relu,
	}
	first := r.block * lanes * way.dst.Len()
	for row := r.top; row < r.bottom; row++ {
		for col := range way.dst.Width {
			position, taps := way.lookUp(row, col)
			tile.xBase, tile.taps = position*way.src.Channels*lanes, taps
			at := first + (row*way.dst.Width+col)*way.dst.Channels*lanes
			for channel := r.channel; channel < r.channel+r.rows; channel += tileRows {
				tile.rows = min(tileRows, r.channel+r.rows-channel)
				tile.wBase = channel * tile.wRow
				c.placeTile(&tile, at, channel)
				tile.run(c.isa)
			}
			c.addMoments(r.block, row, col, col+1, r.channel, r.rows)
		}
	}
}

// placeTile gives the tile its place: channels from channel on of the position whose first lane is
// at position.
func (c *Conv) placeTile(t *convTile, position, channel int) {
	at, n := position+channel*t.lanes, (t.rows-1)*t.lanes+t.width
	t.y, t.bias = c.call.y[at:][:n], optionalPart(c.call.b, channel, t.rows)
	t.mask, t.plus = optionalPart(c.call.mask, at, n), optionalPart(c.call.plus, at, n)
	if c.isa == AVX512 { // a sum takes long enough for its place to be fetched
		t.prefetchPlace()
	}
}

// prefetchPlace makes the tile prefetch, during its sum, the memory that it reads and writes after
// the sum. A tile with a sum of few steps prefetches its place at once.
func (t *convTile) prefetchPlace() {
	steps := len(t.y) * 4 / cacheLine / prefetchLines
	t.prefetchSteps = steps
	if t.outer < steps {
		t.prefetchSteps = 0
		prefetch(t.y)
		return
	}
	y := address(t.y)
	t.prefetchAt = [prefetchStreams]uintptr{y, y, y}
	if t.mask != nil {
		t.prefetchAt[1] = address(t.mask)
	}
	if t.plus != nil {
		t.prefetchAt[2] = address(t.plus)
	}
}

func address(s []float32) uintptr { return uintptr(unsafe.Pointer(unsafe.SliceData(s))) }

// optionalPart returns n values of an operand from place on, or nil if the operand is nil.
func optionalPart(operand []float32, place, n int) []float32 {
	if operand == nil {
		return nil
	}
	return operand[place:][:n]
}
