package kern

import (
	"math"
	"sync"
	"unsafe"
)

// BF16 is a kernel that multiplies operands rounded to bfloat16, the upper half of a float32.
// Rounding is to nearest, ties to even; sums are float32. Results of one kernel are the same bits
// on any number of threads; kernels differ in the order of sums. The kernels with bf16 instructions
// take denormals for 0.
type BF16 int

const (
	// Rounded runs the float32 kernels on rounded operands. Every machine has it, and it is the
	// reference.
	Rounded    BF16 = iota
	AVX512BF16      // VDPBF16PS
	AMX             // TDPBF16PS, on tiles
)

// String returns b's name; [BF16.On] has the name that runs record.
func (b BF16) String() string {
	return [...]string{"bf16-rounded", "avx512-bf16", "amx-bf16"}[b]
}

// On returns the name of b as it runs beside isa's kernels.
func (b BF16) On(isa ISA) string {
	if b == Rounded {
		return isa.String() + "-" + b.String()
	}
	return b.String()
}

// Available reports whether this build, machine and system can run b.
func (b BF16) Available() bool { return b >= Rounded && b <= DetectBF16() }

// check panics if b cannot run beside isa's kernels here. Constructors call it, as they call the
// check of an [ISA].
func (b BF16) check(isa ISA) {
	isa.check()
	if !b.runsBeside(isa) {
		panic("kern: the kernel of bf16 products cannot run here or beside these kernels")
	}
}

func (b BF16) runsBeside(isa ISA) bool { return b.Available() && (b == Rounded || isa == AVX512) }

// DetectBF16 returns the best kernel of this build, machine and system. The first call asks the
// system for AMX.
var DetectBF16 = sync.OnceValue(detectBF16)

// nearestBF16 rounds x to bfloat16. NaNs stay NaNs and denormals become 0, as in the instructions.
func nearestBF16(x float32) float32 {
	bits := math.Float32bits(x)
	switch exponent := bits >> 23 & 0xff; {
	case exponent == 0:
		return math.Float32frombits(bits & (1 << 31))
	case exponent == 0xff && bits<<9 != 0:
		return math.Float32frombits((bits | 1<<22) &^ 0xffff)
	}
	return math.Float32frombits((bits + 0x7fff + bits>>16&1) &^ 0xffff)
}

// Workspace is memory for the operands of bf16 operations during a call. The operations of one
// network share a Workspace; networks that run at once have one each.
type Workspace struct {
	a, b []uint16  // packed operands
	x, w []float32 // rounded operands; x also holds sums of parts
}

// lines grows *s to room for n lines of tiles, at the start of a cache line. It is for
// constructors.
func (w *Workspace) lines(s *[]uint16, n int) {
	if n *= tileDepth; n > len(*s) {
		values := Alloc(n / 2)
		*s = unsafe.Slice((*uint16)(unsafe.Pointer(unsafe.SliceData(values))), n)
	}
}

// values grows *s to room for n values. It is for constructors.
func (w *Workspace) values(s *[]float32, n int) {
	if n > len(*s) {
		*s = Alloc(n)
	}
}

// roundCall rounds an operand into memory of its own, for the float32 kernels.
type roundCall struct{ dst, src []float32 }

func (r *roundCall) task(i int) {
	from, to := i*elementChunk, min((i+1)*elementChunk, len(r.src))
	dst := r.dst[from:to]
	for k, v := range r.src[from:to] {
		dst[k] = nearestBF16(v)
	}
}

// rounded returns src, rounded into dst.
func (c *BF16Conv) rounded(t *Team, dst, src []float32) []float32 {
	c.round = roundCall{dst[:len(src)], src}
	t.run(pieces(len(src), elementChunk), &c.round)
	c.round = roundCall{}
	return dst[:len(src)]
}

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
	t.run(pieces(len(x), elementChunk), r)
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

// Where the input has few channels, a tap of the kernel has too few of them to fill a step. But the
// values under a row of the kernel are a run of neighbouring lines of a rounding, channel after
// channel and column after column, if columns of zeros are around the input. So products take a row
// of the kernel as one tap, and the run as its channels. Rows of zeros above and below make all
// positions alike.
//
// A step of a product takes two lines, and a step of the gradient three. The lines behind the run
// are multiplied by 0, or their gradient is dropped. In the forward direction, a value there that
// is infinite or NaN makes NaNs of the output before it.

// runs is an input of few channels, rounded, with zeros around it.
type runs struct {
	*Conv
	run           int       // lines of a run
	height, width int       // of the input, with the zeros around it
	weights       []int32   // as of strips: a tile for each row of the kernel
	x             []float32 // the rounding: [block][row][column][channel], then some lines
	values        []float32 // the input of the running call

	// For the gradient: a lot is some output rows of a block, as in tapsPlan. The lanes of its sums
	// are pairs of images, which are added up at the end.
	parts int // lots per block
	sums  []float32
	dy    []float32
}

// runLines is the most lines of a run: the number of values that a tile of weights sums over.
const runLines = tileDepth

// BF16Runs reports whether products of kind, forward and for the gradient of the weights, read
// runs.
func BF16Runs(kind BF16, b Batch, cfg ConvConfig) bool {
	run := cfg.KernelWidth * cfg.In.Channels
	return BF16Strips(kind, cfg) && kind == AVX512BF16 && CanRound(b) && cfg.Out%tileSide == 0 &&
		run <= runLines
}

func newRuns(c *Conv) *runs {
	cfg, lanes := &c.cfg, c.batch.Lanes/2
	r := &runs{
		Conv: c, run: cfg.KernelWidth * cfg.In.Channels,
		height: cfg.In.Height + 2*cfg.Pad, width: cfg.In.Width + 2*cfg.Pad,
		parts: min(max(tapsLots/c.batch.Blocks, 1), c.out.Height),
	}
	for i := range cfg.KernelHeight * runLines {
		row, value, at := i/runLines, i%runLines, int32(nothing)
		if value < r.run {
			col, channel := value/cfg.In.Channels, value%cfg.In.Channels
			at = int32(channel*c.area() + row*cfg.KernelWidth + col)
		}
		r.weights = append(r.weights, at)
	}
	r.x = Alloc(c.batch.Blocks*r.blockLen() + tapsCols*lanes)
	r.sums = Alloc(c.batch.Blocks * r.parts * r.sumsLen())
	return r
}

// offset returns where column col of row row begins in a block of x.
func (r *runs) offset(row, col int) int {
	return (row*r.width + col) * r.cfg.In.Channels * r.batch.Lanes / 2
}

func (r *runs) blockLen() int { return r.offset(r.height, 0) }

// triples returns the number of groups of three lines that cover a run; the last group may be
// partial.
func (r *runs) triples() int { return pieces(r.run, tapsCols) }

// sumsLen returns the number of sums of a lot: [8 outputs][row of the kernel][three lines].
func (r *runs) sumsLen() int { return r.cfg.Out / tapsRows * r.outSums() }

func (r *runs) outSums() int { return r.cfg.KernelHeight * r.triples() * tapsSums }

// round sets x to the rounding of values.
func (r *runs) round(t *Team, values []float32) {
	r.values = values
	t.run(r.batch.Blocks*r.cfg.In.Height, (*runsRound)(r))
	r.values = nil
}

// runsRound's task is a row of the input.
type runsRound runs

func (a *runsRound) task(i int) {
	r := (*runs)(a)
	size := r.cfg.In.Width * r.cfg.In.Channels * r.batch.Lanes
	block, row := i/r.cfg.In.Height, i%r.cfg.In.Height
	at := block*r.blockLen() + r.offset(row+r.cfg.Pad, r.cfg.Pad)
	round(r.x[at:][:size/2], r.values[i*size:][:size])
}

// gradient computes the gradient of the weights, and of the bias if the call wants it, from rounded
// dy.
func (r *runs) gradient(t *Team, dy []float32) {
	r.dy = dy
	t.run(r.batch.Blocks*r.parts, r)
	t.run(r.cfg.Out/tapsRows, (*runsTotal)(r))
	r.dy = nil
	r.sumBias(t)
}

// task computes the sums of a lot.
func (r *runs) task(lot int) {
	block, part := lot/r.parts, lot%r.parts
	sums := r.sums[lot*r.sumsLen():][:r.sumsLen()]
	clear(sums)
	for row := part * r.out.Height / r.parts; row < (part+1)*r.out.Height/r.parts; row++ {
		r.addRow(sums, block, row)
	}
}

// addRow adds the products of a row of the output's gradient to sums.
func (r *runs) addRow(sums []float32, block, row int) {
	lanes := r.batch.Lanes / 2
	size := r.out.Width * r.cfg.Out * lanes
	dy := r.dy[(block*r.out.Height+row)*size:]
	tile := tapsTile{
		positions: r.out.Width, groups: lanes / vector, dyRow: lanes, xTap: lanes,
		dyStep: (r.cfg.Out - 1) * lanes, xStep: r.offset(0, r.cfg.Stride) - lanes,
		askDY: dy[min(size, len(dy)-1):],
	}
	for out := 0; out < r.cfg.Out; out += tapsRows {
		tile.dy = dy[out*lanes:]
		for k := range r.cfg.KernelHeight {
			x := r.x[block*r.blockLen()+r.offset(row*r.cfg.Stride+k, 0):]
			for triple := range r.triples() {
				tile.x = x[triple*tapsCols*lanes:]
				tile.sum, sums = sums[:tapsSums], sums[tapsSums:]
				tile.lines()
				tile.askDY = tile.askDY[min(r.out.Width*lanes, len(tile.askDY)-1):]
			}
		}
	}
}

// runsTotal's task adds up the lots of 8 output channels and puts the sums in their places in dw.
type runsTotal runs

func (a *runsTotal) task(i int) {
	r := (*runs)(a)
	sums := r.sums[i*r.outSums():][:r.outSums()]
	for lot := 1; lot < r.batch.Blocks*r.parts; lot++ {
		add(AVX512, sums, sums, r.sums[lot*r.sumsLen()+i*r.outSums():])
	}
	all := r.weightLen() / r.cfg.Out
	for k := range r.cfg.KernelHeight {
		for v, weight := range r.weights[k*runLines:][:r.run] {
			for out := range tapsRows {
				at := (k*r.triples()+v/tapsCols)*tapsSums + (out*tapsCols+v%tapsCols)*vector
				var sum float32
				for _, s := range sums[at:][:vector] {
					sum += s
				}
				if to := &r.call.dw[(i*tapsRows+out)*all+int(weight)]; r.call.add {
					*to += sum
				} else {
					*to = sum
				}
			}
		}
	}
}

// Without hardware tiles a product need not pack its activations: VDPBF16PS reads the lines of a
// [Rounding], as they are in the gradient, and otherwise unpacked on the way to a register. One
// rounding serves all products that read the activation.

// BF16Pairs reports whether products of kind read roundings. This takes channels on both sides that
// fill tiles, and images that fill lines.
func BF16Pairs(kind BF16, b Batch, cfg ConvConfig) bool {
	fit := func(channels int) bool { return channels == tileSide || channels%tileDepth == 0 }
	return kind == AVX512BF16 && CanRound(b) && fit(cfg.In.Channels) && fit(cfg.Out) &&
		!cfg.linear()
}

// roundings holds the roundings that the products of a convolution read.
type roundings struct {
	x, dy *Rounding // set by SetRoundings, or nil
	own   Rounding  // of an operand whose rounding is not given
	zeros []float32 // for a bias
}

// spotsOf lists the positions of the destination of a plane, whose source positions are depth
// values long.
func (p *plane) spotsOf(dst Shape, depth int) (spots []spot, taps []tap) {
	from := make([]int32, len(p.taps)+1)
	for class, list := range p.taps {
		taps = append(taps, list...)
		from[class+1] = int32(len(taps))
	}
	for row := range dst.Height {
		for col := range dst.Width {
			class := p.rows.class[row]*len(p.cols.steps) + p.cols.class[col]
			position, _ := p.lookUp(row, col)
			spots = append(spots, spot{int32(position * depth), from[class], from[class+1]})
		}
	}
	return spots, taps
}

// SetRoundings makes products read these roundings of the input and of the output's gradient. For
// one that is nil, each call makes a rounding of its own.
func (c *BF16Conv) SetRoundings(x, dy *Rounding) { c.rounds.x, c.rounds.dy = x, dy }

// ReadsRoundings reports whether products read roundings of the input and of the output's gradient.
func (c *BF16Conv) ReadsRoundings() (x, dy bool) {
	return c.rounds != nil && c.runs == nil, c.rounds != nil
}

// planPairs makes room for roundings that are not given.
func (c *BF16Conv) planPairs() {
	n := max(c.batch.Len(c.cfg.In), c.batch.Len(c.out)) / 2
	c.space.values(&c.space.x, n)
	c.space.values(&c.space.w, n)
	c.rounds = &roundings{zeros: make([]float32, max(c.cfg.In.Channels, c.cfg.Out))}
}

// rounding returns the pairs of given or, if it is nil, the rounding of values, made in memory.
func (c *BF16Conv) rounding(t *Team, given *Rounding, memory, values []float32) []float32 {
	if given != nil {
		return given.pairs
	}
	c.rounds.own.pairs = memory[:len(values)/2]
	c.rounds.own.Round(t, values)
	return c.rounds.own.pairs
}

// multiplyPairs packs the weights of the call and computes the product. A task is all channels of
// some rows of the map in one block of images.
func (c *BF16Conv) multiplyPairs(t *Team, p *product, pairs []float32) {
	c.direction, c.pairs = p, pairs
	t.run(p.weightTasks(), (*packOperands)(c))
	t.run(c.cut(c.batch.Blocks, p.dst.Height, 1), (*pairsCall)(c))
	c.direction, c.pairs = nil, nil
	c.finish()
}

type pairsCall BF16Conv

func (m *pairsCall) task(i int) {
	c := (*BF16Conv)(m)
	p, lanes := c.direction, c.batch.Lanes
	block, top := i/c.call.chunks, i%c.call.chunks*c.call.chunk
	size := p.dst.Width * p.dst.Channels * lanes
	tile := pairsTile{
		bias: c.call.b, a: c.space.a, taps: p.taps,
		x:      c.pairs[block*p.block:],
		groups: lanes / tileDepth, rows: p.dst.Channels / pairsRows, inner: p.inner,
		pairs: p.src.pairs, aNext: p.weightLines(), lanes: lanes, channels: p.dst.Channels,
	}
	if c.call.b == nil {
		tile.bias = c.rounds.zeros
	}
	if p.relu == 0 {
		tile.floor = float32(math.Inf(-1))
	}
	for row := top; row < min(top+c.call.chunk, p.dst.Height); row++ {
		at := (block*p.dst.Height + row) * size
		tile.y, tile.spots = c.call.y[at:][:size], p.spots[row*p.dst.Width:][:p.dst.Width]
		tile.mask = optional(c.call.mask, at/2, size/2)
		tile.plus = optional(c.call.plus, at, size)
		tile.run()
		c.addMoments(block, row, 0, p.dst.Width, 0, p.dst.Channels)
	}
}
