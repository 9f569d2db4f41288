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
// A call packs both operands into tiles (bf16_pack.go) and multiplies them. Where the input has few
// channels, forward and weights sum over all values that an output sees, as if one tap saw them. A
// linear layer takes these values as channels; other layers take them in strips (bf16_strips.go).
type BF16Conv struct {
	*Conv
	kind  BF16
	space *Workspace

	forward, backward bf16Direction
	x, dy             *source
	strips            *strips // the strips of the input, or nil
	rounds            *roundings
	runs              *runs     // the runs of the input, or nil
	onTaps            *tapsPlan // the gradient's plan; nil: taps and spans
	taps              []tap     // of the gradient: the lines of positions that a kernel tap joins
	spans             []span    // of taps, by part and kernel tap

	// The running call, beside Conv's.
	direction *bf16Direction // nil in the gradient
	pairs     []float32      // the rounding that a product reads
	packs     [2]packing     // the activations to pack
	round     roundCall
}

// bf16Direction is the forward direction, or the backward direction to the input.
type bf16Direction struct {
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
	c.backward = bf16Direction{src: c.dy, area: c.area(), inner: dy.depth(), dst: in, across: true}
	c.backward.plane = c.planeOf(transposedAxis, out, c.positionLen(c.dy), dy.depth()*tileSide)
	switch {
	case c.runs != nil:
		r := c.runs
		x.len, x.pairs = r.height*r.width*in.Channels, (r.run+1)/2
		c.forward = bf16Direction{src: c.x, area: cfg.KernelHeight, inner: 1, dst: out,
			table: r.weights}
		c.forward.plane = newPlane( // the weights of each row of the kernel are a tile
			convAxis(out.Height, r.height, cfg.KernelHeight, cfg.Stride, 0),
			convAxis(out.Width, r.width, 1, cfg.Stride, 0),
			r.width, 1, c.positionLen(c.x), tileSide)
	case BF16Strips(c.kind, *cfg):
		c.strips = newStrips(c.Conv)
		c.x = &c.strips.source
		c.forward = bf16Direction{src: c.x, strips: c.strips, area: 1, inner: c.strips.inner(),
			dst: out, table: c.strips.weights}
	case cfg.few():
		x = flatSource(in, c.batch)
		point := convAxis(1, 1, 1, 1, 0)
		c.forward = bf16Direction{src: c.x, area: 1, inner: x.depth(), dst: out}
		c.forward.plane = newPlane(point, point, 1, 1, x.unitLines(), 1)
	default:
		for unit := range x.units() {
			row, col := unit/in.Width, unit%in.Width
			seen := c.sees(row, cfg.KernelHeight) && c.sees(col, cfg.KernelWidth)
			x.unseen = append(x.unseen, !seen)
		}
		c.forward = bf16Direction{src: c.x, area: c.area(), inner: x.depth(), dst: out}
		c.forward.plane = c.planeOf(convAxis, in, c.positionLen(c.x), x.depth()*tileSide)
	}
	c.forward.relu = bit(cfg.ReLU)
	products := []*bf16Direction{&c.forward, &c.backward}
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
func (p *bf16Direction) lookUp(row, col int) (line int, taps []tap) {
	if p.strips != nil {
		return p.strips.sees(row, col) / 2, oneTap // a line holds a pair
	}
	position, taps := p.plane.lookUp(row, col)
	return position * p.src.unitLines(), taps
}

// weightLines returns the number of lines that the weights of 16 destination channels are packed
// into.
func (p *bf16Direction) weightLines() int { return p.area * p.inner * tileSide }

// weightTasks returns the number of tasks that pack the weights: 16 destination channels each.
func (p *bf16Direction) weightTasks() int { return tilesOf(p.dst.Channels) }

// tilesOf returns how many tiles n rows or columns fill.
func tilesOf(n int) int { return ceilDiv(n, tileSide) }

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
func (c *BF16Conv) multiply(t *Team, p *bf16Direction) {
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
	bias := optionalPart(c.call.b, channel, rows)
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
			finish(y, bias, optionalPart(c.call.mask, at, len(y)), rows, lanes, p.relu)
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
	t.run(ceilDiv(len(src), elementChunk), &c.round)
	c.round = roundCall{}
	return dst[:len(src)]
}
