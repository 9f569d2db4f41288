package kern

// planGradient chooses how the gradient of the weights is computed. Without runs or a tapsPlan it
// lists, by part of the map and then by kernel tap, the lines of the positions of output and input
// that the tap joins.
func (c *BF16Conv) planGradient() {
	if c.runs != nil {
		return
	}
	if c.rounds != nil && GradTaps(c.isa, c.cfg) {
		c.onTaps = newTapsPlan(c.Conv, true)
		return
	}
	rows, cols := c.dy, c.x
	if c.strips != nil {
		rows, cols = c.x, c.dy
		c.stripTaps()
	} else {
		c.channelTaps()
	}
	c.space.lines(&c.space.a, c.batch.Blocks*rows.imageLines())
	c.space.lines(&c.space.b, c.batch.Blocks*cols.imageLines())
}

// gradCacheBytes is the number of bytes of the second-level cache that both operands of a part may
// fill.
const gradCacheBytes = 512 << 10

// gradParts returns the number of parts, of whole output rows, that a block is cut into. All kernel
// taps visit one part before the next. AMX tiles cannot continue a sum, so with AMX there is one
// part.
func (c *BF16Conv) gradParts() int {
	lines := c.dy.imageLines() + c.x.imageLines()
	if c.kind == AMX || c.batch.Blocks*lines*cacheLine <= 2*gradCacheBytes {
		return 1
	}
	return min(ceilDiv(lines*cacheLine, gradCacheBytes), c.out.Height)
}

// channelTaps lists the taps, part by part. Whatever the parts, the positions of a tap have the
// same order, and so do its sums.
func (c *BF16Conv) channelTaps() {
	parts, height, blocks := c.gradParts(), c.out.Height, 1 // blocks of a part
	if parts == 1 {
		blocks = c.batch.Blocks
	}
	for first := 0; first < c.batch.Blocks; first += blocks {
		for part := range parts {
			for k := range c.forward.area {
				from := int32(len(c.taps))
				for block := first; block < first+blocks; block++ {
					c.tapsOf(k, block, part*height/parts, (part+1)*height/parts)
				}
				c.spans = append(c.spans, span{from, int32(len(c.taps))})
			}
		}
	}
}

// tapsOf adds the positions that kernel tap k joins in rows [top, bottom) of a block's output.
func (c *BF16Conv) tapsOf(k, block, top, bottom int) {
	visit := func(out, in int) {
		c.taps = append(c.taps, tap{
			x: int32(block*c.x.imageLines() + in*c.x.imageUnitLines()),
			w: int32(block*c.dy.imageLines() + out*c.dy.imageUnitLines())})
	}
	if c.forward.area < c.area() { // the input is flat
		visit(0, 0)
	} else {
		c.visitJoined(k, top, bottom, 0, c.out.Width, visit)
	}
}

// BackwardWeights is [Conv.BackwardWeights] on rounded x and dy. The gradient of the bias takes dy
// as it is, not rounded.
func (c *BF16Conv) BackwardWeights(t *Team, dw, db, x, dy []float32, add bool) {
	c.enterWeights(dw, db, x, dy, add)
	if c.kind == Rounded {
		c.Conv.BackwardWeights(t, dw, nil, c.rounded(t, c.space.x, x),
			c.rounded(t, c.space.w, dy), add)
		c.enterWeights(dw, db, x, dy, add) // for the bias
	}
	if c.rounds != nil {
		if c.runs == nil {
			x = c.rounding(t, c.rounds.x, c.space.x, x)
		}
		dy = c.rounding(t, c.rounds.dy, c.space.w, dy)
	}
	switch {
	case c.runs != nil:
		c.runs.round(t, x)
		c.runs.gradient(t, dy)
	case c.onTaps != nil:
		c.onTaps.gradient(t, x, dy)
	case c.kind == Rounded:
		c.sumBias(t)
	default:
		c.gradient(t, x, dy)
	}
	c.call = convCall{}
}

// gradient packs both operands, beside the tasks of the bias, and multiplies them. A task of the
// product is 32 output channels by a chunk of groups of 32 input channels, or a task of stripCall.
func (c *BF16Conv) gradient(t *Team, x, dy []float32) {
	rounded := c.rounds != nil
	rows := packing{src: c.dy, values: dy, rounded: rounded}
	cols := packing{src: c.x, values: x, rounded: rounded}
	if c.strips != nil {
		rows, cols = cols, rows
	}
	rows.dst, rows.form = c.space.a, rowsOfA
	cols.dst, cols.form = c.space.b, rowsOfB
	c.packs = [2]packing{rows, cols}
	tasks := c.units(c.dy) + c.units(c.x)
	if c.call.db != nil {
		tasks += c.rowTiles()
	}
	t.run(tasks, (*packOperands)(c))
	if c.strips != nil {
		pairs := pairsOf(len(c.strips.weights))
		t.run(c.cut(len(c.spans), pairs, 1), (*stripCall)(c))
		t.run(pairs, (*stripSum)(c))
	} else {
		t.run(c.cut(pairsOf(c.cfg.Out), pairsOf(c.x.rows), 1), (*gradCall)(c))
	}
	c.packs = [2]packing{}
}

// pairsOf returns how many pairs of tiles n rows or columns fill.
func pairsOf(n int) int { return ceilDiv(n, 2*tileSide) }

// The rows of the results of some taps are a line longer than a power of two, which suits the cache
// better.
const (
	// packedTaps is the number of kernel taps whose results are put in place at once: a square of
	// the transposition.
	packedTaps = 16
	gradTapLen = 2 * tileSide
	gradRowLen = packedTaps*gradTapLen + tileSide
)

// prefetchedRows is the number of rows by which memory for the gradient is prefetched ahead of its
// use: all caches have long lost it since the last step.
const prefetchedRows = 4

type gradCall BF16Conv

func (g *gradCall) task(i int) {
	c := (*BF16Conv)(g)
	var sums [2 * tileSide * gradRowLen]float32 // [out][tap][in]
	out, first := i/c.call.chunks*2*tileSide, i%c.call.chunks*c.call.chunk
	for pair := first; pair < min(first+c.call.chunk, pairsOf(c.x.rows)); pair++ {
		c.gradPair(sums[:], out, pair*2*tileSide)
	}
}

// gradPair computes the gradient of the weights between 32 output channels from out on and 32 rows
// of the input's units from in on.
func (c *BF16Conv) gradPair(sums []float32, out, in int) {
	outs, ins := min(2*tileSide, c.cfg.Out-out), min(2*tileSide, c.x.rows-in)
	area := c.forward.area
	row := func(r int) []float32 {
		return c.call.dw[((out+r)*c.x.rows+in)*area:][:ins*area]
	}
	tile := mulTile{
		a: c.space.a[out*tileDepth:], b: c.space.b[in*tileDepth:], c: sums, taps: c.taps,
		inner: c.x.imageDepth(), aInner: c.dy.groupLines(), bInner: c.x.groupLines(),
		aNext: tileSide, bNext: tileSide, cRow: gradRowLen, cMove: gradTapLen,
		rows: tilesOf(outs), cols: tilesOf(ins), pairs: tileSide,
	}
	for first := 0; first < area; first += packedTaps {
		count := min(packedTaps, area-first)
		for r := range min(prefetchedRows, outs) {
			prefetch(row(r))
		}
		for part := 0; part < len(c.spans); part += area {
			tile.spans, tile.add = c.spans[part+first:][:count], min(part, 1)
			tile.run(c.kind)
		}
		for r := range outs {
			if r+prefetchedRows < outs {
				prefetch(row(r + prefetchedRows))
			}
			from := sums[r*gradRowLen:]
			if area == 1 {
				storeOrAdd(row(r), from, c.call.add)
			} else {
				c.place(row(r)[first:], from, count, ins, gradTapLen)
			}
		}
	}
}
