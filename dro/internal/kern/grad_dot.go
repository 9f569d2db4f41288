package kern

// dotPlan says in which order the dot products along images walk positions. A pass is a part of the
// map, in one or several blocks, whose output gradients stay in the first-level cache while all
// taps visit them. Its sums are added to the gradient before the next pass.
type dotPlan struct {
	passes  [][][]pair // by pass and tap: the positions that the tap joins
	blocks  int        // blocks per pass
	columns int        // column tiles of input channels
	sums    []float32  // by column tile, row tile and tap
}

// dotCacheBytes is the number of bytes of the first-level cache that a row tile of the output's
// gradient may fill. The rest is for the input rows that neighbouring taps share, which matter
// more: on AlexNet's first layer 26 KiB costs 15 %.
const dotCacheBytes = 13 << 10

// newDotPlan cuts c's output map. The cut depends on the geometry alone, so that sums have one
// order.
func newDotPlan(c *Conv) *dotPlan {
	rows, cols := c.out.Height, c.out.Width
	bytes := func() int { return 4 * c.batch.Lanes * tileRows * rows * cols }
	for bytes() > dotCacheBytes && rows*cols > 1 {
		if rows > 1 {
			rows = (rows + 1) / 2
		} else {
			cols = (cols + 1) / 2
		}
	}
	d := &dotPlan{blocks: 1, columns: ceilDiv(c.cfg.In.Channels, gradCols)}
	d.sums = Alloc(d.columns * c.rowTiles() * c.area() * gradSums)
	if rows == c.out.Height && cols == c.out.Width {
		d.blocks = min(max(dotCacheBytes/bytes(), 1), c.batch.Blocks)
	}
	for top := 0; top < c.out.Height; top += rows {
		for left := 0; left < c.out.Width; left += cols {
			bottom, right := min(top+rows, c.out.Height), min(left+cols, c.out.Width)
			d.passes = append(d.passes, c.dotPass(top, bottom, left, right))
		}
	}
	return d
}

// dotPass lists the positions in rows [top, bottom) and columns [left, right) by tap.
func (c *Conv) dotPass(top, bottom, left, right int) [][]pair {
	var taps [][]pair
	for k := range c.area() {
		pairs := []pair{}
		c.visitJoined(k, top, bottom, left, right, func(out, in int) {
			dy, x := out*c.out.Channels*c.batch.Lanes, in*c.cfg.In.Channels*c.batch.Lanes
			pairs = append(pairs, pair{int32(dy), int32(x)})
		})
		taps = append(taps, pairs)
	}
	return taps
}

// dotCall's task is a thread's share of the kernel taps of all tiles. A tile is a row tile of
// output channels against a column tile of input channels; the tiles of one column follow each
// other. All tiles of a task visit a pass before any visits the next, so that on a large map the
// values of a pass come from memory once per task, not once per tile.
type dotCall Conv

// dotTile is the taps [from, to) of tile k.
type dotTile struct{ k, from, to int }

// dotTiles calls visit for each tile of task i.
func (c *Conv) dotTiles(i int, visit func(t dotTile)) {
	area := c.area()
	first, end := i*c.call.chunk, min((i+1)*c.call.chunk, c.dotTaps())
	for k := first / area; k*area < end; k++ {
		visit(dotTile{k, max(first-k*area, 0), min(end-k*area, area)})
	}
}

// dotTaps returns the number of taps of all tiles.
func (c *Conv) dotTaps() int { return c.rowTiles() * c.dot.columns * c.area() }

func (d *dotCall) task(i int) {
	c := (*Conv)(d)
	first, end := i*c.call.chunk, min((i+1)*c.call.chunk, c.dotTaps())
	clear(c.dot.sums[first*gradSums : end*gradSums])
	for block := 0; block < c.batch.Blocks; block += c.dot.blocks {
		for _, pass := range c.dot.passes {
			c.dotTiles(i, func(t dotTile) { c.dotSums(t, pass, block) })
		}
	}
	c.dotTiles(i, c.dotPlace)
}

// dotPlace puts the sums of a tile in their places in dw. The tile of the first input channels and
// the first tap also computes its part of the bias gradient.
func (c *Conv) dotPlace(t dotTile) {
	rows, area := c.rowTiles(), c.area()
	out, in := t.k%rows*tileRows, t.k/rows*gradCols
	channels := min(tileRows, c.cfg.Out-out)
	if in == 0 && t.from == 0 {
		c.biasGrad(out, channels)
	}
	for r := range channels {
		to := c.call.dw[((out+r)*c.cfg.In.Channels+in)*area+t.from:]
		from := c.dot.sums[(t.k*area+t.from)*gradSums+r*gradCols:]
		c.place(to, from, t.to-t.from, min(gradCols, c.cfg.In.Channels-in), gradSums)
	}
}

// dotSums adds the products of one pass, of the blocks from block on, to the sums of a tile, by
// kernel tap.
func (c *Conv) dotSums(t dotTile, pass [][]pair, block int) {
	lanes, rows := c.batch.Lanes, c.rowTiles()
	out, in := t.k%rows*tileRows, t.k/rows*gradCols
	tile := gradTile{
		rows: min(tileRows, c.cfg.Out-out), cols: min(gradCols, c.cfg.In.Channels-in), lanes: lanes,
		dyBlock: lanes * c.out.Len(), xBlock: lanes * c.cfg.In.Len(),
		blocks: min(c.dot.blocks, c.batch.Blocks-block),
	}
	tile.dy = c.call.dy[block*tile.dyBlock+out*lanes:]
	tile.x = c.call.x[block*tile.xBlock+in*lanes:]
	for k := t.from; k < t.to; k++ {
		if pairs := pass[k]; len(pairs) > 0 {
			at := (t.k*c.area() + k) * gradSums
			tile.sum, tile.pairs = c.dot.sums[at:][:gradSums], pairs
			tile.run(c.isa)
		}
	}
}
