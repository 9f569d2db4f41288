package kern

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

// maxRunLines is the most lines of a run: the number of values that a tile of weights sums over.
const maxRunLines = tileDepth

// BF16Runs reports whether products of kind, forward and for the gradient of the weights, read
// runs.
func BF16Runs(kind BF16, b Batch, cfg ConvConfig) bool {
	run := cfg.KernelWidth * cfg.In.Channels
	return BF16Strips(kind, cfg) && kind == AVX512BF16 && CanRound(b) && cfg.Out%tileSide == 0 &&
		run <= maxRunLines
}

func newRuns(c *Conv) *runs {
	cfg, lanes := &c.cfg, c.batch.Lanes/2
	r := &runs{
		Conv: c, run: cfg.KernelWidth * cfg.In.Channels,
		height: cfg.In.Height + 2*cfg.Pad, width: cfg.In.Width + 2*cfg.Pad,
		parts: min(max(tapsLots/c.batch.Blocks, 1), c.out.Height),
	}
	for i := range cfg.KernelHeight * maxRunLines {
		row, value, at := i/maxRunLines, i%maxRunLines, int32(zeroRow)
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
func (r *runs) triples() int { return ceilDiv(r.run, tapsCols) }

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
		prefetchDY: dy[min(size, len(dy)-1):],
	}
	for out := 0; out < r.cfg.Out; out += tapsRows {
		tile.dy = dy[out*lanes:]
		for k := range r.cfg.KernelHeight {
			x := r.x[block*r.blockLen()+r.offset(row*r.cfg.Stride+k, 0):]
			for triple := range r.triples() {
				tile.x = x[triple*tapsCols*lanes:]
				tile.sum, sums = sums[:tapsSums], sums[tapsSums:]
				tile.lines()
				tile.prefetchDY = tile.prefetchDY[min(r.out.Width*lanes, len(tile.prefetchDY)-1):]
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
		for v, weight := range r.weights[k*maxRunLines:][:r.run] {
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
