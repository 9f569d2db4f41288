package kern

// vectorsGrad is the gradient by vectors of a [Winograd] that takes its lanes one vector after the
// other. A row of its lots is a row of squares.
type vectorsGrad struct {
	vectorLots
	sums    []float32 // [lot][group of input channels][4×4 places][out][channel of the group]
	heights []int
}

func newVectorsGrad(c *Winograd) *vectorsGrad {
	g := &vectorsGrad{vectorLots: newVectorLots(c.Conv, c.out.Height/squareSide),
		heights: tileHeights(c.cfg.Out)}
	g.sums = Alloc(g.count() * g.lotLen(c))
	v, p := g.memory(c)
	c.space.grow(v+p+g.heldLen(c.Conv, windowSide), g.groups*vectorArea)
	c.space.grow(kernelArea*vector, 0)
	return g
}

// lotLen returns the number of values in the sums of a lot.
func (g *vectorsGrad) lotLen(c *Winograd) int {
	return g.groups * windowArea * vectorApart(c.cfg.Out)
}

// memory returns how much memory a task needs for rows of places of the windows and of the squares.
func (g *vectorsGrad) memory(c *Winograd) (v, p int) {
	return windowSide * vectorApart(vector), windowSide * vectorApart(c.cfg.Out)
}

// backwardVectors computes the gradient of the weights.
func (c *Winograd) backwardVectors(t *Team) {
	c.space.open(t)
	t.run(c.vectorsGrad.count(), (*vectorsGradCall)(c))
	t.run(c.cfg.Out, (*vectorsFold)(c))
	c.sumBias(t)
}

// vectorsLot is the input, the sums and the tiles of a running lot.
type vectorsLot struct {
	*Winograd
	in   vectorInput
	sums []float32

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
	from, to, top, bottom := g.lot(i)
	for k := from; k < to; k++ {
		l.in.begin(k, top*squareSide-c.cfg.Pad)
		for row := top * squareSide; row < bottom*squareSide; row += squareSide {
			l.in.advance(row - c.cfg.Pad + windowSide)
			for col := 0; col < c.out.Width; col += squareSide {
				l.place(row, col)
				l.add(col)
			}
		}
	}
	c.space.release(memory)
}

// newLot returns lot i with the geometry of its tiles.
func (c *Winograd) newLot(i int, memory *piece) (l vectorsLot) {
	g, out, lanes := c.vectorsGrad, c.cfg.Out, c.batch.Lanes
	nv, np := g.memory(c)
	v, p := memory.split(nv, np)
	l = vectorsLot{Winograd: c, sums: g.sums[i*g.lotLen(c):][:g.lotLen(c)]}
	l.in = vectorInput{Conv: c.Conv, rowLen: g.heldLen(c.Conv, 1),
		held: memory.memory[nv+np:][:g.heldLen(c.Conv, windowSide)]}
	l.window = vectorWindowTile{v: v, channels: vector, lanes: vector, apart: vectorApart(vector)}
	l.spread = vectorSpreadTile{p: p, channels: out, lanes: lanes, apart: vectorApart(out)}
	l.product = vectorProductTile{v: v, w: p, heights: g.heights, channels: vector, row: vector,
		step: 1, count: windowSide, add: 1}
	for j := range windowSide {
		l.product.places[j] = vectorPlace{
			m: j * vectorApart(out), v: j * vectorApart(vector), w: j * vectorApart(out)}
	}
	return l
}

// place gives the tiles the square at (row, col) and the window around it.
func (l *vectorsLot) place(row, col int) {
	in, n := l.cfg.In, l.vectorsGrad.groups*vectorArea
	for k := range l.window.x {
		row, col := row-l.cfg.Pad+k/windowSide, col-l.cfg.Pad+k%windowSide
		l.window.x[k] = l.space.zeros[:n]
		if row >= 0 && row < in.Height && col >= 0 && col < in.Width {
			l.window.x[k] = l.in.row(row)[col*n:][:n]
		}
	}
	for k := range l.spread.y {
		l.spread.y[k] = l.in.output(row+k/squareSide, col+k%squareSide)
	}
}

// add adds the products of the square at col and of its window to the lot's sums.
func (l *vectorsLot) add(col int) {
	apart := vectorApart(l.cfg.Out)
	for line := range windowSide {
		l.spread.line, l.window.line = line, line
		next := min(squareSide*l.cfg.Out*l.batch.Lanes, len(l.spread.y[line])-1)
		l.in.ask(&l.product, l.spread.y[line][next:], squareSide, col, line, line+1)
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
			n: vector, apart: apart, lots: g.count(), lot: g.lotLen(c),
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
