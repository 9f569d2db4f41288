package kern

// The weight gradient is a matrix product for each kernel tap, (output channels × images) · (images
// × input channels), and there are two ways to vectorise it. Along images: the operands lie well,
// but every sum must be folded over lanes (grad_dot.go). Along input channels: no folding, but the
// input must be transposed first (grad_outer.go). The second is faster wherever there are channels
// to fill vectors. A kernel three columns wide on a large map has a form of the second that serves
// three taps at once (grad_taps.go).

// BackwardWeights computes dw and db (or nil), the gradients of the weights and the bias, summed
// over the batch, from the input x and the output's gradient dy. With add it adds to the values in
// dw and db: this gives the gradient of several batches without more memory, but is slower.
func (c *Conv) BackwardWeights(t *Team, dw, db, x, dy []float32, add bool) {
	c.enterWeights(dw, db, x, dy, add)
	// The input channels come in groups: a task is one row tile of output channels and some groups,
	// or a thread's share of tiles.
	tiles := c.rowTiles()
	if c.taps != nil {
		c.taps.gradient(t, x, dy)
	} else if c.outer != nil {
		t.run(c.batch.padded()/vector*c.cfg.In.Height, (*transposeCall)(c))
		if items := tiles * len(c.outer.groups); c.outer.sums == nil {
			t.run(c.cut(tiles, len(c.outer.groups), 1), (*outerCall)(c))
		} else {
			c.call.chunk = min((items+t.Size()-1)/t.Size(), sweepTiles)
			t.run((items+c.call.chunk-1)/c.call.chunk, (*outerSweep)(c))
		}
	} else {
		taps := c.dotTaps()
		c.call.chunk = (taps + t.Size() - 1) / t.Size()
		t.run((taps+c.call.chunk-1)/c.call.chunk, (*dotCall)(c))
	}
	c.call = convCall{}
}

// enterWeights checks the operands and begins the call.
func (c *Conv) enterWeights(dw, db, x, dy []float32, add bool) {
	if len(dw) != c.weightLen() || len(x) != c.batch.Len(c.cfg.In) ||
		len(dy) != c.batch.Len(c.out) || db != nil && len(db) != c.cfg.Out {
		panic("kern: Conv.BackwardWeights: slice has the wrong length")
	}
	c.call = convCall{dw: dw, db: db, x: x, dy: dy, add: add}
}

// rowTiles returns the number of tiles that the output channels fill.
func (c *Conv) rowTiles() int { return (c.cfg.Out + tileRows - 1) / tileRows }

// gradTask is what a task of a gradient covers: output channels [out, out+rows) and groups [first,
// last) of input channels.
type gradTask struct{ out, rows, first, last int }

// gradTask returns what task i covers, and sums the task's part of the bias gradient.
func (c *Conv) gradTask(i, groups int) gradTask {
	out, first := i/c.call.chunks*tileRows, i%c.call.chunks*c.call.chunk
	g := gradTask{out, min(tileRows, c.cfg.Out-out), first, min(first+c.call.chunk, groups)}
	if c.call.db != nil && first == 0 {
		c.biasGrad(c.call.db[out:][:g.rows], out)
	}
	return g
}

// place transposes sums, [rows][cols] with rows stride values apart, to their places in dw,
// [cols][rows] with columns an area of the kernel apart.
func (c *Conv) place(dw, sums []float32, rows, cols, stride int) {
	area := c.area()
	switch {
	case c.call.add:
		for i := range rows {
			for j, v := range sums[i*stride:][:cols] {
				dw[j*area+i] += v
			}
		}
	case area == 1:
		copy(dw, sums[:cols])
	default:
		transpose(c.isa, dw, sums, rows, cols, area, stride)
	}
}

// biasGrad sums dy over images and positions for the output channels from out on.
func (c *Conv) biasGrad(db []float32, out int) {
	lanes := c.batch.Lanes
	if !c.call.add {
		clear(db)
	}
	for block := range c.batch.Blocks {
		dy := c.call.dy[block*lanes*c.out.Len():][:lanes*c.out.Len()]
		sumRows(c.isa, db, dy[out*lanes:], c.out.Height*c.out.Width, c.out.Channels*lanes, lanes)
	}
}

// joined calls visit for each output position in rows [top, bottom) and columns [left, right) that
// tap k of the kernel joins to a position of the input, with the indices of both.
func (c *Conv) joined(k, top, bottom, left, right int, visit func(out, in int)) {
	kh, kw := k/c.cfg.KernelWidth, k%c.cfg.KernelWidth
	for row := top; row < bottom; row++ {
		for col := left; col < right; col++ {
			i, j := row*c.cfg.Stride-c.cfg.Pad+kh, col*c.cfg.Stride-c.cfg.Pad+kw
			if i >= 0 && i < c.cfg.In.Height && j >= 0 && j < c.cfg.In.Width {
				visit(row*c.out.Width+col, i*c.cfg.In.Width+j)
			}
		}
	}
}

// planGrad chooses the plan of the weight gradient. Where GradTaps is false, it takes outer
// products if the input channels fill more than one vector and waste at most a third of the lanes.
// With more than one vector there are enough sums to hide the latency of an addition.
func (c *Conv) planGrad() {
	in := c.cfg.In.Channels
	if GradTaps(c.isa, c.cfg) {
		c.taps = newTapsPlan(c, false)
	} else if columns := (in + vector - 1) / vector * vector; columns > vector &&
		2*columns <= 3*in {
		c.outer = newOuterPlan(c)
	} else {
		c.dot = newDotPlan(c)
	}
}
