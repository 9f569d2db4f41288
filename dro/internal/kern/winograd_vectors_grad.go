package kern

// vectorsGrad is the plan of the gradient of the weights where a [Winograd] takes its lanes one
// vector after the other. A product sums over images, so a task transposes the input as it goes, 16
// channels of 16 images at a time, and keeps the last rows. A lot is some rows of squares for some
// vectors of lanes. It has sums of its own, which are added up at the end. The number of lots
// follows from the geometry, and so does the order of sums.
type vectorsGrad struct {
	perLot int       // vectors of lanes of a lot
	parts  int       // lots that share their vectors: each has some rows of squares
	groups int       // of 16 input channels
	sums   []float32 // [lot][group of input channels][4×4 places][out][16 channels of the group]

	heights []int
}

const (
	// gradSquares is the number of neighbouring squares that a product sums over at once.
	gradSquares = 4
	gradLots    = 8 // least lots of a batch, if rows and lanes can be cut so
	vectorArea  = vector * vector
)

func newVectorsGrad(c *Winograd) *vectorsGrad {
	in, out := c.cfg.In, c.cfg.Out
	vectors := c.batch.padded() / vector
	g := &vectorsGrad{perLot: ceilDiv(vectors, gradLots), groups: ceilDiv(in.Channels, vector),
		heights: tileHeights(out)}
	g.parts = min(max(gradLots/vectors, 1), c.out.Height/squareSide)
	g.sums = Alloc(ceilDiv(vectors, g.perLot) * g.parts * g.lotLen(c))
	v, p, rows := g.memory(c)
	c.space.grow(v+p+rows, g.groups*vectorArea)
	c.space.grow(kernelArea*vector, 0)
	return g
}

// lotLen returns the number of values in the sums of a lot.
func (g *vectorsGrad) lotLen(c *Winograd) int {
	return g.groups * windowArea * vectorApart(c.cfg.Out)
}

// memory returns how much memory a task needs for rows of places of the windows and of the
// squares, and for the transposed rows of the input.
func (g *vectorsGrad) memory(c *Winograd) (v, p, rows int) {
	in := c.cfg.In
	return windowSide * vectorApart(vector), windowSide * vectorApart(c.cfg.Out),
		windowSide * in.Width * g.groups * vectorArea
}

// backwardVectors computes the gradient of the weights.
func (c *Winograd) backwardVectors(t *Team) {
	g := c.vectorsGrad
	c.space.open(t)
	t.run(len(g.sums)/g.lotLen(c), (*vectorsGradCall)(c))
	t.run(c.cfg.Out, (*vectorsFold)(c))
	c.sumBias(t)
}

// vectorsLot is the memory and the tiles of a running lot.
type vectorsLot struct {
	*Winograd
	block, lane int
	sums, held  []float32 // held: the last rows of the input, transposed

	window  vectorWindowTile
	spread  vectorSpreadTile
	product vectorProductTile
}

// vectorsGradCall's task computes the sums of a lot.
type vectorsGradCall Winograd

func (w *vectorsGradCall) task(i int) {
	c, g := (*Winograd)(w), w.vectorsGrad
	memory := c.space.acquire()
	l := c.newLot(i, memory)
	clear(l.sums)
	height := c.out.Height / squareSide
	part, vectors := i%g.parts, c.batch.padded()/vector
	for k := i / g.parts * g.perLot; k < min((i/g.parts+1)*g.perLot, vectors); k++ {
		l.block, l.lane = k*vector/c.batch.Lanes, k*vector%c.batch.Lanes
		l.addRows(part*height/g.parts*squareSide, (part+1)*height/g.parts*squareSide)
	}
	c.space.release(memory)
}

// newLot returns lot i with the geometry of its tiles.
func (c *Winograd) newLot(i int, memory *piece) (l vectorsLot) {
	g, out, lanes := c.vectorsGrad, c.cfg.Out, c.batch.Lanes
	nv, np, rows := g.memory(c)
	v, p := memory.split(nv, np)
	l = vectorsLot{Winograd: c, sums: g.sums[i*g.lotLen(c):][:g.lotLen(c)],
		held: memory.memory[nv+np:][:rows]}
	l.window = vectorWindowTile{v: v, channels: vector, lanes: vector, apart: vectorApart(vector)}
	l.spread = vectorSpreadTile{p: p, channels: out, lanes: lanes, apart: vectorApart(out),
		ahead: squareSide * out * lanes}
	l.product = vectorProductTile{v: v, w: p, heights: g.heights, channels: vector, row: vector,
		step: 1, apartV: vectorApart(vector), add: 1}
	for j := range l.product.places {
		l.product.places[j] = j * vectorApart(out)
	}
	return l
}

// addRows adds the products of the squares in rows [top, bottom) to the lot's sums.
func (l *vectorsLot) addRows(top, bottom int) {
	in := l.cfg.In
	next := max(top-l.cfg.Pad, 0)
	for row := top; row < bottom; row += squareSide {
		for ; next < min(row-l.cfg.Pad+windowSide, in.Height); next++ {
			l.transpose(next)
		}
		for col := 0; col < l.out.Width; col += squareSide {
			l.prefetch(next, min(next+squareSide, in.Height), col)
			l.place(row, col)
			l.add()
		}
	}
}

// heldRow returns where the lot holds a row of the input: [column][group][image][channel].
func (l *vectorsLot) heldRow(row int) []float32 {
	n := len(l.held) / windowSide
	return l.held[row%windowSide*n:][:n]
}

// transpose transposes a row of the input to where the lot holds it.
func (l *vectorsLot) transpose(row int) {
	in, lanes := l.cfg.In, l.batch.Lanes
	to := l.heldRow(row)
	for col := range in.Width {
		from := l.call.x[((l.block*in.Height+row)*in.Width+col)*in.Channels*lanes+l.lane:]
		for first := 0; first < in.Channels; first += vector {
			transpose(l.isa, to, from[first*lanes:], min(vector, in.Channels-first), vector,
				vector, lanes)
			to = to[vectorArea:]
		}
	}
}

// prefetch prefetches the columns of a square at col in the rows [top, bottom) of the input.
func (l *vectorsLot) prefetch(top, bottom, col int) {
	in, lanes := l.cfg.In, l.batch.Lanes
	cols := min(squareSide, in.Width-col)
	for row := top; row < bottom && cols > 0; row++ {
		from := l.call.x[((l.block*in.Height+row)*in.Width+col)*in.Channels*lanes+l.lane:]
		prefetchStrided(from, cols*in.Channels, lanes)
	}
}

// place gives the tiles the square at (row, col) and the window around it.
func (l *vectorsLot) place(row, col int) {
	in, lanes := l.cfg.In, l.batch.Lanes
	n := l.vectorsGrad.groups * vectorArea
	for k := range l.window.x {
		row, col := row-l.cfg.Pad+k/windowSide, col-l.cfg.Pad+k%windowSide
		l.window.x[k] = l.space.zeros[:n]
		if row >= 0 && row < in.Height && col >= 0 && col < in.Width {
			l.window.x[k] = l.heldRow(row)[col*n:][:n]
		}
	}
	for k := range l.spread.y {
		position := (l.block*l.out.Height+row+k/squareSide)*l.out.Width + col + k%squareSide
		l.spread.y[k] = l.call.dy[position*l.out.Channels*lanes+l.lane:]
	}
}

// add adds the products of the square and its window to the lot's sums.
func (l *vectorsLot) add() {
	apart := vectorApart(l.cfg.Out)
	for line := range windowSide {
		l.spread.line, l.window.line = line, line
		l.spread.run(l.isa)
		for group := range l.vectorsGrad.groups {
			l.window.lane = group * vectorArea
			l.window.run(l.isa)
			l.product.m = l.sums[(group*windowArea+line*windowSide)*apart:]
			l.product.run(l.isa)
		}
	}
}

// vectorsFold's task makes the gradient of the kernels of an output channel.
type vectorsFold Winograd

func (w *vectorsFold) task(out int) {
	c, g := (*Winograd)(w), w.vectorsGrad
	memory := c.space.acquire()
	apart := vectorApart(c.cfg.Out)
	for k := range g.groups {
		tile := foldTile{
			g: memory.first(kernelArea * vector), u: g.sums[k*windowArea*apart+out*vector:],
			n: vector, apart: apart, lots: len(g.sums) / g.lotLen(c), lot: g.lotLen(c),
		}
		tile.run(c.isa)
		cols := min(vector, c.cfg.In.Channels-k*vector)
		dw := c.call.dw[(out*c.cfg.In.Channels+k*vector)*kernelArea:]
		c.place(dw, tile.g, kernelArea, cols, vector)
	}
	c.space.release(memory)
}

// generic transforms a row of the squares.
func (t *vectorSpreadTile) generic() {
	for c := range t.channels {
		at := t.lane + c*t.lanes
		row := spreadRows[t.line]
		s := spreadTile{p: t.p[c*vector:], with: row.with, n: vector, apart: t.apart}
		for j := range squareSide {
			s.a[j] = t.y[row.first*squareSide+j][at:]
			s.b[j] = t.y[squareSide+j][at:]
		}
		s.generic()
	}
}
