package kern

// The weight gradient is a matrix product for each kernel tap, (output channels × images) · (images × input channels), and there are two
// ways to vectorise it. Along images: the operands lie well, but every sum must be folded over lanes (grad_dot.go). Along input channels:
// no folding, but the input must be transposed first (grad_outer.go). The first suits large maps and few channels, the second small maps
// and many.

// gradChunks cuts a gradient whose input channels come in groups into tasks of one row tile of output channels and some groups.
func (c *Conv) gradChunks(groups int) (tiles, chunks int) {
	tiles = (c.cfg.Out + tileRows - 1) / tileRows
	chunks = min((minTasks+tiles-1)/tiles, groups)
	c.call.chunk = (groups + chunks - 1) / chunks
	return tiles, (groups + c.call.chunk - 1) / c.call.chunk
}

// BackwardWeights computes dw and db (or nil), the gradients of the weights and the bias, summed over the batch, from the input x and the
// output's gradient dy.
func (c *Conv) BackwardWeights(t *Team, dw, db, x, dy []float32) {
	if len(dw) != c.WeightLen() || len(x) != c.batch.Len(c.cfg.In) || len(dy) != c.batch.Len(c.out) || db != nil && len(db) != c.cfg.Out {
		panic("kern: Conv.BackwardWeights: slice has the wrong length")
	}
	c.call = convCall{dw: dw, db: db, x: x, dy: dy}
	if c.outer != nil {
		t.run(c.batch.Padded()/vector*c.cfg.In.Height, (*transposeCall)(c))
		tiles, chunks := c.gradChunks(len(c.outer.groups))
		t.run(tiles*chunks, (*outerCall)(c))
	} else {
		tiles, chunks := c.gradChunks(c.dot.columns)
		t.run(tiles*chunks, (*dotCall)(c))
	}
	c.call = convCall{}
}

// gradTask is what a task of a gradient covers: output channels [out, out+rows) and groups [first, last) of input channels.
type gradTask struct{ out, rows, first, last int }

// gradTask returns task i's, and sums its part of the bias gradient.
func (c *Conv) gradTask(i, groups int) gradTask {
	chunks := (groups + c.call.chunk - 1) / c.call.chunk
	out, first := i/chunks*tileRows, i%chunks*c.call.chunk
	g := gradTask{out, min(tileRows, c.cfg.Out-out), first, min(first+c.call.chunk, groups)}
	if c.call.db != nil && first == 0 {
		c.biasGrad(c.call.db[out:][:g.rows], out)
	}
	return g
}

// biasGrad sums dy over images and positions for the output channels from out on.
func (c *Conv) biasGrad(db []float32, out int) {
	lanes := c.batch.Lanes
	clear(db)
	for block := range c.batch.Blocks {
		dy := c.call.dy[block*lanes*c.out.Len():][:lanes*c.out.Len()]
		sumRows(c.isa, db, dy[out*lanes:], c.out.Height*c.out.Width, c.out.Channels*lanes, lanes)
	}
}

// joined calls visit for each output position in rows [top, bottom) and columns [left, right) that tap (kh, kw) joins to a position of
// the input, with the indices of both.
func (c *Conv) joined(kh, kw, top, bottom, left, right int, visit func(out, in int)) {
	for row := top; row < bottom; row++ {
		for col := left; col < right; col++ {
			i, j := row*c.cfg.Stride-c.cfg.Pad+kh, col*c.cfg.Stride-c.cfg.Pad+kw
			if i >= 0 && i < c.cfg.In.Height && j >= 0 && j < c.cfg.In.Width {
				visit(row*c.out.Width+col, i*c.cfg.In.Width+j)
			}
		}
	}
}

// outerCacheBytes bounds a group of the transposed input: it must stay in the second-level cache while all rows and taps visit it.
const outerCacheBytes = 1 << 20

// planGrad chooses the cheaper way by a model of cycles for one weight: half a cycle for each vector of images, wasted columns included,
// and about 5 to fold a sum or 1 to put it in place.
func (c *Conv) planGrad() {
	in := c.cfg.In
	vectors := c.FLOPs() / 2 / float64(c.batch.Images) / float64(c.WeightLen()) * float64(c.batch.Padded()) / vector
	columns := (in.Channels + vector - 1) / vector * vector
	fits := 4*c.batch.Padded()*in.Height*in.Width*min(columns, maxLanes) <= outerCacheBytes
	if fits && vectors/2*float64(columns)/float64(in.Channels)+1 < vectors/2+5 {
		c.outer = newOuterPlan(c)
	} else {
		c.dot = newDotPlan(c)
	}
}
