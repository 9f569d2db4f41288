package kern

// gradPlan says in which order the weight gradient walks positions. A pass is a part of the map, in one or several blocks, whose tile
// operands stay in the first-level cache while all taps visit them; its sums are added to the gradient before the next pass.
type gradPlan struct {
	passes []gradPass
	blocks int // blocks a pass
}

// gradPass has, for each kernel tap, the positions that it joins.
type gradPass struct{ taps [][]pair }

// gradCacheBytes is the first-level cache that a tile of the weight gradient may fill.
const gradCacheBytes = 36 << 10

// newGradPlan cuts c's output map. The cut depends on the geometry alone, so that sums have one order.
func newGradPlan(c *Conv) gradPlan {
	rows, cols := c.out.Height, c.out.Width
	for c.gradFootprint(rows, cols) > gradCacheBytes && rows*cols > 1 {
		if rows > 1 {
			rows = (rows + 1) / 2
		} else {
			cols = (cols + 1) / 2
		}
	}
	blocks := 1
	if rows == c.out.Height && cols == c.out.Width {
		blocks = min(max(gradCacheBytes/c.gradFootprint(rows, cols), 1), c.batch.Blocks)
	}
	g := gradPlan{blocks: blocks}
	for top := 0; top < c.out.Height; top += rows {
		for left := 0; left < c.out.Width; left += cols {
			g.passes = append(g.passes, c.gradPass(top, min(top+rows, c.out.Height), left, min(left+cols, c.out.Width)))
		}
	}
	return g
}

// gradFootprint returns the bytes that a tile touches for rows×cols output positions of one block.
func (c *Conv) gradFootprint(rows, cols int) int {
	inRows := min((rows-1)*c.cfg.Stride+c.cfg.KernelHeight, c.cfg.In.Height)
	inCols := min((cols-1)*c.cfg.Stride+c.cfg.KernelWidth, c.cfg.In.Width)
	return 4 * c.batch.Lanes * (tileRows*rows*cols + min(gradCols, c.cfg.In.Channels)*inRows*inCols)
}

// gradPass lists the positions in [top, bottom) × [left, right) by tap.
func (c *Conv) gradPass(top, bottom, left, right int) gradPass {
	in, out, lanes := c.cfg.In, c.out, c.batch.Lanes
	var p gradPass
	for kh := range c.cfg.KernelHeight {
		for kw := range c.cfg.KernelWidth {
			pairs := []pair{}
			for row := top; row < bottom; row++ {
				for col := left; col < right; col++ {
					i, j := row*c.cfg.Stride-c.cfg.Pad+kh, col*c.cfg.Stride-c.cfg.Pad+kw
					if i < 0 || i >= in.Height || j < 0 || j >= in.Width {
						continue
					}
					pairs = append(pairs, pair{int32((row*out.Width + col) * out.Channels * lanes), int32((i*in.Width + j) * in.Channels * lanes)})
				}
			}
			p.taps = append(p.taps, pairs)
		}
	}
	return p
}

// BackwardWeights computes dw and db (or nil), the gradients of the weights and the bias, summed over the batch, from the input x and the
// output's gradient dy.
func (c *Conv) BackwardWeights(t *Team, dw, db, x, dy []float32) {
	if len(dw) != c.WeightLen() || len(x) != c.batch.Len(c.cfg.In) || len(dy) != c.batch.Len(c.out) || db != nil && len(db) != c.cfg.Out {
		panic("kern: Conv.BackwardWeights: slice has the wrong length")
	}
	c.call = convCall{dw: dw, db: db, x: x, dy: dy}
	tiles := (c.cfg.Out + tileRows - 1) / tileRows
	columns := (c.cfg.In.Channels + gradCols - 1) / gradCols
	chunks := min((minTasks+tiles-1)/tiles, columns)
	c.call.chunk = (columns + chunks - 1) / chunks
	t.run(tiles*((columns+c.call.chunk-1)/c.call.chunk), (*gradCall)(c))
	c.call = convCall{}
}

// gradCall's task is one row tile of output channels against some column tiles of input channels.
type gradCall Conv

func (g *gradCall) task(i int) {
	c := (*Conv)(g)
	columns := (c.cfg.In.Channels + gradCols - 1) / gradCols
	chunks := (columns + c.call.chunk - 1) / c.call.chunk
	out := i / chunks * tileRows
	rows := min(tileRows, c.cfg.Out-out)
	first := i % chunks * c.call.chunk
	if c.call.db != nil && first == 0 {
		c.biasGrad(c.call.db[out:][:rows], out)
	}
	for column := first; column < min(first+c.call.chunk, columns); column++ {
		in := column * gradCols
		c.weightGrad(out, rows, in, min(gradCols, c.cfg.In.Channels-in))
	}
}

// weightGrad computes the gradient of the weights between rows output channels from out on and cols input channels from in on.
func (c *Conv) weightGrad(out, rows, in, cols int) {
	var sum [tileRows * gradCols]float32
	lanes, area := c.batch.Lanes, c.area()
	tile := gradTile{
		sum: &sum, rows: rows, cols: cols, lanes: lanes,
		dyBlock: lanes * c.out.Len(), xBlock: lanes * c.cfg.In.Len(),
	}
	for r := range rows {
		clear(c.call.dw[((out+r)*c.cfg.In.Channels+in)*area:][:cols*area])
	}
	for first := 0; first < c.batch.Blocks; first += c.grad.blocks {
		tile.blocks = min(c.grad.blocks, c.batch.Blocks-first)
		tile.dy = c.call.dy[first*tile.dyBlock+out*lanes:]
		tile.x = c.call.x[first*tile.xBlock+in*lanes:]
		for _, pass := range c.grad.passes {
			for k, pairs := range pass.taps {
				if len(pairs) > 0 {
					tile.pairs = pairs
					tile.run(c.isa)
					c.addSums(&sum, out, rows, in, cols, k)
				}
			}
		}
	}
}

// addSums adds a tile's sums for tap k to the gradient.
func (c *Conv) addSums(sum *[tileRows * gradCols]float32, out, rows, in, cols, k int) {
	area := c.area()
	for r := range rows {
		row := c.call.dw[((out+r)*c.cfg.In.Channels+in)*area+k:]
		for j := range cols {
			row[j*area] += sum[r*gradCols+j]
		}
	}
}

// biasGrad sums dy over images and positions for the output channels from out on.
func (c *Conv) biasGrad(db []float32, out int) {
	lanes := c.batch.Lanes
	clear(db)
	for block := range c.batch.Blocks {
		dy := c.call.dy[block*lanes*c.out.Len():][:lanes*c.out.Len()]
		sumRows(c.isa, db, dy[out*lanes:], c.out.Height*c.out.Width, c.out.Channels*lanes, lanes)
	}
}
