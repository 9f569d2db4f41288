package kern

// Where the input has few channels, a tile of one tap would be mostly zeros. There all values that an output
// sees are the sum, in the order [kernel row][kernel column][channel]. A column of outputs sees a strip of the
// padded input: its rows, and of each the run of values under the kernel. The strip is packed once, a line a
// value or a pair of them, and what an output sees is some neighbouring lines of it.

// strips are an input of few channels, a unit of the source being a strip.
type strips struct {
	source
	run, step int     // values of a row, made even for the sake of pairs, and between two outputs
	outs      Shape   // of the output
	weights   []int32 // by value of the sum: the weight's offset in its output channel, or nothing
}

// fewChannels is what fills less than half of the depth of a tile.
const fewChannels = tileDepth / 2

// newStrips returns those of c's input, or nil if it has channels enough.
func newStrips(c *Conv) *strips {
	cfg := &c.cfg
	if cfg.In.Channels >= fewChannels || c.area() == 1 {
		return nil
	}
	s := &strips{run: (cfg.KernelWidth*cfg.In.Channels + 1) / 2 * 2, outs: c.out}
	s.step = cfg.Stride * s.run
	s.weights = make([]int32, (cfg.KernelHeight*s.run+tileDepth-1)/tileDepth*tileDepth)
	for i := range s.weights {
		s.weights[i] = nothing
		if row, col, channel := s.value(i, cfg.In.Channels); row < cfg.KernelHeight && col < cfg.KernelWidth {
			s.weights[i] = int32(channel*c.area() + row*cfg.KernelWidth + col)
		}
	}
	s.source = source{lanes: c.batch.Lanes, len: cfg.In.Len()}
	s.rows = ((c.out.Height-1)*s.step + len(s.weights) + tileDepth - 1) / tileDepth * tileDepth
	for col := range c.out.Width {
		s.base, s.offsets = append(s.base, 0), append(s.offsets, s.strip(cfg, col*cfg.Stride-cfg.Pad))
	}
	return s
}

// value returns what value i of a strip is; col is beyond the kernel's for what makes a row even.
func (s *strips) value(i, channels int) (row, col, channel int) {
	return i / s.run, i % s.run / channels, i % s.run % channels
}

// strip returns the offsets of the strip whose first column in the input is left.
func (s *strips) strip(cfg *ConvConfig, left int) []int32 {
	offsets := s.table()
	for i := range offsets {
		row, col, channel := s.value(i, cfg.In.Channels)
		row -= cfg.Pad
		if in := left + col; col < cfg.KernelWidth && in >= 0 && in < cfg.In.Width && row >= 0 && row < cfg.In.Height {
			offsets[i] = int32(((row*cfg.In.Width+in)*cfg.In.Channels + channel) * s.lanes)
		}
	}
	return offsets
}

// inner is the number of tiles that an output's values fill as the sum of a product.
func (s *strips) inner() int { return len(s.weights) / tileDepth }

// sees returns the value of a block's strips at which what the output sees begins.
func (s *strips) sees(row, col int) int { return col*s.rows + row*s.step }

// packStripWeights packs the weights of rows output channels from row on.
func (c *BF16Conv) packStripWeights(dst []uint16, row, rows int) {
	const chunk = tileSide * tileDepth
	all := c.WeightLen() / c.cfg.Out
	offsets := offsetsOf(tileSide, tileDepth)
	for first := 0; first < len(c.strips.weights); first += tileDepth {
		var values [chunk]float32
		for i, at := range c.strips.weights[first:][:tileDepth] {
			if at != nothing {
				for r := range rows {
					values[r*tileDepth+i] = c.call.w[(row+r)*all+int(at)]
				}
			}
		}
		packRows(dst[first*tileSide:], values[:], 0, offsets[:], tileDepth, false)
	}
}

// stripTaps lists the lines of x and of dy for the one span of the gradient: at every output, what it sees.
func (c *BF16Conv) stripTaps() {
	for block := range c.batch.Blocks {
		for row := range c.out.Height {
			for col := range c.out.Width {
				c.taps = append(c.taps, tap{
					x: int32(block*c.dy.imageLines() + (row*c.out.Width+col)*c.dy.imageUnitLines()),
					w: int32(block*c.x.imageLines() + c.strips.sees(row, col))})
			}
		}
	}
	c.spans = []span{{0, int32(len(c.taps))}}
}

// stripPair computes the gradient of the weights between 32 output channels from out on and 32 values that
// they see, from in on. Other than where channels are many, the values are rows of the product: so it is dy,
// the smaller operand, that is packed across.
func (c *BF16Conv) stripPair(sums []float32, out, in int) {
	outs, ins := min(2*tileSide, c.cfg.Out-out), min(2*tileSide, len(c.strips.weights)-in)
	tile := mulTile{
		a: c.space.a[in*tileDepth:], b: c.space.b[out*tileDepth:],
		inner: c.x.imageDepth(), aInner: c.x.groupLines(), bInner: c.dy.groupLines(), aNext: tileSide, bNext: tileSide,
		cRow: gradRowLen, rows: tilesOf(ins), cols: tilesOf(outs), c: sums, taps: c.taps, spans: c.spans,
	}
	tile.run(c.kind)
	all := c.WeightLen() / c.cfg.Out
	for i, at := range c.strips.weights[in:][:ins] {
		if at == nothing {
			continue
		}
		for o, v := range sums[i*gradRowLen:][:outs] {
			if to := &c.call.w[(out+o)*all+int(at)]; c.Conv.call.add {
				*to += v
			} else {
				*to = v
			}
		}
	}
}
