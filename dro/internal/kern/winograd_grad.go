package kern

// winogradGrad is the plan of the gradient of the weights. The input is transposed as in outerPlan,
// so that channels are the lanes of its windows; a product sums over images. A lot is some rows of
// squares of the batch. Each lot has sums of its own, which are added up at the end. The number of
// lots follows from the geometry, and so does the order of sums.
type winogradGrad struct {
	lots  int
	part  int       // output channels of a task
	sums  []float32 // [lot][4×4 places][group of input channels][out][in of the group]
	apart int       // from one place to the next
	taps  [][]tap   // by group: the taps of a product, one per image
}

const (
	gradTasks   = minTasks / windowSide // lots times parts; a row of places is a task of its own
	maxLotBytes = 4 << 20               // bytes that the sums of all lots may fill
)

func newWinogradGrad(c *Winograd) *winogradGrad {
	g, width, lanes := &winogradGrad{}, 0, c.batch.Lanes
	for _, group := range c.outer.groups {
		width += group.width
		taps := make([]tap, lanes)
		for image := range taps {
			taps[image] = tap{int32(image * group.width), int32(image)}
		}
		g.taps = append(g.taps, taps)
	}
	g.apart = c.cfg.Out*width + vector
	g.part = partOf(c.cfg.Out, gradTasks)
	rows := c.batch.Blocks * c.out.Height / squareSide
	parts := ceilDiv(c.cfg.Out, g.part)
	most := maxLotBytes / (4 * windowArea * g.apart)
	g.lots = min(max(min(most, gradTasks/parts), 1), rows)
	g.sums = Alloc(g.lots * g.lotLen())
	widest := c.outer.groups[0].width
	c.space.grow(windowSide*(widest*lanes+vector+c.apart(min(g.part, c.cfg.Out))), lanes*widest)
	c.space.grow(kernelArea*widest, 0)
	return g
}

// lotLen returns how far apart the sums of two lots are.
func (g *winogradGrad) lotLen() int { return windowArea * g.apart }

// BackwardWeights does what [Conv.BackwardWeights] does.
func (c *Winograd) BackwardWeights(t *Team, dw, db, x, dy []float32, add bool) {
	g := c.grad
	if g == nil && c.vectorsGrad == nil {
		c.Conv.BackwardWeights(t, dw, db, x, dy, add)
		return
	}
	c.enterWeights(dw, db, x, dy, add)
	if c.vectorsGrad != nil {
		c.backwardVectors(t)
		c.call = convCall{}
		return
	}
	c.space.open(t)
	t.run(c.batch.padded()/vector*c.cfg.In.Height, (*transposeCall)(c.Conv))
	parts := ceilDiv(c.cfg.Out, g.part)
	t.run(parts*g.lots*windowSide, (*winogradSums)(c))
	t.run(c.cfg.Out, (*winogradFold)(c))
	c.sumBias(t)
	c.call = convCall{}
}

// winogradSums' task is a row of places for a lot and some output channels.
type winogradSums Winograd

func (w *winogradSums) task(i int) {
	c, g := (*Winograd)(w), w.grad
	line, i := i%windowSide, i/windowSide
	lot, first := i%g.lots, i/g.lots*g.part
	channels := min(g.part, c.cfg.Out-first)
	height := c.out.Height / squareSide
	rows := c.batch.Blocks * height
	memory := c.space.acquire()
	size := windowSide * c.apart(channels)
	p, v := memory.split(size, len(memory.memory)-size)
	for row := lot * rows / g.lots; row < (lot+1)*rows/g.lots; row++ {
		for col := 0; col < c.out.Width; col += squareSide {
			r := region{block: row / height, channel: first, rows: channels,
				top: row % height * squareSide}
			c.spreadSquare(p, r, line, col)
			fresh := row == lot*rows/g.lots && col == 0
			for k := range c.outer.groups {
				c.addProducts(g.sums[lot*g.lotLen():], p, v, r, line, col, k, fresh)
			}
		}
	}
	c.space.release(memory)
}

// spreadRows holds, for each row of A, the row of a square that it begins with and the sign of the
// other row; 0 means that the other row is left out.
var spreadRows = [windowSide]struct{ first, with int }{{0, 0}, {0, 1}, {0, -1}, {1, 0}}

// spreadSquare sets p to a row of places of the transformed gradient of the square of region r at
// col.
func (c *Winograd) spreadSquare(p []float32, r region, line, col int) {
	lanes := c.batch.Lanes
	row := spreadRows[line]
	tile := spreadTile{p: p, with: row.with, n: r.rows * lanes, apart: c.apart(r.rows)}
	for j := range squareSide {
		at := func(i int) []float32 {
			position := (r.block*c.out.Height+r.top+i)*c.out.Width + col + j
			return c.call.dy[(position*c.out.Channels+r.channel)*lanes:][:tile.n]
		}
		tile.a[j], tile.b[j] = at(row.first), at(1)
	}
	tile.run(c.isa)
}

// addProducts adds to sums the products of p and a row of places of the window around the square of
// region r at col, for group k of the input channels. If fresh, it sets sums instead. v is memory
// for that row of places.
func (c *Winograd) addProducts(sums, p, v []float32, r region, line, col, k int, fresh bool) {
	group, lanes := &c.outer.groups[k], c.batch.Lanes
	n := lanes * group.width
	x := c.outer.x[group.start+r.block*c.cfg.In.Height*c.cfg.In.Width*n:]
	window := windowAt(c.cfg.In, x, c.space.zeros, n, line, r.top-c.cfg.Pad, col-c.cfg.Pad)
	window.v, window.apart = v, n+vector
	window.run(c.isa)
	tile := convTile{x: v, w: p, taps: c.grad.taps[k], wRow: lanes, outer: 1,
		lanes: group.width, width: group.width, add: bit(!fresh)}
	for j := range windowSide {
		tile.xBase = j * window.apart
		place := sums[(line*windowSide+j)*c.grad.apart:]
		for channel := 0; channel < r.rows; channel += tileRows {
			tile.rows = min(tileRows, r.rows-channel)
			tile.wBase = j*c.apart(r.rows) + channel*lanes
			at := c.grad.offset(group, c.cfg.Out, r.channel+channel)
			tile.y = place[at:][:tile.rows*group.width]
			tile.run(c.isa)
		}
	}
}

// offset returns where the sums of an output channel and a group begin in a place.
func (g *winogradGrad) offset(group *outerGroup, outs, out int) int {
	return group.first*outs + out*group.width
}

// winogradFold's task makes the gradient of the kernels of an output channel.
type winogradFold Winograd

func (w *winogradFold) task(out int) {
	c, g := (*Winograd)(w), w.grad
	memory := c.space.acquire()
	for k := range c.outer.groups {
		group := &c.outer.groups[k]
		tile := foldTile{
			g: memory.first(kernelArea * group.width), u: g.sums[g.offset(group, c.cfg.Out, out):],
			n: group.width, apart: g.apart, lots: g.lots, lot: g.lotLen(),
		}
		tile.run(c.isa)
		cols := min(group.width, c.cfg.In.Channels-group.first)
		dw := c.call.dw[(out*c.cfg.In.Channels+group.first)*kernelArea:]
		c.place(dw, tile.g, kernelArea, cols, group.width)
	}
	c.space.release(memory)
}
