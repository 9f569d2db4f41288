package kern

// dotPlan says in which order the dot products along images walk positions. A pass is a part of the map, in one or several blocks, whose
// output gradients stay in the first-level cache while all taps visit them; its sums are added to the gradient before the next pass.
type dotPlan struct {
	passes  [][][]pair // by tap: the positions that it joins
	blocks  int        // blocks a pass
	columns int        // column tiles of input channels
}

// dotCacheBytes is the first-level cache that a row tile of the output's gradient may fill; the input streams through the rest.
const dotCacheBytes = 26 << 10

// newDotPlan cuts c's output map. The cut depends on the geometry alone, so that sums have one order.
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
	d := &dotPlan{blocks: 1, columns: (c.cfg.In.Channels + gradCols - 1) / gradCols}
	if rows == c.out.Height && cols == c.out.Width {
		d.blocks = min(max(dotCacheBytes/bytes(), 1), c.batch.Blocks)
	}
	for top := 0; top < c.out.Height; top += rows {
		for left := 0; left < c.out.Width; left += cols {
			d.passes = append(d.passes, c.dotPass(top, min(top+rows, c.out.Height), left, min(left+cols, c.out.Width)))
		}
	}
	return d
}

// dotPass lists the positions in rows [top, bottom) and columns [left, right) by tap.
func (c *Conv) dotPass(top, bottom, left, right int) [][]pair {
	var taps [][]pair
	for kh := range c.cfg.KernelHeight {
		for kw := range c.cfg.KernelWidth {
			pairs := []pair{}
			c.joined(kh, kw, top, bottom, left, right, func(out, in int) {
				pairs = append(pairs, pair{int32(out * c.out.Channels * c.batch.Lanes), int32(in * c.cfg.In.Channels * c.batch.Lanes)})
			})
			taps = append(taps, pairs)
		}
	}
	return taps
}

// dotCall's task is one row tile of output channels against some column tiles of input channels.
type dotCall Conv

func (d *dotCall) task(i int) {
	c := (*Conv)(d)
	g := c.gradTask(i, c.dot.columns)
	for column := g.first; column < g.last; column++ {
		in := column * gradCols
		c.dotGrad(g, in, min(gradCols, c.cfg.In.Channels-in))
	}
}

// dotGrad computes the gradient of the weights between g's output channels and cols input channels from in on.
func (c *Conv) dotGrad(g gradTask, in, cols int) {
	var sum [tileRows * gradCols]float32
	lanes, area := c.batch.Lanes, c.area()
	tile := gradTile{
		sum: &sum, rows: g.rows, cols: cols, lanes: lanes,
		dyBlock: lanes * c.out.Len(), xBlock: lanes * c.cfg.In.Len(),
	}
	for r := range g.rows {
		clear(c.call.dw[((g.out+r)*c.cfg.In.Channels+in)*area:][:cols*area])
	}
	for first := 0; first < c.batch.Blocks; first += c.dot.blocks {
		tile.blocks = min(c.dot.blocks, c.batch.Blocks-first)
		tile.dy = c.call.dy[first*tile.dyBlock+g.out*lanes:]
		tile.x = c.call.x[first*tile.xBlock+in*lanes:]
		for _, pass := range c.dot.passes {
			for k, pairs := range pass {
				if len(pairs) > 0 {
					tile.pairs = pairs
					tile.run(c.isa)
					c.addSums(&sum, g, in, cols, k)
				}
			}
		}
	}
}

// addSums adds a tile's sums for tap k to the gradient.
func (c *Conv) addSums(sum *[tileRows * gradCols]float32, g gradTask, in, cols, k int) {
	area := c.area()
	for r := range g.rows {
		row := c.call.dw[((g.out+r)*c.cfg.In.Channels+in)*area+k:]
		for j := range cols {
			row[j*area] += sum[r*gradCols+j]
		}
	}
}
