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
// linear layer takes these values as channels; other layers take them in strips (bf16_strip.go).
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

	call  bf16Call
	round roundCall
}

// product is the forward direction, or the backward direction to the input.
type product struct {
	src    *source
	strips *strips // the strips of the source, or nil
	plane  plane   // unused with strips or runs
	area   int     // taps of the weights
	inner  int     // tiles that the sum of a tap takes
	dst    Shape
	across bool    // weights are transposed
	lines  []int32 // where packed lines go, see planLines
	spots  []spot  // of a source that is only rounded; nil: it is packed
	taps   []tap   // of spots
	block  int     // pairs of a block of such a source
}

// bf16Call is the running call; see convCall.
type bf16Call struct {
	y, x, w, bias, mask []float32 // mask is a rounding if the product reads roundings
	plus                []float32
	pairs               []float32 // the rounding that a product reads
	product             *product  // nil in the gradient
	packs               [2]packing
	relu                int
	chunk, chunks       int
}

// BF16 returns c with products of rounded operands. It shares the running call with c, whose
// float32 methods stay what they are. Without data there is no memory for BackwardData, which the
// first layer of a network does not need.
func (c *Conv) BF16(kind BF16, space *Workspace, data bool) (*BF16Conv, error) {
	if err := kind.check(c.isa); err != nil {
		return nil, err
	}
	b := &BF16Conv{Conv: c, kind: kind, space: space}
	if kind == Rounded {
		in, out := c.batch.Len(c.cfg.In), c.batch.Len(c.out)
		space.values(&space.x, max(in, out))
		space.values(&space.w, max(c.weightLen(), out))
	} else {
		b.plan(data)
	}
	return b, nil
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
	c.backward.plane = newPlane(
		transposedAxis(out.Height, in.Height, cfg.KernelHeight, cfg.Stride, cfg.Pad),
		transposedAxis(out.Width, in.Width, cfg.KernelWidth, cfg.Stride, cfg.Pad),
		out.Width, cfg.KernelWidth, c.positionLen(c.dy))
	switch {
	case c.runs != nil:
		x.pairs = (c.runs.run + 1) / 2
		c.forward = product{src: c.x, area: cfg.KernelHeight, inner: 1, dst: out}
	case BF16Strips(c.kind, *cfg):
		c.strips = newStrips(c.Conv)
		c.x = &c.strips.source
		c.forward = product{src: c.x, strips: c.strips, area: 1, inner: c.strips.inner(), dst: out}
	case cfg.few():
		x = flatSource(in, c.batch)
		point := convAxis(1, 1, 1, 1, 0)
		c.forward = product{src: c.x, area: 1, inner: x.depth(), dst: out}
		c.forward.plane = newPlane(point, point, 1, 1, x.unitLines())
	default:
		for unit := range x.units() {
			row, col := unit/in.Width, unit%in.Width
			seen := c.seen(row, cfg.KernelHeight) && c.seen(col, cfg.KernelWidth)
			x.unseen = append(x.unseen, !seen)
		}
		c.forward = product{src: c.x, area: c.area(), inner: x.depth(), dst: out}
		c.forward.plane = newPlane(
			convAxis(out.Height, in.Height, cfg.KernelHeight, cfg.Stride, cfg.Pad),
			convAxis(out.Width, in.Width, cfg.KernelWidth, cfg.Stride, cfg.Pad),
			in.Width, cfg.KernelWidth, c.positionLen(c.x))
	}
	products := []*product{&c.forward, &c.backward}
	if !data {
		products = products[:1]
	}
	for _, p := range products {
		p.scale()
		p.planLines()
		c.space.lines(&c.space.a, p.weightTasks()*p.weightLines())
		switch {
		case c.runs != nil:
			p.spots, p.taps = c.runs.spots()
			p.block = c.runs.blockLen()
		case c.rounds != nil:
			p.spots, p.taps = p.plane.spotsOf(p.dst, c.positionLen(p.src))
			p.block = p.src.len * c.batch.Lanes / 2
		default:
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

// scale turns the offsets of weights into lines.
func (p *product) scale() {
	for _, taps := range p.plane.taps {
		for i := range taps {
			taps[i].w *= int32(p.inner * tileSide)
		}
	}
}

// oneTap is the one tap of a product of strips.
var oneTap = []tap{{}}

// at returns the line of the source that output (row, col) counts its taps from, and the taps.
func (p *product) at(row, col int) (line int, taps []tap) {
	if p.strips != nil {
		return p.strips.sees(row, col) / 2, oneTap // a line holds a pair
	}
	position, taps := p.plane.at(row, col)
	return position * p.src.unitLines(), taps
}

// weightLines returns the number of lines that the weights of 16 destination channels are packed
// into.
func (p *product) weightLines() int { return p.area * p.inner * tileSide }

// weightTasks returns the number of tasks that pack the weights: 16 destination channels each.
func (p *product) weightTasks() int { return tilesOf(p.dst.Channels) }

// tilesOf returns how many tiles n rows or columns fill.
func tilesOf(n int) int { return (n + tileSide - 1) / tileSide }

// Forward is [Conv.Forward] on rounded x and w.
func (c *BF16Conv) Forward(t *Team, y, x, w, bias []float32) {
	if len(y) != c.batch.Len(c.out) || len(x) != c.batch.Len(c.cfg.In) || len(w) != c.weightLen() ||
		bias != nil && len(bias) != c.cfg.Out {
		panic("kern: BF16Conv.Forward: slice has the wrong length")
	}
	if c.kind == Rounded {
		c.Conv.Forward(t, y, c.rounded(t, c.space.x, x), c.rounded(t, c.space.w, w), bias)
		return
	}
	c.call = bf16Call{y: y, x: x, w: w, bias: bias}
	if c.cfg.ReLU {
		c.call.relu = 1
	}
	if c.runs != nil {
		c.runs.round(t, x)
		c.multiplyPairs(t, &c.forward, c.runs.x)
		return
	}
	if c.rounds != nil {
		c.multiplyPairs(t, &c.forward, c.rounding(t, c.rounds.x, c.space.x, x))
		return
	}
	c.multiply(t, &c.forward)
}

// BackwardData is [Conv.BackwardData] on rounded dy and w.
func (c *BF16Conv) BackwardData(t *Team, dx, dy, w, act []float32) {
	c.BackwardSum(t, dx, dy, w, act, nil)
}

// BackwardSum is [Conv.BackwardSum] on rounded dy and w. If products do not read roundings, plus
// must be nil.
func (c *BF16Conv) BackwardSum(t *Team, dx, dy, w, act, plus []float32) {
	if len(dx) != c.batch.Len(c.cfg.In) || len(dy) != c.batch.Len(c.out) ||
		len(w) != c.weightLen() || act != nil && len(act) != len(dx) ||
		plus != nil && (len(plus) != len(dx) || c.backward.spots == nil) {
		panic("kern: BF16Conv.BackwardData: slice has the wrong length")
	}
	if c.kind == Rounded {
		c.Conv.BackwardData(t, dx, c.rounded(t, c.space.x, dy), c.rounded(t, c.space.w, w), act)
		return
	}
	c.call = bf16Call{y: dx, x: dy, w: w, mask: act, plus: plus}
	if c.rounds != nil {
		if act != nil {
			c.call.mask = c.rounding(t, c.rounds.x, c.space.w, act)
		}
		c.multiplyPairs(t, &c.backward, c.rounding(t, c.rounds.dy, c.space.x, dy))
		return
	}
	c.multiply(t, &c.backward)
}

// multiply packs the operands of the call and computes the product. A task is 32 channels of some
// rows of the map in one block of images.
func (c *BF16Conv) multiply(t *Team, p *product) {
	c.call.product = p
	c.call.packs[0] = packing{src: p.src, dst: c.space.b, values: c.call.x, form: depthOfB}
	t.run(p.weightTasks()+c.units(p.src), (*packOperands)(c))
	pairs := pairsOf(p.dst.Channels) * c.batch.Blocks
	t.run(c.cutRows(pairs, p.dst.Height), (*multiplyCall)(c))
	c.call = bf16Call{}
	c.finish()
}

// cutRows cuts the n rows of each of others pieces of work into chunks, so that there are enough
// tasks (see minTasks), and returns the number of tasks.
func (c *BF16Conv) cutRows(others, n int) (tasks int) {
	chunks := min((minTasks+others-1)/others, n)
	c.call.chunk = (n + chunks - 1) / chunks
	c.call.chunks = (n + c.call.chunk - 1) / c.call.chunk
	return others * c.call.chunks
}

// part returns the first row, the block and the first channel of a task. Successive tasks share the
// larger operand, so that it is in the cache: the strips, or the weights of some channels.
func (c *BF16Conv) part(i int) (row, block, channel int) {
	p := c.call.product
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
	p, lanes := c.call.product, c.batch.Lanes
	top, block, channel := c.part(i)
	rows := min(2*tileSide, p.dst.Channels-channel)
	tile := mulTile{
		a:     c.space.a[channel/tileSide*p.weightLines()*tileDepth:],
		b:     c.space.b[block*p.src.sumLines()*tileDepth:],
		inner: p.inner, aInner: tileSide, bInner: tileSide, pairs: p.src.pairs,
		aNext: p.weightLines(), bNext: p.src.laneLines(),
		cRow: lanes, rows: tilesOf(rows),
	}
	var bias []float32
	if c.call.bias != nil {
		bias = c.call.bias[channel:][:rows]
	}
	for row := top; row < min(top+c.call.chunk, p.dst.Height); row++ {
		for col := range p.dst.Width {
			at := block*lanes*p.dst.Len() + ((row*p.dst.Width+col)*p.dst.Channels+channel)*lanes
			tile.bBase, tile.taps = p.at(row, col)
			y := c.call.y[at:][:rows*lanes]
			ask(y)
			if rows%tileSide == 0 {
				c.sweep(tile, y)
			} else {
				c.sweepEdge(tile, y)
			}
			var mask []float32
			if c.call.mask != nil {
				mask = c.call.mask[at:][:len(y)]
			}
			finish(y, bias, mask, rows, lanes, c.call.relu)
		}
		c.tellRow(block, row, channel, rows)
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
