package kern

// BF16Conv is a [Conv] that multiplies operands rounded to bfloat16; see [BF16]. It takes and gives
// float32 values in the same layouts; the bias and its gradient are not rounded. It keeps the state
// of the running call and none between calls. It runs one call at a time, and so do all operations
// that share a workspace.
//
// Each direction is a set of matrix products, cut into tiles of 16×16 results. Images are the
// columns or, in the gradient of the weights, what the sum runs over:
//
//	forward  y[out, image]  = Σ_taps w[out, in] · x[in, image]
//	data     dx[in, image]  = Σ_taps wᵀ[in, out] · dy[out, image]
//	weights  dw[out, in]    = Σ_positions dy[out, image] · xᵀ[image, in]
//
// A call packs both operands into tiles (bf16_conv.go) and multiplies them. Where the input has few
// channels, forward and weights sum over all values that an output sees, as if one tap saw them. A
// linear layer takes these values as channels; other layers take them in strips (bf16_conv.go).
type BF16Conv struct {
	*Conv
	kind  BF16
	space *Workspace

	forward, backward product
	x, dy             *source
	strips            *strips // the strips of the input, or nil
	rounds            *roundings
	runs              *runs     // the runs of the input, or nil
	onTaps            *tapsPlan // the gradient's plan; nil: taps and spans
	taps              []tap     // of the gradient: the lines of positions that a kernel tap joins
	spans             []span    // of taps, by part and kernel tap

	// The running call, beside Conv's.
	direction *product   // nil in the gradient
	pairs     []float32  // the rounding that a product reads
	packs     [2]packing // the activations to pack
	round     roundCall
}

// product is the forward direction, or the backward direction to the input.
type product struct {
	src    *source
	strips *strips // the strips of the source, or nil
	plane  plane   // unused with strips
	area   int     // taps of the weights
	inner  int     // tiles that the sum of a tap takes
	dst    Shape
	across bool    // weights are transposed
	table  []int32 // of weights that strips or runs put in order, see strips.weights; or nil
	relu   int     // 1: the product ends with max(0, ·)
	lines  []int32 // where packed lines go, see planLines
	spots  []spot  // of a source that is only rounded; nil: it is packed
	taps   []tap   // of spots
	block  int     // pairs of a block of such a source
}

// BF16 returns c with products of rounded operands. It shares the running call with c, whose
// float32 methods stay what they are. Without data there is no memory for BackwardData, which the
// first layer of a network does not need.
func (c *Conv) BF16(kind BF16, space *Workspace, data bool) *BF16Conv {
	kind.check(c.isa)
	b := &BF16Conv{Conv: c, kind: kind, space: space}
	if kind == Rounded {
		in, out := c.batch.Len(c.cfg.In), c.batch.Len(c.out)
		space.values(&space.x, max(in, out))
		space.values(&space.w, max(c.weightLen(), out))
	} else {
		b.plan(data)
	}
	return b
}

// plan works out how operands are packed and where each product finds them.
func (c *BF16Conv) plan(data bool) {
	cfg, in, out := &c.cfg, c.cfg.In, c.out
	dy, x := newSource(c.kind, out, c.batch), newSource(c.kind, in, c.batch)
	c.dy, c.x = &dy, &x
	switch {
	case BF16Pairs(c.kind, c.batch, *cfg):
		c.planPairs()
	case !data && BF16Runs(c.kind, c.batch, *cfg):
		c.planPairs()
		c.runs = newRuns(c.Conv)
	}
	c.backward = product{src: c.dy, area: c.area(), inner: dy.depth(), dst: in, across: true}
	c.backward.plane = c.planeOf(transposedAxis, out, c.positionLen(c.dy), dy.depth()*tileSide)
	switch {
	case c.runs != nil:
		r := c.runs
		x.len, x.pairs = r.height*r.width*in.Channels, (r.run+1)/2
		c.forward = product{src: c.x, area: cfg.KernelHeight, inner: 1, dst: out, table: r.weights}
		c.forward.plane = newPlane( // the weights of each row of the kernel are a tile
			convAxis(out.Height, r.height, cfg.KernelHeight, cfg.Stride, 0),
			convAxis(out.Width, r.width, 1, cfg.Stride, 0),
			r.width, 1, c.positionLen(c.x), tileSide)
	case BF16Strips(c.kind, *cfg):
		c.strips = newStrips(c.Conv)
		c.x = &c.strips.source
		c.forward = product{src: c.x, strips: c.strips, area: 1, inner: c.strips.inner(), dst: out,
			table: c.strips.weights}
	case cfg.few():
		x = flatSource(in, c.batch)
		point := convAxis(1, 1, 1, 1, 0)
		c.forward = product{src: c.x, area: 1, inner: x.depth(), dst: out}
		c.forward.plane = newPlane(point, point, 1, 1, x.unitLines(), 1)
	default:
		for unit := range x.units() {
			row, col := unit/in.Width, unit%in.Width
			seen := c.sees(row, cfg.KernelHeight) && c.sees(col, cfg.KernelWidth)
			x.unseen = append(x.unseen, !seen)
		}
		c.forward = product{src: c.x, area: c.area(), inner: x.depth(), dst: out}
		c.forward.plane = c.planeOf(convAxis, in, c.positionLen(c.x), x.depth()*tileSide)
	}
	c.forward.relu = bit(cfg.ReLU)
	products := []*product{&c.forward, &c.backward}
	if !data {
		products = products[:1]
	}
	for _, p := range products {
		p.planLines()
		c.space.lines(&c.space.a, p.weightTasks()*p.weightLines())
		if c.rounds != nil {
			p.spots, p.taps = p.plane.spotsOf(p.dst, c.positionLen(p.src))
			p.block = p.src.len * c.batch.Lanes / 2
		} else {
			c.space.lines(&c.space.b, c.batch.Blocks*p.src.sumLines())
		}
	}
	c.planGradient()
}

// positionLen returns the length of a position of s as products read it: pairs of a rounding, or
// lines.
func (c *BF16Conv) positionLen(s *source) int {
	if c.rounds != nil {
		return s.rows * s.lanes / 2
	}
	return s.unitLines()
}

// oneTap is the one tap of a product of strips.
var oneTap = []tap{{}}

// lookUp returns the line of the source that output (row, col) counts its taps from, and the taps.
func (p *product) lookUp(row, col int) (line int, taps []tap) {
	if p.strips != nil {
		return p.strips.sees(row, col) / 2, oneTap // a line holds a pair
	}
	position, taps := p.plane.lookUp(row, col)
	return position * p.src.unitLines(), taps
}

// weightLines returns the number of lines that the weights of 16 destination channels are packed
// into.
func (p *product) weightLines() int { return p.area * p.inner * tileSide }

// weightTasks returns the number of tasks that pack the weights: 16 destination channels each.
func (p *product) weightTasks() int { return tilesOf(p.dst.Channels) }

// tilesOf returns how many tiles n rows or columns fill.
func tilesOf(n int) int { return pieces(n, tileSide) }

// Forward is [Conv.Forward] on rounded x and w.
func (c *BF16Conv) Forward(t *Team, y, x, w, bias []float32) {
	c.enterForward(y, x, w, bias)
	switch {
	case c.kind == Rounded:
		c.Conv.Forward(t, y, c.rounded(t, c.space.x, x), c.rounded(t, c.space.w, w), bias)
	case c.runs != nil:
		c.runs.round(t, x)
		c.multiplyPairs(t, &c.forward, c.runs.x)
	case c.rounds != nil:
		c.multiplyPairs(t, &c.forward, c.rounding(t, c.rounds.x, c.space.x, x))
	default:
		c.multiply(t, &c.forward)
	}
}

// BackwardData is [Conv.BackwardData] on rounded dy and w. If products do not read roundings, plus
// must be nil.
func (c *BF16Conv) BackwardData(t *Team, dx, dy, w, act, plus []float32) {
	c.enterBackward(dx, dy, w, act, plus)
	switch {
	case c.rounds != nil:
		if act != nil { // the mask of such a product is a rounding
			c.call.mask = c.rounding(t, c.rounds.x, c.space.w, act)
		}
		c.multiplyPairs(t, &c.backward, c.rounding(t, c.rounds.dy, c.space.x, dy))
	case plus != nil:
		panic("kern: BF16Conv.BackwardData: only products of roundings add another gradient")
	case c.kind == Rounded:
		c.Conv.BackwardData(t, dx, c.rounded(t, c.space.x, dy), c.rounded(t, c.space.w, w), act,
			nil)
	default:
		c.multiply(t, &c.backward)
	}
}

// multiply packs the operands of the call and computes the product. A task is 32 channels of some
// rows of the map in one block of images.
func (c *BF16Conv) multiply(t *Team, p *product) {
	c.direction = p
	c.packs[0] = packing{src: p.src, dst: c.space.b, values: c.call.x, form: depthOfB}
	t.run(p.weightTasks()+c.units(p.src), (*packOperands)(c))
	pairs := pairsOf(p.dst.Channels) * c.batch.Blocks
	t.run(c.cut(pairs, p.dst.Height, 1), (*multiplyCall)(c))
	c.direction, c.packs[0] = nil, packing{}
	c.finish()
}

// part returns the first row, the block and the first channel of a task. Successive tasks share the
// larger operand, so that it is in the cache: the strips, or the weights of some channels.
func (c *BF16Conv) part(i int) (row, block, channel int) {
	p := c.direction
	if pairs := pairsOf(p.dst.Channels); p.strips != nil {
		channel, i = i%pairs, i/pairs
		row, block = i%c.call.chunks, i/c.call.chunks
	} else {
		row, i = i%c.call.chunks, i/c.call.chunks
		block, channel = i%c.batch.Blocks, i/c.batch.Blocks
	}
	return row * c.call.chunk, block, channel * 2 * tileSide
}

type multiplyCall BF16Conv

func (m *multiplyCall) task(i int) {
	c := (*BF16Conv)(m)
	p, lanes := c.direction, c.batch.Lanes
	top, block, channel := c.part(i)
	rows := min(2*tileSide, p.dst.Channels-channel)
	tile := mulTile{
		a:     c.space.a[channel/tileSide*p.weightLines()*tileDepth:],
		b:     c.space.b[block*p.src.sumLines()*tileDepth:],
		inner: p.inner, aInner: tileSide, bInner: tileSide, pairs: p.src.pairs,
		aNext: p.weightLines(), bNext: p.src.laneLines(),
		cRow: lanes, rows: tilesOf(rows),
	}
	bias := optional(c.call.b, channel, rows)
	for row := top; row < min(top+c.call.chunk, p.dst.Height); row++ {
		for col := range p.dst.Width {
			at := block*lanes*p.dst.Len() + ((row*p.dst.Width+col)*p.dst.Channels+channel)*lanes
			tile.bBase, tile.taps = p.lookUp(row, col)
			y := c.call.y[at:][:rows*lanes]
			prefetch(y)
			if rows%tileSide == 0 {
				c.sweep(tile, y)
			} else {
				c.sweepEdge(tile, y)
			}
			finish(y, bias, optional(c.call.mask, at, len(y)), rows, lanes, p.relu)
		}
		c.addMoments(block, row, 0, p.dst.Width, channel, rows)
	}
}

// sweep computes y, the channels of one position, which fill whole tiles. It takes one product for
// each two tiles of images.
func (c *BF16Conv) sweep(t mulTile, y []float32) {
	var spans [maxLanes / (2 * tileSide)]span
	for i := range spans {
		spans[i].to = int32(len(t.taps))
	}
	b, tiles := t.b, c.batch.Lanes/tileSide
	t.bMove, t.cMove = 2*t.bNext, 2*tileSide
	if pairs := tiles / 2; pairs > 0 {
		t.c, t.cols, t.spans = y, 2, spans[:pairs]
		t.run(c.kind)
	}
	if last := tiles - 1; tiles%2 > 0 {
		t.b, t.c = b[last*t.bNext*tileDepth:], y[last*tileSide:]
		t.cols, t.spans = 1, spans[:1]
		t.run(c.kind)
	}
}

// sweepEdge computes y, the channels of one position, whose last channels do not fill a tile.
func (c *BF16Conv) sweepEdge(t mulTile, y []float32) {
	var whole [2 * tileSide * maxLanes]float32
	c.sweep(t, whole[:])
	copy(y, whole[:])
}

// Where the input has few channels, a tile of one tap would be mostly zeros. There the sum is over
// all values that an output sees, in the order [kernel row][kernel column][channel]. A column of
// outputs sees a strip of the padded input: all rows, and of each row the run of values under the
// kernel. The strip is packed once, with a line for each value or each pair of values, and an
// output sees some neighbouring lines of it.
//
// The last tile of the sum reaches beyond the values that an output sees, to values that it
// multiplies by 0. Where such a value is infinite or NaN, it makes NaNs of some outputs next to
// those that see it, of the same image.

// strips is an input of few channels, packed in strips: a unit of the source is a strip.
type strips struct {
	source
	run, step int     // values of a row, made even for pairs, and between two outputs
	weights   []int32 // by value of the sum: the weight's offset in its output channel, or nothing
}

// fewChannels is half of the depth of a tile: an input with few channels has fewer than that.
const fewChannels = tileDepth / 2

// BF16Strips reports whether products of kind, forward and for the gradient of the weights, read
// strips. A linear layer has none: its one output sees all values, in the order of the weights.
func BF16Strips(kind BF16, cfg ConvConfig) bool {
	return kind != Rounded && cfg.few() && !cfg.linear()
}

func (c ConvConfig) few() bool {
	return c.In.Channels < fewChannels && c.KernelHeight*c.KernelWidth > 1
}

// linear reports whether c's kernel is as large as its input.
func (c ConvConfig) linear() bool {
	return c.KernelHeight == c.In.Height && c.KernelWidth == c.In.Width && c.Pad == 0
}

// newStrips returns the strips of c's input.
func newStrips(c *Conv) *strips {
	cfg := &c.cfg
	s := &strips{run: (cfg.KernelWidth*cfg.In.Channels + 1) / 2 * 2}
	s.step = cfg.Stride * s.run
	s.weights = make([]int32, pieces(cfg.KernelHeight*s.run, tileDepth)*tileDepth)
	for i := range s.weights {
		s.weights[i] = nothing
		row, col, channel := s.value(i, cfg.In.Channels)
		if row < cfg.KernelHeight && col < cfg.KernelWidth {
			s.weights[i] = int32(channel*c.area() + row*cfg.KernelWidth + col)
		}
	}
	s.source = source{lanes: c.batch.Lanes, len: cfg.In.Len(), pairs: tileSide}
	s.rows = pieces((c.out.Height-1)*s.step+len(s.weights), tileDepth) * tileDepth
	for col := range c.out.Width {
		s.base = append(s.base, 0)
		s.offsets = append(s.offsets, s.strip(cfg, col*cfg.Stride-cfg.Pad))
	}
	return s
}

// value returns the place of value i of a strip; col is beyond the kernel for a value that makes a
// row even.
func (s *strips) value(i, channels int) (row, col, channel int) {
	return i / s.run, i % s.run / channels, i % s.run % channels
}

// strip returns the offsets of the strip whose first column in the input is left.
func (s *strips) strip(cfg *ConvConfig, left int) []int32 {
	offsets := s.table()
	for i := range offsets {
		row, col, channel := s.value(i, cfg.In.Channels)
		top, in := row-cfg.Pad, left+col
		inside := in >= 0 && in < cfg.In.Width && top >= 0 && top < cfg.In.Height
		if col < cfg.KernelWidth && inside {
			offsets[i] = int32(((top*cfg.In.Width+in)*cfg.In.Channels + channel) * s.lanes)
		}
	}
	return offsets
}

// inner returns the number of tiles that an output's values fill as the sum of a product.
func (s *strips) inner() int { return len(s.weights) / tileDepth }

// sees returns which value of a block's strips is the first that output (row, col) sees.
func (s *strips) sees(row, col int) int { return col*s.rows + row*s.step }

// packTable packs the weights of rows output channels from row on, in the order of the product's
// table.
func (c *BF16Conv) packTable(dst []uint16, row, rows int) {
	all, table := c.weightLen()/c.cfg.Out, c.direction.table
	offsets := offsetsOf(tileSide, tileDepth)
	for first := 0; first < len(table); first += tileDepth {
		var values [tileLen]float32
		for i, at := range table[first:][:tileDepth] {
			if at != nothing {
				for r := range rows {
					values[r*tileDepth+i] = c.call.w[(row+r)*all+int(at)]
				}
			}
		}
		packRows(dst[first*tileSide:], values[:], 0, offsets[:], tileDepth, false)
	}
}

// stripParts is the most parts that the gradient is summed in. A part is some neighbouring strips,
// which stay in the second-level cache while all tiles of weights visit them.
const stripParts = 8

// stripTaps lists the lines of x and of dy for the gradient: for every output, the output and the
// first value that it sees. Each part has a span.
func (c *BF16Conv) stripTaps() {
	parts, cols := min(c.out.Width, stripParts), c.out.Width
	for part := range parts {
		from := int32(len(c.taps))
		for block := range c.batch.Blocks {
			for col := part * cols / parts; col < (part+1)*cols/parts; col++ {
				for row := range c.out.Height {
					c.taps = append(c.taps, tap{
						x: int32(block*c.dy.imageLines() + (row*cols+col)*c.dy.imageUnitLines()),
						w: int32(block*c.x.imageLines() + c.strips.sees(row, col))})
				}
			}
		}
		c.spans = append(c.spans, span{from, int32(len(c.taps))})
	}
	c.space.values(&c.space.x, parts*pairsOf(len(c.strips.weights))*pairsOf(c.cfg.Out)*stripTile)
}

// stripTile is the length of a product of two tiles by two.
const stripTile = 4 * tileSide * tileSide

// stripSums returns the sums of a part between 32 values that outputs see, the pair of tiles in,
// and 32 output channels, the pair of tiles out, with a row for each value. Unlike where channels
// are many, the values are rows of the product, so that the smaller operand, dy, is packed across.
func (c *BF16Conv) stripSums(part, in, out int) []float32 {
	at := (part*pairsOf(len(c.strips.weights))+in)*pairsOf(c.cfg.Out) + out
	return c.space.x[at*stripTile:][:stripTile]
}

// stripCall's task is a part of the gradient for some pairs of tiles of values.
type stripCall BF16Conv

func (s *stripCall) task(i int) {
	c := (*BF16Conv)(s)
	part, first := i/c.call.chunks, i%c.call.chunks*c.call.chunk
	values := len(c.strips.weights)
	tile := mulTile{
		inner: c.x.imageDepth(), aInner: c.x.groupLines(), bInner: c.dy.groupLines(),
		aNext: tileSide, bNext: tileSide, cRow: 2 * tileSide, pairs: tileSide,
		taps: c.taps, spans: c.spans[part:][:1],
	}
	for in := first; in < min(first+c.call.chunk, pairsOf(values)); in++ {
		for out := range pairsOf(c.cfg.Out) {
			tile.rows = min(2, tilesOf(values)-2*in)
			tile.cols = min(2, tilesOf(c.cfg.Out)-2*out)
			tile.a, tile.b = c.space.a[2*in*tileLen:], c.space.b[2*out*tileLen:]
			tile.c = c.stripSums(part, in, out)
			tile.run(c.kind)
		}
	}
}

// stripSum's task adds up the parts of a pair of tiles of values, in their order, and puts the sums
// in their places in dw.
type stripSum BF16Conv

func (s *stripSum) task(in int) {
	c := (*BF16Conv)(s)
	for out := range pairsOf(c.cfg.Out) {
		sums := c.stripSums(0, in, out)
		for part := 1; part < len(c.spans); part++ {
			add(c.isa, sums, sums, c.stripSums(part, in, out))
		}
		c.placeStrips(sums, in*2*tileSide, out*2*tileSide)
	}
}

// placeStrips puts the gradients of the weights in their places in dw, for values from in on and
// output channels from out on.
func (c *BF16Conv) placeStrips(sums []float32, in, out int) {
	all, outs := c.weightLen()/c.cfg.Out, min(2*tileSide, c.cfg.Out-out)
	for i, at := range c.strips.weights[in:min(in+2*tileSide, len(c.strips.weights))] {
		if at == nothing {
			continue
		}
		for o, v := range sums[i*2*tileSide:][:outs] {
			if to := &c.call.dw[(out+o)*all+int(at)]; c.call.add {
				*to += v
			} else {
				*to = v
			}
		}
	}
}

// source says where the rows of each unit lie in a block of an activation. A unit is what is packed
// at once: the channels of a position, or a strip (bf16_conv.go).
type source struct {
	lanes, len int       // images of a block, and values of an image
	rows       int       // rows of a unit
	pairs      int       // pairs of rows in a tile: 16, or 8 if there are no more
	base       []int     // by unit: where its rows start
	offsets    [][]int32 // by unit: row offsets from base, then nothing up to whole tiles
	unseen     []bool    // by unit: no tap reads it; nil: all are read
}

// newSource returns the source whose units are the channels of a position, for products of kind.
func newSource(kind BF16, s Shape, b Batch) source {
	src := source{lanes: b.Lanes, len: s.Len(), rows: s.Channels, pairs: tileSide}
	if kind == AVX512BF16 && s.Channels <= tileSide {
		src.pairs = tileSide / 2
	}
	offsets := src.table()
	for i := range s.Channels {
		offsets[i] = int32(i * b.Lanes)
	}
	for p := range s.Height * s.Width {
		src.base, src.offsets = append(src.base, p*s.Channels*b.Lanes), append(src.offsets, offsets)
	}
	return src
}

// flatSource returns the source whose one unit is all values of an image, as if they were channels
// of one position, in the order of a linear layer's weights.
func flatSource(s Shape, b Batch) source {
	src := source{
		lanes: b.Lanes, len: s.Len(), rows: s.Len(), pairs: tileSide, base: []int{0}}
	offsets, area := src.table(), s.Height*s.Width
	for i := range s.Len() {
		offsets[i] = int32((i%area*s.Channels + i/area) * b.Lanes)
	}
	src.offsets = [][]int32{offsets}
	return src
}

func (s *source) table() []int32 {
	offsets := make([]int32, s.depth()*tileDepth)
	for i := range offsets {
		offsets[i] = nothing
	}
	return offsets
}

func (s *source) units() int { return len(s.base) }

// depth returns the number of tiles that the rows of a unit fill as the sum of a product.
func (s *source) depth() int { return pieces(s.rows, tileDepth) }

// imageDepth returns the number of tiles that the images of a block fill as the sum of a product.
func (s *source) imageDepth() int { return pieces(s.lanes, tileDepth) }

// Packed for sums over rows, a block is [16 images][unit][depth] of tiles; for sums over images it
// is [32 images][unit][16 rows]. For each of the two, these functions return the number of lines of
// a unit, of all units for so many images, and of the block.

func (s *source) unitLines() int { return s.depth() * s.pairs }
func (s *source) laneLines() int { return s.units() * s.unitLines() }
func (s *source) sumLines() int  { return s.lanes / tileSide * s.laneLines() }

func (s *source) imageUnitLines() int { return tilesOf(s.rows) * tileSide }
func (s *source) groupLines() int     { return s.units() * s.imageUnitLines() }
func (s *source) imageLines() int     { return s.imageDepth() * s.groupLines() }

// packing is an activation to pack, and how and where to pack it.
type packing struct {
	src    *source
	dst    []uint16
	values []float32
	form   packForm

	rounded bool // values are a rounding's
}

// packForm is one of the forms that a tile can be packed to.
type packForm int

const (
	rowsOfA  packForm = iota // rows of the source are rows: sums are over images
	rowsOfB                  // rows of the source are columns: sums are over images
	depthOfB                 // sums are over rows of the source
)

// packOperands packs the operands of the running call. Its tasks are, in this order: the weights of
// the product; the units of activations; and, in the gradient, the bias gradient, which waits for
// nothing.
type packOperands BF16Conv

func (p *packOperands) task(i int) {
	c := (*BF16Conv)(p)
	if d := c.direction; d != nil {
		if i < d.weightTasks() {
			c.packWeights(i)
			return
		}
		i -= d.weightTasks()
	}
	for k := range c.packs {
		if p := &c.packs[k]; p.src != nil {
			if i < c.units(p.src) {
				p.unit(i)
				return
			}
			i -= c.units(p.src)
		}
	}
	(*biasCall)(c.Conv).task(i)
}

// units returns the number of units of s in all blocks.
func (c *BF16Conv) units(s *source) int { return c.batch.Blocks * s.units() }

// unit packs unit i, counted over all blocks.
func (p *packing) unit(i int) {
	s := p.src
	block, unit := i/s.units(), i%s.units()
	if s.unseen != nil && s.unseen[unit] {
		return
	}
	if p.rounded {
		p.lines(block, unit)
		return
	}
	values := p.values[block*s.lanes*s.len:][:s.lanes*s.len]
	base, offsets := s.base[unit], s.offsets[unit]
	if unit+1 < s.units() {
		next := values[s.base[unit+1]:]
		prefetch(next[:min(s.rows*s.lanes, len(next))])
	}
	if p.form == depthOfB {
		for lane := 0; lane < s.lanes; lane += tileSide {
			line := block*s.sumLines() + lane/tileSide*s.laneLines() + unit*s.unitLines()
			dst := p.dst[line*tileDepth:]
			for d := range s.depth() {
				packPairs(dst[d*tileLen:], values, base+lane, offsets[d*tileDepth:], tileSide,
					s.pairs)
			}
		}
		return
	}
	for lane := 0; lane < s.lanes; lane += tileDepth {
		line := block*s.imageLines() + lane/tileDepth*s.groupLines() + unit*s.imageUnitLines()
		dst := p.dst[line*tileDepth:]
		for row := 0; row < s.rows; row += tileSide {
			packRows(dst[row*tileDepth:], values, base+lane, offsets[row:],
				min(tileDepth, s.lanes-lane), p.form == rowsOfB)
		}
	}
}

// lines packs a unit of a rounding for sums over images: whole tiles of lines.
func (p *packing) lines(block, unit int) {
	s := p.src
	apart := s.lanes / 2
	for lane := 0; lane < s.lanes; lane += tileDepth {
		line := block*s.imageLines() + lane/tileDepth*s.groupLines() + unit*s.imageUnitLines()
		for row := 0; row < s.rows; row += tileSide {
			from := p.values[((block*s.units()+unit)*s.rows+row)*apart+lane/2:]
			to := floats(p.dst[(line+row)*tileDepth:][:tileLen])
			if p.form == rowsOfB {
				transpose(AVX512, to, from, tileSide, tileSide, tileSide, apart)
				continue
			}
			for i := range tileSide {
				copy(to[i*tileSide:][:tileSide], from[i*apart:])
			}
		}
	}
}

// packWeights packs the weights of the running product as rows of A, [16 destination
// channels][tap][depth].
func (c *BF16Conv) packWeights(i int) {
	d := c.direction
	dst := c.space.a[i*d.weightLines()*tileDepth:]
	row, rows := i*tileSide, min(tileSide, d.dst.Channels-i*tileSide)
	switch {
	case d.table != nil:
		c.packTable(dst, row, rows)
	case d.across:
		c.packWeightsAcross(dst, row, rows)
	case d.area > 1:
		c.packTaps(dst, row, rows)
	default:
		c.packWeightRows(dst, row, rows)
	}
}

// packWeightRows packs rows whose values lie in the order of the sum.
func (c *BF16Conv) packWeightRows(dst []uint16, row, rows int) {
	ins := c.x.rows
	offsets := offsetsOf(rows, ins)
	for col := 0; col < ins; col += tileDepth {
		packRows(dst[col*tileSide:], c.call.w, row*ins+col, offsets[:],
			min(tileDepth, ins-col), false)
	}
}

// packTaps packs rows whose values lie one kernel area apart: of each row, 32 input channels by 16
// taps at a time.
func (c *BF16Conv) packTaps(dst []uint16, row, rows int) {
	d := c.direction
	ins, area := c.cfg.In.Channels, c.area()
	for col := 0; col < ins; col += tileDepth {
		offsets := offsetsOf(min(tileDepth, ins-col), area)
		for r := range rows {
			for tap := 0; tap < area; tap += tileSide {
				to := dst[tap*d.inner*tileLen+col*tileSide+r*tileDepth:]
				base, cols := ((row+r)*ins+col)*area+tap, min(tileSide, area-tap)
				packPairsAcross(to, c.call.w, base, offsets[:], cols, d.lines, 2*tileDepth*area)
			}
		}
	}
}

// packWeightsAcross packs rows input channels from row on, which are columns of the weights. All
// taps of these channels are neighbours in each output channel; 32 output channels by 16 taps are
// packed at a time.
func (c *BF16Conv) packWeightsAcross(dst []uint16, row, rows int) {
	d := c.direction
	ins, outs, area := c.cfg.In.Channels, c.cfg.Out, c.area()
	for out := 0; out < outs; out += tileDepth {
		offsets := offsetsOf(min(tileDepth, outs-out), ins*area)
		for tap := 0; tap < rows*area; tap += tileSide {
			packPairsAcross(dst[out*tileSide:], c.call.w, (out*ins+row)*area+tap, offsets[:],
				min(tileSide, rows*area-tap), d.lines[tap:], 3*tileSide)
		}
	}
}

// planLines notes, in bytes, where the packed lines of the taps of a channel go or, across, of the
// taps of 16 channels.
func (p *product) planLines() {
	channels := 1
	if p.across {
		channels = tileSide
	}
	for i := range pieces(channels*p.area, tileSide) * tileSide {
		p.lines = append(p.lines, int32(2*(i%p.area*p.inner*tileLen+i/p.area*tileDepth)))
	}
}

// offsetsOf returns a table of n rows that are stride values apart.
func offsetsOf(n, stride int) (offsets [tileDepth]int32) {
	for i := range offsets {
		offsets[i] = nothing
		if i < n {
			offsets[i] = int32(i * stride)
		}
	}
	return offsets
}
