package kern

import "math"

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
func (c *BF16Conv) multiplyPairs(t *Team, p *bf16Direction, pairs []float32) {
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
		tile.mask = optionalPart(c.call.mask, at/2, size/2)
		tile.plus = optionalPart(c.call.plus, at, size)
		tile.run()
		c.addMoments(block, row, 0, p.dst.Width, 0, p.dst.Channels)
	}
}
