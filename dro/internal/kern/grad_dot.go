package kern

// dotPlan says in which order the dot products along images walk positions. A pass is a part of the
// map, in one or several blocks, whose output gradients stay in the first-level cache while all
// taps visit them; its sums are added to the gradient before the next pass.
type dotPlan struct {
	passes  [][][]pair // by tap: the positions that it joins
	blocks  int        // blocks a pass
	columns int        // column tiles of input channels
}

// dotCacheBytes is the first-level cache that a row tile of the output's gradient may fill. The
// rest is for the input rows that neighbouring taps share, which matter more: on AlexNet's first
// layer 26 KiB costs 15 %.
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
	d := &dotPlan{blocks: 1, columns: (c.cfg.In.Channels + gradCols - 1) / gradCols}
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
		c.joined(k, top, bottom, left, right, func(out, in int) {
			dy, x := out*c.out.Channels*c.batch.Lanes, in*c.cfg.In.Channels*c.batch.Lanes
			pairs = append(pairs, pair{int32(dy), int32(x)})
		})
		taps = append(taps, pairs)
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

// dotTaps is the number of kernel taps whose sums are put in place at once.
const dotTaps = 64

// dotGrad computes the gradient of the weights between g's output channels and cols input channels
// from in on.
func (c *Conv) dotGrad(g gradTask, in, cols int) {
	area := c.area()
	for first := 0; first < area; first += dotTaps {
		var sums [dotTaps * gradSums]float32
		count := min(dotTaps, area-first)
		c.dotSums(sums[:count*gradSums], first, g, in, cols)
		for r := range g.rows {
			to := c.call.dw[((g.out+r)*c.cfg.In.Channels+in)*area+first:]
			c.place(to, sums[r*gradCols:], count, cols, gradSums)
		}
	}
}

// dotSums adds the tiles of the kernel taps from first on to sums.
func (c *Conv) dotSums(sums []float32, first int, g gradTask, in, cols int) {
	lanes := c.batch.Lanes
	tile := gradTile{
		rows: g.rows, cols: cols, lanes: lanes,
		dyBlock: lanes * c.out.Len(), xBlock: lanes * c.cfg.In.Len(),
	}
	for block := 0; block < c.batch.Blocks; block += c.dot.blocks {
		tile.blocks = min(c.dot.blocks, c.batch.Blocks-block)
		tile.dy = c.call.dy[block*tile.dyBlock+g.out*lanes:]
		tile.x = c.call.x[block*tile.xBlock+in*lanes:]
		for _, pass := range c.dot.passes {
			for k, pairs := range pass[first:][:len(sums)/gradSums] {
				if len(pairs) > 0 {
					tile.sum, tile.pairs = sums[k*gradSums:][:gradSums], pairs
					tile.run(c.isa)
				}
			}
		}
	}
}
