package kern

import (
	"errors"
	"fmt"
	"math"
	"slices"
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

	call convCall
	then *BatchNorm // gets the moments of the next Forward's output; nil: none
}

// direction is the geometry of Forward, or of BackwardData.
type direction struct {
	plane
	dst, src    Shape
	wRow, wStep int // from one channel of dst, and of src, to the next, in the weights
	relu        int // 1: the call ends with max(0, ·)
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
func (c *Conv) planeOf(
	newAxis func(out, in, kernel, stride, pad int) axis, src Shape, depth, apart int,
) plane {
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
	taps := 0
	for row := range c.out.Height {
		for col := range c.out.Width {
			_, t := c.forward.lookUp(row, col)
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
	c.then = n
}

// addMoments adds up the moments of rows channels from channel on, in the columns [left, right) of
// a row of a block's map, whose values the caches have.
func (c *Conv) addMoments(block, row, left, right, channel, rows int) {
	if n := c.then; n != nil {
		n.moments(block*n.shape.Height+row, left, right, channel, channel+rows)
	}
}

// finish ends the call.
func (c *Conv) finish() {
	if c.then != nil {
		c.then.summed = true
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

// spread cuts the destination of a call into tasks of one block, some map rows and some channels,
// and runs them.
func (c *Conv) spread(t *Team, way *direction) {
	c.call.way = way
	tiles := pieces(way.dst.Channels, c.channels(way.dst)) * c.batch.Blocks
	least := 4 * c.batch.Lanes * way.src.Len() / sourceBytes
	t.run(c.cut(tiles, way.dst.Height, least), (*spreadCall)(c))
	c.finish()
}

// cut cuts n rows or groups into chunks for each of some tiles, and returns the number of tasks.
// There are at least least chunks, or n if n is smaller.
func (c *Conv) cut(tiles, n, least int) (tasks int) {
	chunks := min(max(pieces(minTasks, tiles), least), n)
	c.call.chunk = pieces(n, chunks)
	c.call.chunks = pieces(n, c.call.chunk)
	return tiles * c.call.chunks
}

// region is the part of the destination that a task of spread covers: the map rows [top, bottom) of
// a block, and so many channels (rows) from channel on.
type region struct{ block, channel, rows, top, bottom int }

// region returns the region of task i.
func (c *Conv) region(i int, dst Shape) region {
	n := c.channels(dst)
	tiles := pieces(dst.Channels, n)
	channel := i % tiles * n
	i /= tiles
	top := i % c.call.chunks * c.call.chunk
	bottom := min(top+c.call.chunk, dst.Height)
	return region{i / c.call.chunks, channel, min(n, dst.Channels-channel), top, bottom}
}

// prefetchSteps is the number of outer steps by which weights are prefetched ahead of their use:
// about 200 ns of work for a 3×3 kernel.
const prefetchSteps = 12

// spreadCall's task runs the tile over the positions of a region.
type spreadCall Conv

func (s *spreadCall) task(i int) {
	c := (*Conv)(s)
	way, lanes := c.call.way, c.batch.Lanes
	r := c.region(i, way.dst)
	tile := convTile{
		x: c.call.x[r.block*lanes*way.src.Len():][:lanes*way.src.Len()], w: c.call.w,
		wRow: way.wRow, wStep: way.wStep, prefetch: prefetchSteps * way.wStep,
		outer: way.src.Channels, xStep: lanes, lanes: lanes, relu: way.relu,
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

// placeTile gives the tile its place: channels from channel on of the position that starts at
// position.
func (c *Conv) placeTile(t *convTile, position, channel int) {
	at, n := position+channel*t.lanes, t.rows*t.lanes
	t.y, t.bias = c.call.y[at:][:n], optional(c.call.b, channel, t.rows)
	t.mask, t.plus = optional(c.call.mask, at, n), optional(c.call.plus, at, n)
	if c.isa == AVX512 { // a sum takes long enough for its place to be fetched
		t.prefetchPlace()
	}
}

// optional returns n values of an operand from place on, or nil if the operand is nil.
func optional(operand []float32, place, n int) []float32 {
	if operand == nil {
		return nil
	}
	return operand[place:][:n]
}

// prefetchPlace makes the tile prefetch, during its sum, the memory that it reads and writes after
// the sum. A tile with a sum of few steps prefetches its place at once.
func (t *convTile) prefetchPlace() {
	steps := len(t.y) * 4 / cacheLine / askLines
	if t.asks = steps; t.outer < steps {
		t.asks = 0
		prefetch(t.y)
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

// step1 is one kernel tap seen along one axis: tap k multiplies the source index base+d.
type step1 struct{ k, d int }

// axis is one spatial axis of a convolution seen from its destination, with the padding taken out:
// destination index o reads source index base[o]+d through tap k, for each step in steps[class[o]].
// Indices that see the same taps share a class; edges have classes of their own.
type axis struct {
	base  []int
	class []int
	steps [][]step1
}

// convAxis returns the axis of the forward direction: output o reads input o·stride − pad + k.
func convAxis(out, in, kernel, stride, pad int) axis {
	return newAxis(out, func(o int) (base int, steps []step1) {
		base = o*stride - pad
		for k := range kernel {
			if i := base + k; i >= 0 && i < in {
				steps = append(steps, step1{k, k})
			}
		}
		return base, steps
	})
}

// transposedAxis returns the axis of the backward direction: input i is read by the outputs o with
// o·stride − pad + k = i.
func transposedAxis(out, in, kernel, stride, pad int) axis {
	return newAxis(in, func(i int) (base int, steps []step1) {
		base = (i + pad) / stride
		for k := range kernel {
			if o := (i + pad - k) / stride; i+pad-k >= 0 && (i+pad-k)%stride == 0 && o < out {
				steps = append(steps, step1{k, o - base})
			}
		}
		return base, steps
	})
}

func newAxis(n int, lookUp func(int) (int, []step1)) axis {
	a := axis{base: make([]int, n), class: make([]int, n)}
	for i := range n {
		base, steps := lookUp(i)
		same := func(s []step1) bool { return slices.Equal(s, steps) }
		class := slices.IndexFunc(a.steps, same)
		if class < 0 { // a new one
			class, a.steps = len(a.steps), append(a.steps, steps)
		}
		a.base[i], a.class[i] = base, class
	}
	return a
}

// plane is the pair of axes of a map. It tells for each destination position where its source lies
// and which taps are inside the source.
type plane struct {
	rows, cols axis
	width      int     // of the source map, in positions
	taps       [][]tap // by row class, then column class
}

// newPlane joins two axes. A source position is depth values long; the weights of successive taps
// of a kernel, whose rows have kernelWidth taps, are so far apart.
func newPlane(rows, cols axis, width, kernelWidth, depth, apart int) plane {
	p := plane{rows: rows, cols: cols, width: width}
	for _, rs := range rows.steps {
		for _, cs := range cols.steps {
			taps := []tap{}
			for _, r := range rs {
				for _, c := range cs {
					x, w := (r.d*width+c.d)*depth, (r.k*kernelWidth+c.k)*apart
					taps = append(taps, tap{int32(x), int32(w)})
				}
			}
			p.taps = append(p.taps, taps)
		}
	}
	return p
}

// lookUp returns the source position that destination (row, col) counts its taps from, which may
// lie outside the map, and the taps.
func (p *plane) lookUp(row, col int) (position int, taps []tap) {
	class := p.rows.class[row]*len(p.cols.steps) + p.cols.class[col]
	return p.rows.base[row]*p.width + p.cols.base[col], p.taps[class]
}

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
	blocks := pieces(images, maxLanes)
	perBlock := pieces(images, blocks)
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

// Layout moves activations between the plain order [image][channel][row][column] (NCHW) and the
// blocked order of a [Batch]. Like every operation here it runs one call at a time.
type Layout struct {
	isa   ISA
	batch Batch
	shape Shape

	plain, blocked []float32 // the running call
	images         int
}

// NewLayout returns the conversion for activations of shape s.
func NewLayout(isa ISA, b Batch, s Shape) *Layout {
	b.check(isa, s)
	return &Layout{isa: isa, batch: b, shape: s}
}

// Pack writes the images of src, NCHW, into dst, blocked. src may hold fewer images than the batch;
// the lanes of the others are set to zero.
func (l *Layout) Pack(t *Team, dst, src []float32) {
	l.images = l.check(src, dst)
	l.plain, l.blocked = src, dst
	t.run(l.batch.padded()/vector, l)
	l.plain, l.blocked = nil, nil
}

// Unpack writes the images of src, blocked, into dst, NCHW. dst may hold fewer images than the
// batch.
func (l *Layout) Unpack(dst, src []float32) {
	images := l.check(dst, src)
	s, lanes := l.shape, l.batch.Lanes
	for i := range images {
		from := src[i/lanes*lanes*s.Len()+i%lanes:]
		to := dst[i*s.Len():][:s.Len()]
		for c := range s.Channels {
			for p := range s.Height * s.Width {
				to[c*s.Height*s.Width+p] = from[(p*s.Channels+c)*lanes]
			}
		}
	}
}

func (l *Layout) check(plain, blocked []float32) (images int) {
	n := l.shape.Len()
	if len(blocked) != l.batch.Len(l.shape) || len(plain)%n != 0 || len(plain)/n > l.batch.Images {
		panic("kern: Layout: slice has the wrong length")
	}
	return len(plain) / n
}

// task packs one vector of lanes.
func (l *Layout) task(i int) {
	first := i * vector
	s, lanes := l.shape, l.batch.Lanes
	n := s.Len()
	count := min(max(l.images-first, 0), vector)
	dst := l.blocked[first/lanes*lanes*n+first%lanes:]
	if count < vector {
		for k := range n {
			clear(dst[k*lanes:][:vector])
		}
	}
	if count == 0 {
		return
	}
	positions := s.Height * s.Width
	for c := range s.Channels {
		src := l.plain[first*n+c*positions:]
		transpose(l.isa, dst[c*lanes:], src, count, positions, s.Channels*lanes, n)
	}
}
