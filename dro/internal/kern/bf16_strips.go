package kern

// Where the input has few channels, a tile of one tap would be mostly zeros. There the sum is over
// all values that an output sees, in the order [kernel row][kernel column][channel]. A column of
// outputs sees a strip of the padded input: all rows, and of each row the run of values under the
// kernel. The strip is packed once, with a line for each value or each pair of values, and an
// output sees some neighbouring lines of it.
//
// The last tile of the sum reaches beyond the values that an output sees, to values that it
// multiplies by 0. Where such a value is infinite or NaN, it makes NaNs of some outputs next to
// those that see it, of the same image.

// strips is an input of few channels, packed in strips: a unit of the source is a strip.
type strips struct {
	source
	run, step int     // values of a row, made even for pairs, and between two outputs
	weights   []int32 // by value of the sum: the weight's offset in its output channel, or zeroRow
}

// fewChannels is half of the depth of a tile: an input with few channels has fewer than that.
const fewChannels = tileDepth / 2

// BF16Strips reports whether products of kind, forward and for the gradient of the weights, read
// strips. A linear layer has none: its one output sees all values, in the order of the weights.
func BF16Strips(kind BF16, cfg ConvConfig) bool {
	return kind != Rounded && cfg.few() && !cfg.linear()
}

func (c ConvConfig) few() bool {
	return c.In.Channels < fewChannels && c.KernelHeight*c.KernelWidth > 1
}

// linear reports whether c's kernel is as large as its input.
func (c ConvConfig) linear() bool {
	return c.KernelHeight == c.In.Height && c.KernelWidth == c.In.Width && c.Pad == 0
}

// newStrips returns the strips of c's input.
func newStrips(c *Conv) *strips {
	cfg := &c.cfg
	s := &strips{run: (cfg.KernelWidth*cfg.In.Channels + 1) / 2 * 2}
	s.step = cfg.Stride * s.run
	s.weights = make([]int32, ceilDiv(cfg.KernelHeight*s.run, tileDepth)*tileDepth)
	for i := range s.weights {
		s.weights[i] = zeroRow
		row, col, channel := s.value(i, cfg.In.Channels)
		if row < cfg.KernelHeight && col < cfg.KernelWidth {
			s.weights[i] = int32(channel*c.area() + row*cfg.KernelWidth + col)
		}
	}
	s.source = source{lanes: c.batch.Lanes, len: cfg.In.Len(), pairs: tileSide}
	s.rows = ceilDiv((c.out.Height-1)*s.step+len(s.weights), tileDepth) * tileDepth
	for col := range c.out.Width {
		s.base = append(s.base, 0)
		s.offsets = append(s.offsets, s.strip(cfg, col*cfg.Stride-cfg.Pad))
	}
	return s
}

// value returns the place of value i of a strip; col is beyond the kernel for a value that makes a
// row even.
func (s *strips) value(i, channels int) (row, col, channel int) {
	return i / s.run, i % s.run / channels, i % s.run % channels
}

// strip returns the offsets of the strip whose first column in the input is left.
func (s *strips) strip(cfg *ConvConfig, left int) []int32 {
	offsets := s.table()
	for i := range offsets {
		row, col, channel := s.value(i, cfg.In.Channels)
		top, in := row-cfg.Pad, left+col
		inside := in >= 0 && in < cfg.In.Width && top >= 0 && top < cfg.In.Height
		if col < cfg.KernelWidth && inside {
			offsets[i] = int32(((top*cfg.In.Width+in)*cfg.In.Channels + channel) * s.lanes)
		}
	}
	return offsets
}

// inner returns the number of tiles that an output's values fill as the sum of a product.
func (s *strips) inner() int { return len(s.weights) / tileDepth }

// sees returns which value of a block's strips is the first that output (row, col) sees.
func (s *strips) sees(row, col int) int { return col*s.rows + row*s.step }

// packTable packs the weights of rows output channels from row on, in the order of the product's
// table.
func (c *BF16Conv) packTable(dst []uint16, row, rows int) {
	all, table := c.weightLen()/c.cfg.Out, c.direction.table
	offsets := offsetsOf(tileSide, tileDepth)
	for first := 0; first < len(table); first += tileDepth {
		var values [tileLen]float32
		for i, at := range table[first:][:tileDepth] {
			if at != zeroRow {
				for r := range rows {
					values[r*tileDepth+i] = c.call.w[(row+r)*all+int(at)]
				}
			}
		}
		packRows(dst[first*tileSide:], values[:], 0, offsets[:], tileDepth, false)
	}
}

// maxStripParts is the most parts that the gradient is summed in. A part is some neighbouring
// strips, which stay in the second-level cache while all tiles of weights visit them.
const maxStripParts = 8

// stripTaps lists the lines of x and of dy for the gradient: for every output, the output and the
// first value that it sees. Each part has a span.
func (c *BF16Conv) stripTaps() {
	parts, cols := min(c.out.Width, maxStripParts), c.out.Width
	for part := range parts {
		from := int32(len(c.taps))
		for block := range c.batch.Blocks {
			for col := part * cols / parts; col < (part+1)*cols/parts; col++ {
				for row := range c.out.Height {
					c.taps = append(c.taps, tap{
						x: int32(block*c.dy.imageLines() + (row*cols+col)*c.dy.imageUnitLines()),
						w: int32(block*c.x.imageLines() + c.strips.sees(row, col))})
				}
			}
		}
		c.spans = append(c.spans, span{from, int32(len(c.taps))})
	}
	c.space.values(&c.space.x, parts*pairsOf(len(c.strips.weights))*pairsOf(c.cfg.Out)*stripTile)
}

// stripTile is the length of a product of two tiles by two.
const stripTile = 4 * tileSide * tileSide

// stripSums returns the sums of a part between 32 values that outputs see, the pair of tiles in,
// and 32 output channels, the pair of tiles out, with a row for each value. Unlike where channels
// are many, the values are rows of the product, so that the smaller operand, dy, is packed across.
func (c *BF16Conv) stripSums(part, in, out int) []float32 {
	at := (part*pairsOf(len(c.strips.weights))+in)*pairsOf(c.cfg.Out) + out
	return c.space.x[at*stripTile:][:stripTile]
}

// stripCall's task is a part of the gradient for some pairs of tiles of values.
type stripCall BF16Conv

func (s *stripCall) task(i int) {
	c := (*BF16Conv)(s)
	part, first := i/c.call.chunks, i%c.call.chunks*c.call.chunk
	values := len(c.strips.weights)
	tile := mulTile{
		inner: c.x.imageDepth(), aInner: c.x.groupLines(), bInner: c.dy.groupLines(),
		aNext: tileSide, bNext: tileSide, cRow: 2 * tileSide, pairs: tileSide,
		taps: c.taps, spans: c.spans[part:][:1],
	}
	for in := first; in < min(first+c.call.chunk, pairsOf(values)); in++ {
		for out := range pairsOf(c.cfg.Out) {
			tile.rows = min(2, tilesOf(values)-2*in)
			tile.cols = min(2, tilesOf(c.cfg.Out)-2*out)
			tile.a, tile.b = c.space.a[2*in*tileLen:], c.space.b[2*out*tileLen:]
			tile.c = c.stripSums(part, in, out)
			tile.run(c.kind)
		}
	}
}

// stripSum's task adds up the parts of a pair of tiles of values, in their order, and puts the sums
// in their places in dw.
type stripSum BF16Conv

func (s *stripSum) task(in int) {
	c := (*BF16Conv)(s)
	for out := range pairsOf(c.cfg.Out) {
		sums := c.stripSums(0, in, out)
		for part := 1; part < len(c.spans); part++ {
			add(c.isa, sums, sums, c.stripSums(part, in, out))
		}
		c.placeStrips(sums, in*2*tileSide, out*2*tileSide)
	}
}

// placeStrips puts the gradients of the weights in their places in dw, for values from in on and
// output channels from out on.
func (c *BF16Conv) placeStrips(sums []float32, in, out int) {
	all, outs := c.weightLen()/c.cfg.Out, min(2*tileSide, c.cfg.Out-out)
	for i, at := range c.strips.weights[in:min(in+2*tileSide, len(c.strips.weights))] {
		if at == zeroRow {
			continue
		}
		for o, v := range sums[i*2*tileSide:][:outs] {
			if to := &c.call.dw[(out+o)*all+int(at)]; c.call.add {
				*to += v
			} else {
				*to = v
			}
		}
	}
}
