package kern

// source says where in a block of an activation the rows lie that a position is packed from: its channels, or
// what an output sees if they are gathered.
type source struct {
	lanes, len int       // of a block: images, and values of an image
	rows       int       // a position
	base       []int     // by position
	offsets    [][]int32 // by position: from the base, then nothing up to whole tiles
}

// newSource is of channels.
func newSource(s Shape, b Batch) source {
	src := source{lanes: b.Lanes, len: s.Len(), rows: s.Channels}
	offsets := src.table()
	for i := range s.Channels {
		offsets[i] = int32(i * b.Lanes)
	}
	for p := range s.Height * s.Width {
		src.base, src.offsets = append(src.base, p*s.Channels*b.Lanes), append(src.offsets, offsets)
	}
	return src
}

// gatheredSource is of what each output of c sees, [in][row][column] as weights are.
func gatheredSource(c *Conv) source {
	in, area := c.cfg.In, c.area()
	src := source{lanes: c.batch.Lanes, len: in.Len(), rows: in.Channels * area}
	tables := map[*tap][]int32{} // by class of positions
	for row := range c.out.Height {
		for col := range c.out.Width {
			position, taps := c.forward.at(row, col)
			if tables[&taps[0]] == nil {
				offsets := src.table()
				for _, t := range taps {
					for i := range in.Channels {
						offsets[i*area+int(t.w)] = t.x + int32(i*c.batch.Lanes)
					}
				}
				tables[&taps[0]] = offsets
			}
			src.base = append(src.base, position*in.Channels*c.batch.Lanes)
			src.offsets = append(src.offsets, tables[&taps[0]])
		}
	}
	return src
}

func (s *source) table() []int32 {
	offsets := make([]int32, s.depth()*tileDepth)
	for i := range offsets {
		offsets[i] = nothing
	}
	return offsets
}

func (s *source) positions() int { return len(s.base) }

// depth is the number of tiles that the rows fill as the sum of a product.
func (s *source) depth() int { return (s.rows + tileDepth - 1) / tileDepth }

// tiles is the number of tiles of a position that is packed for sums over rows: [depth][16 images].
func (s *source) tiles() int { return s.depth() * s.lanes / tileSide }

// imageDepth is the number of tiles that the images of a block fill as the sum of a product.
func (s *source) imageDepth() int { return (s.lanes + tileDepth - 1) / tileDepth }

// imageTiles is the number of tiles of a position that is packed for sums over images: [16 rows][depth].
func (s *source) imageTiles() int { return tilesOf(s.rows) * s.imageDepth() }

// packing is how an activation is packed.
type packing struct {
	src    *source
	dst    []uint16
	values []float32
	form   packForm
}

// packForm is one of the forms that a tile can be packed to.
type packForm int

const (
	rowsOfA  packForm = iota // rows of the source are rows: sums are over images
	rowsOfB                  // rows of the source are columns
	depthOfB                 // sums are over rows of the source
)

// packOperands packs what the running call multiplies. Its tasks are, in this order, those of the product's
// weights; the positions of activations; and, in the gradient, that of the bias, which waits for nothing.
type packOperands BF16Conv

func (p *packOperands) task(i int) {
	c := (*BF16Conv)(p)
	if d := c.call.product; d != nil {
		if i < d.weightTasks() {
			c.packWeights(i)
			return
		}
		i -= d.weightTasks()
	}
	for k := range c.call.packs {
		if c.call.packs[k].src != nil {
			if i < c.positions(c.call.packs[k].src) {
				c.call.packs[k].position(i)
				return
			}
			i -= c.positions(c.call.packs[k].src)
		}
	}
	(*biasCall)(c.Conv).task(i)
}

// positions is the number of positions of s in all blocks.
func (c *BF16Conv) positions(s *source) int { return c.batch.Blocks * s.positions() }

// position packs one of them; in dst they are [block][position] of tiles.
func (p *packing) position(i int) {
	s := p.src
	block, position := i/s.positions(), i%s.positions()
	values := p.values[block*s.lanes*s.len:][:s.lanes*s.len]
	base, offsets := s.base[position], s.offsets[position]
	if p.form == depthOfB {
		dst := p.dst[i*s.tiles()*tileLen:]
		for d := range s.depth() {
			for lane := 0; lane < s.lanes; lane += tileSide {
				packPairs(dst, values, base+lane, offsets[d*tileDepth:], tileSide)
				dst = dst[tileLen:]
			}
		}
		return
	}
	dst := p.dst[i*s.imageTiles()*tileLen:]
	for row := 0; row < s.rows; row += tileSide {
		for lane := 0; lane < s.lanes; lane += tileDepth {
			packRows(dst, values, base+lane, offsets[row:], min(tileDepth, s.lanes-lane), p.form == rowsOfB)
			dst = dst[tileLen:]
		}
	}
}

// packWeights packs the weights of the running product as rows of A, [16 destination channels][tap][depth],
// for each tap, 16 channels by 32 of them at a time.
func (c *BF16Conv) packWeights(i int) {
	d := c.call.product
	dst := c.space.a[i*d.taps*d.src.depth()*tileLen:]
	row, rows := i*tileSide, min(tileSide, d.dst.Channels-i*tileSide)
	if d.taps > 1 {
		c.packTaps(dst, row, rows)
		return
	}
	ins := c.WeightLen() / c.cfg.Out
	for col := 0; col < d.src.rows; col += tileDepth {
		if cols := min(tileDepth, d.src.rows-col); d.across {
			offsets := offsetsOf(cols, ins)
			packPairsAcross(dst, c.call.w, col*ins+row, offsets[:], rows)
		} else {
			offsets := offsetsOf(rows, ins)
			packRows(dst, c.call.w, row*ins+col, offsets[:], cols, false)
		}
		dst = dst[tileLen:]
	}
}

// offsetsOf returns a table of n rows that are stride values apart.
func offsetsOf(n, stride int) (offsets [tileDepth]int32) {
	for i := range offsets {
		offsets[i] = nothing
		if i < n {
			offsets[i] = int32(i * stride)
		}
	}
	return offsets
}

// packedTaps is the number of kernel taps that are packed at once: a square of the transposition.
const packedTaps = 16

// packTaps packs the weights of all taps of rows channels from row on. In memory the taps are innermost, so
// they are brought outward first.
func (c *BF16Conv) packTaps(dst []uint16, row, rows int) {
	var apart [packedTaps * tileSide * tileDepth]float32
	for col := 0; col < c.call.product.src.rows; col += tileDepth {
		c.packTapsOf(dst, apart[:], row, col, rows, min(tileDepth, c.call.product.src.rows-col))
		dst = dst[tileLen:]
	}
}

// packTapsOf packs those between these rows and cols channels of the sum from col on, by way of apart,
// [out][tap][in].
func (c *BF16Conv) packTapsOf(dst []uint16, apart []float32, row, col, rows, cols int) {
	d := c.call.product
	out, outs, in, ins, width := row, rows, col, cols, tileDepth
	if d.across {
		out, outs, in, ins, width = col, cols, row, rows, tileSide
	}
	area, offsets := c.area(), offsetsOf(outs, packedTaps*width)
	for first := 0; first < area; first += packedTaps {
		count := min(packedTaps, area-first)
		for o := range outs {
			from := c.call.w[((out+o)*c.cfg.In.Channels+in)*area+first:]
			transpose(c.isa, apart[o*packedTaps*width:], from, ins, count, width, area)
		}
		for k := range count {
			to := dst[(first+k)*d.src.depth()*tileLen:]
			if d.across {
				packPairsAcross(to, apart, k*width, offsets[:], ins)
			} else {
				packRows(to, apart, k*width, offsets[:], ins, false)
			}
		}
	}
}
