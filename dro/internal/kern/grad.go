package kern

// The weight gradient is a matrix product for each kernel tap, (output channels × images) · (images
// × input channels), and there are two ways to vectorise it. Along images: the operands lie well,
// but every sum must be folded over lanes (grad_dot.go). Along input channels: no folding, but the
// input must be transposed first (grad_outer.go). The second is faster wherever there are channels
// to fill vectors. A kernel three columns wide on a large map has a form of the second that serves
// three taps at once (grad_taps.go), and one that takes 16 images at a time serves networks by
// Winograd on AVX2 (grad_vectors.go).

// BackwardWeights computes dw and db (or nil), the gradients of the weights and the bias, summed
// over the batch, from the input x and the output's gradient dy. With add it adds to the values in
// dw and db: this gives the gradient of several batches without more memory, but is slower.
func (c *Conv) BackwardWeights(t *Team, dw, db, x, dy []float32, add bool) {
	c.enterWeights(dw, db, x, dy, add)
	// The input channels come in groups: a task is one row tile of output channels and some groups,
	// or a thread's share of tiles.
	tiles := c.rowTiles()
	if c.vectors != nil {
		c.vectors.gradient(t, c)
	} else if c.taps != nil {
		c.taps.gradient(t, x, dy)
	} else if c.outer != nil {
		t.run(c.batch.padded()/vector*c.cfg.In.Height, (*transposeCall)(c))
		if items := tiles * len(c.outer.groups); c.outer.sums == nil {
			t.run(c.cut(tiles, len(c.outer.groups), 1), (*outerCall)(c))
		} else {
			c.call.chunk = min((items+t.Size()-1)/t.Size(), maxSweepTiles)
			t.run(ceilDiv(items, c.call.chunk), (*outerSweep)(c))
		}
	} else {
		taps := c.dotTaps()
		c.call.chunk = (taps + t.Size() - 1) / t.Size()
		t.run(ceilDiv(taps, c.call.chunk), (*dotCall)(c))
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
func (c *Conv) rowTiles() int { return ceilDiv(c.cfg.Out, tileRows) }

// place transposes sums, [rows][cols] with rows stride values apart, to their places in dw,
// [cols][rows] with columns an area of the kernel apart.
func (c *Conv) place(dw, sums []float32, rows, cols, stride int) {
	area := c.area()
	switch {
	case area == 1:
		storeOrAdd(dw[:cols], sums, c.call.add)
	case c.call.add:
		for i := range rows {
			for j, v := range sums[i*stride:][:cols] {
				dw[j*area+i] += v
			}
		}
	default:
		transpose(c.isa, dw, sums, rows, cols, area, stride)
	}
}

// biasGrad computes the gradient of the bias of rows output channels from out on, if it is wanted.
func (c *Conv) biasGrad(out, rows int) {
	if d := &c.call; d.db != nil {
		c.batch.biasGrad(c.isa, d.db[out:][:rows], d.dy, c.out, out, d.add)
	}
}

// sumBias computes the gradient of the bias, if it is wanted, in tasks of its own.
func (c *Conv) sumBias(t *Team) {
	if c.call.db != nil {
		t.run(c.rowTiles(), (*biasCall)(c))
	}
}

// biasCall's task is the bias gradient of some channels.
type biasCall Conv

func (b *biasCall) task(i int) {
	c := (*Conv)(b)
	c.biasGrad(i*tileRows, min(tileRows, c.cfg.Out-i*tileRows))
}

// visitJoined calls visit for each output position in rows [top, bottom) and columns [left, right)
// that tap k of the kernel joins to a position of the input, with the indices of both.
func (c *Conv) visitJoined(k, top, bottom, left, right int, visit func(out, in int)) {
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
	} else if columns := wholeVectors(in); columns > vector && 2*columns <= 3*in {
		c.outer = newOuterPlan(c)
	} else {
		c.dot = newDotPlan(c)
	}
}

// storeOrAdd sets dst to as many sums or, with add, adds them to it.
func storeOrAdd(dst, sums []float32, add bool) {
	if !add {
		copy(dst, sums)
		return
	}
	for i := range dst {
		dst[i] += sums[i]
	}
}
