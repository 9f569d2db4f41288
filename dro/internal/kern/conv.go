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

// OutShape returns the shape of the output, or an error that names what is wrong with the geometry.
func (c ConvConfig) OutShape() (Shape, error) {
	least := min(c.Out, c.KernelHeight, c.KernelWidth, c.Stride)
	if !c.In.valid() || least < 1 || c.Pad < 0 {
		return Shape{}, fmt.Errorf(
			"convolution %+v: sizes and stride must be at least 1, pad at least 0", c)
	}
	if c.Pad >= c.KernelHeight || c.Pad >= c.KernelWidth {
		return Shape{}, fmt.Errorf("convolution %+v: pad must be below the kernel's size", c)
	}
	h, w := c.In.Height+2*c.Pad-c.KernelHeight, c.In.Width+2*c.Pad-c.KernelWidth
	if h < 0 || w < 0 {
		return Shape{}, fmt.Errorf("convolution %+v: the kernel is larger than the padded input", c)
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

	forward, backward plane
	dot               *dotPlan // the plan of the weight gradient: dot, outer or taps
	outer             *outerPlan
	taps              *tapsPlan

	call convCall
	then *BatchNorm // gets the moments of the next Forward's output; nil: none
}

// convCall is the running call: its slices, and how the work is cut.
type convCall struct {
	y, x, w, b    []float32 // destination, source, weights, bias (or nil)
	plus, mask    []float32 // addend, activations (or nil)
	dw, db, dy    []float32
	chunk, chunks int  // destination rows or groups per task, and the number of such chunks
	add           bool // add to dw and db instead of replacing them
}

// NewConv returns the convolution cfg for batches laid out as b.
func NewConv(isa ISA, b Batch, cfg ConvConfig) (*Conv, error) {
	if err := isa.check(); err != nil {
		return nil, err
	}
	out, err := cfg.OutShape()
	if err != nil {
		return nil, err
	}
	if !b.valid() {
		return nil, fmt.Errorf("convolution for %+v: make the batch with NewBatch", b)
	}
	c := &Conv{isa: isa, batch: b, cfg: cfg, out: out}
	if max(b.Len(cfg.In), b.Len(out), c.weightLen()) > math.MaxInt32 {
		return nil, errors.New(
			"convolution: an activation or weight has 2^31 values or more: use a smaller batch")
	}
	in, s, p := cfg.In, cfg.Stride, cfg.Pad
	c.forward = newPlane(
		convAxis(out.Height, in.Height, cfg.KernelHeight, s, p),
		convAxis(out.Width, in.Width, cfg.KernelWidth, s, p),
		in.Width, cfg.KernelWidth, in.Channels*b.Lanes)
	c.backward = newPlane(
		transposedAxis(out.Height, in.Height, cfg.KernelHeight, s, p),
		transposedAxis(out.Width, in.Width, cfg.KernelWidth, s, p),
		out.Width, cfg.KernelWidth, out.Channels*b.Lanes)
	c.planGrad()
	return c, nil
}

// Out returns the shape of the output.
func (c *Conv) Out() Shape { return c.out }

// weightLen returns the number of weights.
func (c *Conv) weightLen() int { return c.cfg.Out * c.cfg.In.Channels * c.area() }

// FLOPs returns the floating-point operations of one direction for the batch's images,
// multiplications with padding left out. A training step has three directions: forward, data,
// weights.
func (c *Conv) FLOPs() float64 {
	taps := 0
	for row := range c.out.Height {
		for col := range c.out.Width {
			_, t := c.forward.at(row, col)
			taps += len(t)
		}
	}
	in, out := float64(c.cfg.In.Channels), float64(c.out.Channels)
	return 2 * float64(taps) * in * out * float64(c.batch.Images)
}

// area returns the number of taps of one kernel.
func (c *Conv) area() int { return c.cfg.KernelHeight * c.cfg.KernelWidth }

// Forward computes y from x with weights w and bias (one value per output channel, or nil).
func (c *Conv) Forward(t *Team, y, x, w, bias []float32) {
	c.enterForward(y, x, w, bias)
	c.spread(t, c.out, c.cfg.In, (*forwardCall)(c))
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
// the ReLU that made them. dy is not masked by this layer's own ReLU; that is for whoever made dy.
func (c *Conv) BackwardData(t *Team, dx, dy, w, act []float32) {
	c.BackwardSum(t, dx, dy, w, act, nil)
}

// BackwardSum is BackwardData with plus, if it is not nil, added before act masks: the gradient of
// an input that is used twice, as [MaskedSum] computes it.
func (c *Conv) BackwardSum(t *Team, dx, dy, w, act, plus []float32) {
	c.enterBackward(dx, dy, w, act, plus)
	c.spread(t, c.cfg.In, c.out, (*backwardCall)(c))
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

// Then makes the next Forward, which computes y for the first images of the batch, add up the
// moments of y for n while the caches have y. It takes a row of the map for some channels at a
// time, in the order of n's own pass.
func (c *Conv) Then(n *BatchNorm, y []float32, images int) {
	n.images = images
	n.call.dy, n.call.x, n.call.around = y, y, n.zeros
	c.then = n
}

// tell adds up the moments of a position of a region, whose values are in the first-level cache.
func (c *Conv) tell(r region, row, col int) {
	if n := c.then; n != nil {
		n.moments(r.block*n.shape.Height+row, col, col+1, r.channel, r.channel+r.rows)
	}
}

// tellRow adds up the moments of a row of the map.
func (c *Conv) tellRow(block, row, channel, channels int) {
	if n := c.then; n != nil {
		n.moments(block*n.shape.Height+row, 0, n.shape.Width, channel, channel+channels)
	}
}

// finish ends the call.
func (c *Conv) finish() {
	if c.then != nil {
		c.then.told = true
	}
	c.then, c.call = nil, convCall{}
}

const (
	// minTasks is the number of tasks that an operation is cut into where possible: enough to
	// balance a few threads, at no cost to speak of.
	minTasks = 32
	// sourceBytes is the number of bytes of the second-level cache that the source rows of a task
	// may fill; all row tiles visit them in turn.
	sourceBytes = 1 << 20
)

// wholeBytes is the most bytes of weights that a task goes through at every position. So many stay
// in the second-level cache, and all other data is read and written in the order in which it lies.
// If there are more weights, a task has one row tile of channels.
const wholeBytes = 160 << 10

// channels returns the number of channels of a task of spread.
func (c *Conv) channels(dst Shape) int {
	if 4*c.weightLen() <= wholeBytes {
		return dst.Channels
	}
	return tileRows
}

// spread cuts the destination dst into tasks of one block, some map rows and some channels, and
// runs them.
func (c *Conv) spread(t *Team, dst, src Shape, j job) {
	n := c.channels(dst)
	tiles := (dst.Channels + n - 1) / n * c.batch.Blocks
	t.run(c.cut(tiles, dst.Height, 4*c.batch.Lanes*src.Len()/sourceBytes), j)
	c.finish()
}

// cut cuts n rows or groups into chunks for each of some tiles, and returns the number of tasks.
// There are at least least chunks, or n if n is smaller.
func (c *Conv) cut(tiles, n, least int) (tasks int) {
	chunks := min(max((minTasks+tiles-1)/tiles, least), n)
	c.call.chunk = (n + chunks - 1) / chunks
	c.call.chunks = (n + c.call.chunk - 1) / c.call.chunk
	return tiles * c.call.chunks
}

// region is the part of the destination that a task of spread covers: the map rows [top, bottom) of
// a block, and so many channels (rows) from channel on.
type region struct{ block, channel, rows, top, bottom int }

// region returns the region of task i.
func (c *Conv) region(i int, dst Shape) region {
	n := c.channels(dst)
	tiles := (dst.Channels + n - 1) / n
	channel := i % tiles * n
	i /= tiles
	top := i % c.call.chunks * c.call.chunk
	bottom := min(top+c.call.chunk, dst.Height)
	return region{i / c.call.chunks, channel, min(n, dst.Channels-channel), top, bottom}
}

// prefetchSteps is the number of outer steps by which weights are prefetched ahead of their use:
// about 200 ns of work for a 3×3 kernel.
const prefetchSteps = 12

type forwardCall Conv

func (f *forwardCall) task(i int) {
	c := (*Conv)(f)
	r := c.region(i, c.out)
	in := c.cfg.In
	tile := convTile{
		w:    c.call.w,
		wRow: in.Channels * c.area(), wStep: c.area(), prefetch: prefetchSteps * c.area(),
		outer: in.Channels, xStep: c.batch.Lanes, lanes: c.batch.Lanes,
	}
	if c.cfg.ReLU {
		tile.relu = 1
	}
	c.sweep(&tile, r, c.out, in, &c.forward)
}

type backwardCall Conv

func (f *backwardCall) task(i int) {
	c := (*Conv)(f)
	in := c.cfg.In
	r := c.region(i, in)
	tile := convTile{
		w: c.call.w, wRow: c.area(), wStep: in.Channels * c.area(),
		outer: c.out.Channels, xStep: c.batch.Lanes, lanes: c.batch.Lanes,
		prefetch: prefetchSteps * in.Channels * c.area(),
	}
	c.sweep(&tile, r, in, c.out, &c.backward)
}

// sweep runs the tile over the region's positions.
func (c *Conv) sweep(tile *convTile, r region, dst, src Shape, p *plane) {
	lanes := c.batch.Lanes
	tile.x = c.call.x[r.block*lanes*src.Len():][:lanes*src.Len()]
	first := r.block * lanes * dst.Len()
	for row := r.top; row < r.bottom; row++ {
		for col := range dst.Width {
			position, taps := p.at(row, col)
			tile.xBase, tile.taps = position*src.Channels*lanes, taps
			at := first + (row*dst.Width+col)*dst.Channels*lanes
			for channel := r.channel; channel < r.channel+r.rows; channel += tileRows {
				tile.rows = min(tileRows, r.channel+r.rows-channel)
				tile.wBase = channel * tile.wRow
				c.at(tile, at, channel)
				tile.run(c.isa)
			}
			c.tell(r, row, col)
		}
	}
}

// at gives the tile its place: channels from channel on of the position that starts at position.
func (c *Conv) at(t *convTile, position, channel int) {
	at, n := position+channel*t.lanes, t.rows*t.lanes
	t.y = c.call.y[at:][:n]
	if c.call.b != nil {
		t.bias = c.call.b[channel:][:t.rows]
	}
	if c.call.mask != nil {
		t.mask = c.call.mask[at:][:n]
	}
	if c.call.plus != nil {
		t.plus = c.call.plus[at:][:n]
	}
	if c.isa == AVX512 { // a sum takes long enough for its place to be fetched
		t.askAhead()
	}
}

// askAhead makes the tile prefetch, during its sum, the memory that it reads and writes after the
// sum. A tile with a sum of few steps prefetches its place at once.
func (t *convTile) askAhead() {
	steps := len(t.y) * 4 / cacheLine / askLines
	if t.asks = steps; t.outer < steps {
		t.asks = 0
		ask(t.y)
		return
	}
	y := address(t.y)
	t.ask = [askStreams]uintptr{y, y, y}
	if t.mask != nil {
		t.ask[1] = address(t.mask)
	}
	if t.plus != nil {
		t.ask[2] = address(t.plus)
	}
}

func address(s []float32) uintptr { return uintptr(unsafe.Pointer(unsafe.SliceData(s))) }
