package kern

// tapsPlan is the weight gradient of a kernel three columns wide on a large map, on AVX-512. The
// three taps of a kernel row see neighbouring columns of the input, so one read of the output's
// gradient serves all three. A lot is some output rows of a block. It transposes the rows of the
// input as it goes, into memory that stays in the second-level cache, and has sums of its own; the
// sums of the lots are added up in order. Columns beyond the input are zeros that are multiplied,
// so an infinite gradient there makes NaNs.
//
// A step of the sum is an image or, for roundings, a pair of images.
type tapsPlan struct {
	*Conv
	pairs  bool
	lanes  int // of a channel, in steps
	parts  int // lots per block
	cols   int // columns of the input, with the zeros beyond it
	groups int // groups of steps, vector steps each

	x, sums []float32    // by lot
	operand [2][]float32 // of the running call: the input and the output's gradient
}

const (
	tapsCols        = 3  // kernel taps of a tile
	tapsRows        = 8  // output channels of a tile
	tapsLots        = 8  // lots of all blocks, if a block can be cut so
	minTapsMap      = 16 // least rows and columns of the input: smaller maps stay in the caches
	maxTapsChannels = 64 // most channels of the input: the sums of the lots fill memory

	tapsPrefetchLines = 3 // lines of memory that a tile prefetches per group and operand

	tapsSums = tapsRows * tapsCols * vector // sums of a tile
)

// GradTaps reports whether the weight gradient of cfg is computed for three neighbouring taps at
// once, by a tapsPlan.
func GradTaps(isa ISA, cfg ConvConfig) bool {
	in := cfg.In
	largeMap := min(in.Height, in.Width) >= minTapsMap
	ins := in.Channels%vector == 0 && in.Channels <= maxTapsChannels
	outs := cfg.Out%vector == 0 && cfg.Out <= 2*maxTapsChannels
	return isa == AVX512 && cfg.KernelWidth == tapsCols && largeMap && ins && outs
}

func newTapsPlan(c *Conv, pairs bool) *tapsPlan {
	p := &tapsPlan{
		Conv: c, pairs: pairs, parts: min(max(tapsLots/c.batch.Blocks, 1), c.out.Height),
		cols: (c.out.Width-1)*c.cfg.Stride + tapsCols, lanes: c.batch.Lanes,
	}
	if pairs {
		p.lanes /= 2
	}
	p.groups = p.lanes / vector
	lots := c.batch.Blocks * p.parts
	p.x = Alloc(lots * c.cfg.KernelHeight * p.rowLen())
	p.sums = Alloc(lots * c.weightLen())
	return p
}

// colLen returns the number of values in a column of the transposed input, for one vector of
// channels.
func (p *tapsPlan) colLen() int { return p.groups * vector * vector }

// rowLen returns the number of values in a row of the transposed input, for all channels.
func (p *tapsPlan) rowLen() int { return p.cfg.In.Channels / vector * p.cols * p.colLen() }

// gradient computes the gradient of the weights, and of the bias if the call wants it.
func (p *tapsPlan) gradient(team *Team, x, dy []float32) {
	p.operand = [2][]float32{x, dy}
	team.run(p.batch.Blocks*p.parts, p)
	team.run(p.cfg.Out/tapsRows, (*tapsTotal)(p))
	p.operand = [2][]float32{}
	p.sumBias(team)
}

// task computes the sums of a lot.
func (p *tapsPlan) task(lot int) {
	cfg := &p.cfg
	block, part := lot/p.parts, lot%p.parts
	clear(p.lotSums(lot))
	next := max(part*p.out.Height/p.parts*cfg.Stride-cfg.Pad, 0)
	for row := part * p.out.Height / p.parts; row < (part+1)*p.out.Height/p.parts; row++ {
		top := row*cfg.Stride - cfg.Pad
		for next = max(next, top); next < min(top+cfg.KernelHeight, cfg.In.Height); next++ {
			p.transpose(lot, block, next)
		}
		p.addRow(lot, block, row)
	}
}

func (p *tapsPlan) lotSums(lot int) []float32 {
	return p.sums[lot*p.weightLen():][:p.weightLen()]
}

// heldRow returns where a lot holds a row of the input. A lot holds the last rows, as many as the
// kernel has.
func (p *tapsPlan) heldRow(lot, row int) []float32 {
	n, height := p.rowLen(), p.cfg.KernelHeight
	return p.x[(lot*height+row%height)*n:][:n]
}

// transpose transposes a row of a block's input to where a lot holds it.
func (p *tapsPlan) transpose(lot, block, row int) {
	in, lanes := p.cfg.In, p.lanes
	to, size := p.heldRow(lot, row), in.Channels*lanes
	from := p.operand[0][(block*in.Height+row)*in.Width*size:][:in.Width*size]
	for col := range min(in.Width, p.cols-p.cfg.Pad) {
		for first := 0; first < in.Channels; first += vector {
			dst := to[(first/vector*p.cols+col+p.cfg.Pad)*p.colLen():][:p.colLen()]
			src := from[col*size+first*lanes:][:vector*lanes]
			transpose(p.isa, dst, src, vector, lanes, vector, lanes)
		}
	}
}

// addRow adds the products of a row of the output's gradient to a lot's sums.
func (p *tapsPlan) addRow(lot, block, row int) {
	cfg := &p.cfg
	tile, dy := p.rowTile(lot, block, row)
	sums := p.lotSums(lot)
	for out := 0; out < cfg.Out; out += tapsRows {
		tile.dy = dy[out*tile.dyRow:]
		for k := range cfg.KernelHeight {
			at := row*cfg.Stride - cfg.Pad + k
			if at < 0 || at >= cfg.In.Height {
				continue
			}
			x := p.heldRow(lot, at)
			for group := range cfg.In.Channels / vector {
				tile.x = x[group*p.cols*p.colLen():]
				tile.sum = sums[p.tapsOffset(out, k, group):][:tapsSums]
				tile.run(p.pairs)
				tile.prefetchDY = p.skipPrefetched(tile.prefetchDY)
				tile.prefetchX = p.skipPrefetched(tile.prefetchX)
			}
		}
	}
}

// rowTile returns the geometry of the tiles and the row of the output's gradient. The tiles
// prefetch the next rows of that gradient and of the input: memory brings them while the processor
// multiplies.
func (p *tapsPlan) rowTile(lot, block, row int) (t tapsTile, dy []float32) {
	cfg, in, lanes := &p.cfg, p.cfg.In, p.lanes
	size := p.out.Width * cfg.Out * lanes
	dy = p.operand[1][(block*p.out.Height+row)*size:]
	next := min((row+1)*cfg.Stride-cfg.Pad+cfg.KernelHeight-1, in.Height-1)
	t = tapsTile{
		positions: p.out.Width, groups: p.groups,
		dyStep: (cfg.Out - 1) * lanes, dyRow: lanes,
		xStep: (cfg.Stride - 1) * p.colLen(), xTap: p.colLen(),
		prefetchDY: dy[min(size, len(dy)-1):],
		prefetchX:  p.operand[0][(block*in.Height+next)*in.Width*in.Channels*lanes:],
	}
	return t, dy
}

// skipPrefetched returns the memory to prefetch after a tile that has prefetched from s on.
func (p *tapsPlan) skipPrefetched(s []float32) []float32 {
	lines := tapsPrefetchLines * p.out.Width * p.groups
	return s[min(lines*cacheLine/4, len(s)-1):]
}

// tapsOffset returns where the sums of a tile begin.
func (c *Conv) tapsOffset(out, kernelRow, group int) int {
	tile := out/tapsRows*c.cfg.KernelHeight + kernelRow
	return (tile*(c.cfg.In.Channels/vector) + group) * tapsSums
}

// tapsTotal's task adds up the lots of some output channels and puts the sums in their places in
// dw.
type tapsTotal tapsPlan

func (a *tapsTotal) task(i int) {
	p := (*tapsPlan)(a)
	from, to := p.tapsOffset(i*tapsRows, 0, 0), p.tapsOffset((i+1)*tapsRows, 0, 0)
	sums := p.lotSums(0)[from:to]
	for lot := 1; lot < p.batch.Blocks*p.parts; lot++ {
		add(p.isa, sums, sums, p.lotSums(lot)[from:to])
	}
	channels := p.cfg.In.Channels
	for r := range tapsRows {
		for k := range p.cfg.KernelHeight {
			for first := 0; first < channels; first += vector {
				at := p.tapsOffset(0, k, first/vector) + r*tapsCols*vector
				to := ((i*tapsRows+r)*channels+first)*p.area() + k*tapsCols
				p.place(p.call.dw[to:], sums[at:], tapsCols, vector, vector)
			}
		}
	}
}
