package kern

// source says where the rows of each unit lie in a block of an activation. A unit is what is packed
// at once: the channels of a position, or a strip (bf16_strips.go).
type source struct {
	lanes, len int       // images of a block, and values of an image
	rows       int       // rows of a unit
	pairs      int       // pairs of rows in a tile: 16, or 8 if there are no more
	base       []int     // by unit: where its rows start
	offsets    [][]int32 // by unit: row offsets from base, then zeroRow up to whole tiles
	unseen     []bool    // by unit: no tap reads it; nil: all are read
}

// newSource returns the source whose units are the channels of a position, for products of kind.
func newSource(kind BF16, s Shape, b Batch) source {
	src := source{lanes: b.Lanes, len: s.Len(), rows: s.Channels, pairs: tileSide}
	if kind == AVX512BF16 && s.Channels <= tileSide {
		src.pairs = tileSide / 2
	}
	offsets := src.table()
	for i := range s.Channels {
		offsets[i] = int32(i * b.Lanes)
	}
	for p := range s.Height * s.Width {
		src.base, src.offsets = append(src.base, p*s.Channels*b.Lanes), append(src.offsets, offsets)
	}
	return src
}

// flatSource returns the source whose one unit is all values of an image, as if they were channels
// of one position, in the order of a linear layer's weights.
func flatSource(s Shape, b Batch) source {
	src := source{
		lanes: b.Lanes, len: s.Len(), rows: s.Len(), pairs: tileSide, base: []int{0}}
	offsets, area := src.table(), s.Height*s.Width
	for i := range s.Len() {
		offsets[i] = int32((i%area*s.Channels + i/area) * b.Lanes)
	}
	src.offsets = [][]int32{offsets}
	return src
}

func (s *source) table() []int32 {
	offsets := make([]int32, s.depth()*tileDepth)
	for i := range offsets {
		offsets[i] = zeroRow
	}
	return offsets
}

func (s *source) units() int { return len(s.base) }

// depth returns the number of tiles that the rows of a unit fill as the sum of a product.
func (s *source) depth() int { return ceilDiv(s.rows, tileDepth) }

// imageDepth returns the number of tiles that the images of a block fill as the sum of a product.
func (s *source) imageDepth() int { return ceilDiv(s.lanes, tileDepth) }

// Packed for sums over rows, a block is [16 images][unit][depth] of tiles; for sums over images it
// is [32 images][unit][16 rows]. For each of the two, these functions return the number of lines of
// a unit, of all units for so many images, and of the block.

func (s *source) unitLines() int { return s.depth() * s.pairs }

func (s *source) laneLines() int { return s.units() * s.unitLines() }

func (s *source) sumLines() int { return s.lanes / tileSide * s.laneLines() }

func (s *source) imageUnitLines() int { return tilesOf(s.rows) * tileSide }

func (s *source) groupLines() int { return s.units() * s.imageUnitLines() }

func (s *source) imageLines() int { return s.imageDepth() * s.groupLines() }

// packing is an activation to pack, and how and where to pack it.
type packing struct {
	src    *source
	dst    []uint16
	values []float32
	form   packForm

	rounded bool // values are a rounding's
}

// packForm is one of the forms that a tile can be packed to.
type packForm int

const (
	rowsOfA  packForm = iota // rows of the source are rows: sums are over images
	rowsOfB                  // rows of the source are columns: sums are over images
	depthOfB                 // sums are over rows of the source
)

// packOperands packs the operands of the running call. Its tasks are, in this order: the weights of
// the product; the units of activations; and, in the gradient, the bias gradient, which waits for
// nothing.
type packOperands BF16Conv

func (p *packOperands) task(i int) {
	c := (*BF16Conv)(p)
	if d := c.direction; d != nil {
		if i < d.weightTasks() {
			c.packWeights(i)
			return
		}
		i -= d.weightTasks()
	}
	for k := range c.packs {
		if p := &c.packs[k]; p.src != nil {
			if i < c.units(p.src) {
				p.unit(i)
				return
			}
			i -= c.units(p.src)
		}
	}
	(*biasCall)(c.Conv).task(i)
}

// units returns the number of units of s in all blocks.
func (c *BF16Conv) units(s *source) int { return c.batch.Blocks * s.units() }

// unit packs unit i, counted over all blocks.
func (p *packing) unit(i int) {
	s := p.src
	block, unit := i/s.units(), i%s.units()
	if s.unseen != nil && s.unseen[unit] {
		return
	}
	if p.rounded {
		p.lines(block, unit)
		return
	}
	values := p.values[block*s.lanes*s.len:][:s.lanes*s.len]
	base, offsets := s.base[unit], s.offsets[unit]
	if unit+1 < s.units() {
		next := values[s.base[unit+1]:]
		prefetch(next[:min(s.rows*s.lanes, len(next))])
	}
	if p.form == depthOfB {
		for lane := 0; lane < s.lanes; lane += tileSide {
			line := block*s.sumLines() + lane/tileSide*s.laneLines() + unit*s.unitLines()
			dst := p.dst[line*tileDepth:]
			for d := range s.depth() {
				packPairs(dst[d*tileLen:], values, base+lane, offsets[d*tileDepth:], tileSide,
					s.pairs)
			}
		}
		return
	}
	for lane := 0; lane < s.lanes; lane += tileDepth {
		line := block*s.imageLines() + lane/tileDepth*s.groupLines() + unit*s.imageUnitLines()
		dst := p.dst[line*tileDepth:]
		for row := 0; row < s.rows; row += tileSide {
			packRows(dst[row*tileDepth:], values, base+lane, offsets[row:],
				min(tileDepth, s.lanes-lane), p.form == rowsOfB)
		}
	}
}

// lines packs a unit of a rounding for sums over images: whole tiles of lines.
func (p *packing) lines(block, unit int) {
	s := p.src
	apart := s.lanes / 2
	for lane := 0; lane < s.lanes; lane += tileDepth {
		line := block*s.imageLines() + lane/tileDepth*s.groupLines() + unit*s.imageUnitLines()
		for row := 0; row < s.rows; row += tileSide {
			from := p.values[((block*s.units()+unit)*s.rows+row)*apart+lane/2:]
			to := floats(p.dst[(line+row)*tileDepth:][:tileLen])
			if p.form == rowsOfB {
				transpose(AVX512, to, from, tileSide, tileSide, tileSide, apart)
				continue
			}
			for i := range tileSide {
				copy(to[i*tileSide:][:tileSide], from[i*apart:])
			}
		}
	}
}

// packWeights packs the weights of the running product as rows of A, [16 destination
// channels][tap][depth].
func (c *BF16Conv) packWeights(i int) {
	d := c.direction
	dst := c.space.a[i*d.weightLines()*tileDepth:]
	row, rows := i*tileSide, min(tileSide, d.dst.Channels-i*tileSide)
	switch {
	case d.table != nil:
		c.packTable(dst, row, rows)
	case d.across:
		c.packWeightsAcross(dst, row, rows)
	case d.area > 1:
		c.packTaps(dst, row, rows)
	default:
		c.packWeightRows(dst, row, rows)
	}
}

// packWeightRows packs rows whose values lie in the order of the sum.
func (c *BF16Conv) packWeightRows(dst []uint16, row, rows int) {
	ins := c.x.rows
	offsets := offsetsOf(rows, ins)
	for col := 0; col < ins; col += tileDepth {
		packRows(dst[col*tileSide:], c.call.w, row*ins+col, offsets[:],
			min(tileDepth, ins-col), false)
	}
}

// packTaps packs rows whose values lie one kernel area apart: of each row, 32 input channels by 16
// taps at a time.
func (c *BF16Conv) packTaps(dst []uint16, row, rows int) {
	d := c.direction
	ins, area := c.cfg.In.Channels, c.area()
	for col := 0; col < ins; col += tileDepth {
		offsets := offsetsOf(min(tileDepth, ins-col), area)
		for r := range rows {
			for tap := 0; tap < area; tap += tileSide {
				to := dst[tap*d.inner*tileLen+col*tileSide+r*tileDepth:]
				base, cols := ((row+r)*ins+col)*area+tap, min(tileSide, area-tap)
				packPairsAcross(to, c.call.w, base, offsets[:], cols, d.lines, 2*tileDepth*area)
			}
		}
	}
}

// packWeightsAcross packs rows input channels from row on, which are columns of the weights. All
// taps of these channels are neighbours in each output channel; 32 output channels by 16 taps are
// packed at a time.
func (c *BF16Conv) packWeightsAcross(dst []uint16, row, rows int) {
	d := c.direction
	ins, outs, area := c.cfg.In.Channels, c.cfg.Out, c.area()
	for out := 0; out < outs; out += tileDepth {
		offsets := offsetsOf(min(tileDepth, outs-out), ins*area)
		for tap := 0; tap < rows*area; tap += tileSide {
			packPairsAcross(dst[out*tileSide:], c.call.w, (out*ins+row)*area+tap, offsets[:],
				min(tileSide, rows*area-tap), d.lines[tap:], 3*tileSide)
		}
	}
}

// planLines notes, in bytes, where the packed lines of the taps of a channel go or, across, of the
// taps of 16 channels.
func (p *bf16Direction) planLines() {
	channels := 1
	if p.across {
		channels = tileSide
	}
	for i := range ceilDiv(channels*p.area, tileSide) * tileSide {
		p.lines = append(p.lines, int32(2*(i%p.area*p.inner*tileLen+i/p.area*tileDepth)))
	}
}

// offsetsOf returns a table of n rows that are stride values apart.
func offsetsOf(n, stride int) (offsets [tileDepth]int32) {
	for i := range offsets {
		offsets[i] = zeroRow
		if i < n {
			offsets[i] = int32(i * stride)
		}
	}
	return offsets
}
