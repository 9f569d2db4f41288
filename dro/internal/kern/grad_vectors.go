package kern

// A gradient of weights by vectors takes the images of a batch 16 at a time, on AVX2. A product
// sums over images, so a task transposes the input as it goes, 16 channels of 16 images at a time,
// and keeps the last rows in the second-level cache. A lot is some rows of the map for some vectors
// of images. It has sums of its own, which are added up at the end. The number of lots follows from
// the geometry, and so does the order of sums.

// vectorLots says how a batch is cut into lots.
type vectorLots struct {
	vectors int // of images
	perLot  int // vectors of a lot
	parts   int // lots that share their vectors: each has some rows
	rows    int // of the map, or of squares
	groups  int // of 16 input channels
}

const (
	gradLots   = 8 // least lots of a batch, if rows and images can be cut so
	vectorArea = vector * vector
)

func newVectorLots(c *Conv, rows int) vectorLots {
	vectors := c.batch.padded() / vector
	return vectorLots{vectors: vectors, perLot: ceilDiv(vectors, gradLots),
		parts: min(max(gradLots/vectors, 1), rows), rows: rows,
		groups: ceilDiv(c.cfg.In.Channels, vector)}
}

// count returns the number of lots.
func (l *vectorLots) count() int { return ceilDiv(l.vectors, l.perLot) * l.parts }

// lot returns the vectors [from, to) of lot i and its rows [top, bottom).
func (l *vectorLots) lot(i int) (from, to, top, bottom int) {
	from, part := i/l.parts*l.perLot, i%l.parts
	return from, min(from+l.perLot, l.vectors), part * l.rows / l.parts,
		(part + 1) * l.rows / l.parts
}

// vectorInput holds the last rows of the input, transposed, for a vector of images of a block.
type vectorInput struct {
	*Conv
	block, lane int
	next        int       // the row after the last one
	held        []float32 // [row][column][group of channels][image][channel of the group]
	rowLen      int
}

// heldLen returns the number of values in so many rows of a vectorInput.
func (l *vectorLots) heldLen(c *Conv, rows int) int {
	return rows * c.cfg.In.Width * l.groups * vectorArea
}

// begin begins with a row of the input for vector k of the batch's images.
func (v *vectorInput) begin(k, row int) {
	v.block, v.lane = k*vector/v.batch.Lanes, k*vector%v.batch.Lanes
	v.next = max(row, 0)
}

// advance transposes the rows before end that are not held yet.
func (v *vectorInput) advance(end int) {
	in := v.cfg.In
	for ; v.next < min(end, in.Height); v.next++ {
		to := v.row(v.next)
		for col := range in.Width {
			from := v.source(v.next, col)
			for first := 0; first < in.Channels; first += vector {
				transpose(v.isa, to, from[first*v.batch.Lanes:], min(vector, in.Channels-first),
					vector, vector, v.batch.Lanes)
				to = to[vectorArea:]
			}
		}
	}
}

// row returns where a row of the input is held.
func (v *vectorInput) row(row int) []float32 {
	return v.held[row%(len(v.held)/v.rowLen)*v.rowLen:][:v.rowLen]
}

// source returns the input from a position of the vector's images on.
func (v *vectorInput) source(row, col int) []float32 {
	in, lanes := v.cfg.In, v.batch.Lanes
	return v.call.x[((v.block*in.Height+row)*in.Width+col)*in.Channels*lanes+v.lane:]
}

// ask makes the tile prefetch a position y of the output's gradient and some positions of the next
// rows of the input: rows of the given side from column col on, from number first to number end.
func (v *vectorInput) ask(tile *vectorProductTile, y []float32, side, col, first, end int) {
	in := v.cfg.In
	tile.askSteps, tile.askStride = ceilDiv(max(in.Channels, v.cfg.Out), 2), v.batch.Lanes
	for k := range tile.askAt {
		tile.askAt[k] = address(y)
	}
	for k := first; k < min(end, first+vectorStreams-1); k++ {
		if row, col := v.next+k/side, col+k%side; row < in.Height && col < in.Width {
			tile.askAt[1+k-first] = address(v.source(row, col))
		}
	}
}

// output returns the output's gradient from a position of the vector's images on.
func (v *vectorInput) output(row, col int) []float32 {
	position := (v.block*v.out.Height+row)*v.out.Width + col
	return v.call.dy[position*v.out.Channels*v.batch.Lanes+v.lane:]
}

// tapVectors is the gradient by vectors of a convolution that is no [Winograd]: a product for each
// position of the output and each tap of the kernel.
type tapVectors struct {
	vectorLots
	space   *Scratch
	sums    []float32 // [lot][group of input channels][tap][out][channel of the group]
	heights []int
}

// GradVectors reports whether [Conv.SumByVectors] gains: if the input's channels fill vectors and
// the sums stay in the second-level cache.
func GradVectors(isa ISA, cfg ConvConfig) bool {
	area := cfg.KernelHeight * cfg.KernelWidth
	return isa == AVX2 && area > 1 && area <= windowArea && cfg.In.Channels%vector == 0 &&
		4*area*cfg.In.Channels*cfg.Out <= maxTaskWeightBytes
}

// SumByVectors makes c sum the gradient of its weights by vectors, if [GradVectors] holds. The
// operations of a network share a space.
func (c *Conv) SumByVectors(space *Scratch) {
	if !GradVectors(c.isa, c.cfg) {
		return
	}
	g := &tapVectors{vectorLots: newVectorLots(c, c.out.Height), space: space,
		heights: tileHeights(c.cfg.Out)}
	g.sums = Alloc(g.count() * g.lotLen(c))
	c.dot, c.outer, c.vectors = nil, nil, g
	space.grow(g.heldLen(c, c.cfg.KernelHeight), 0)
	space.grow(c.area()*vector, 0)
}

// lotLen returns the number of values in the sums of a lot.
func (g *tapVectors) lotLen(c *Conv) int { return g.groups * c.area() * vectorApart(c.cfg.Out) }

// gradient computes the gradient of the weights, and of the bias if the call wants it.
func (g *tapVectors) gradient(t *Team, c *Conv) {
	g.space.open(t)
	t.run(g.count(), (*tapVectorsCall)(c))
	t.run(c.cfg.Out, (*tapVectorsTotal)(c))
	c.sumBias(t)
}

// tapVectorsCall's task computes the sums of a lot.
type tapVectorsCall Conv

func (a *tapVectorsCall) task(i int) {
	c, g := (*Conv)(a), a.vectors
	memory := g.space.acquire()
	sums := g.sums[i*g.lotLen(c):][:g.lotLen(c)]
	clear(sums)
	in := vectorInput{Conv: c, held: memory.first(g.heldLen(c, c.cfg.KernelHeight)),
		rowLen: g.heldLen(c, 1)}
	tile := vectorProductTile{heights: g.heights, channels: vector, row: c.batch.Lanes, step: 1,
		add: 1}
	from, to, top, bottom := g.lot(i)
	for k := from; k < to; k++ {
		in.begin(k, top*c.cfg.Stride-c.cfg.Pad)
		for row := top; row < bottom; row++ {
			in.advance(row*c.cfg.Stride - c.cfg.Pad + c.cfg.KernelHeight)
			for col := range c.out.Width {
				g.add(&tile, &in, sums, row, col)
			}
		}
	}
	g.space.release(memory)
}

// add adds the products of a position of the output to the sums.
func (g *tapVectors) add(tile *vectorProductTile, in *vectorInput, sums []float32, row, col int) {
	cfg, apart := &in.cfg, vectorApart(in.cfg.Out)
	tile.w, tile.count = in.output(row, col), 0
	for k := range in.area() {
		i := row*cfg.Stride - cfg.Pad + k/cfg.KernelWidth
		j := col*cfg.Stride - cfg.Pad + k%cfg.KernelWidth
		if i < 0 || i >= cfg.In.Height || j < 0 || j >= cfg.In.Width {
			continue
		}
		held := i % cfg.KernelHeight * in.rowLen
		tile.places[tile.count] = vectorPlace{m: k * apart, v: held + j*g.groups*vectorArea}
		tile.count++
	}
	stride := cfg.Stride
	in.ask(tile, in.output(row, min(col+1, in.out.Width-1)), stride, col*stride, 0, stride*stride)
	for group := range g.groups {
		tile.m, tile.v = sums[group*in.area()*apart:], in.held[group*vectorArea:]
		tile.run(in.isa)
	}
}

// tapVectorsTotal's task adds up the lots of an output channel and puts the sums in their places
// in dw.
type tapVectorsTotal Conv

func (a *tapVectorsTotal) task(out int) {
	c, g := (*Conv)(a), a.vectors
	memory := g.space.acquire()
	total, area := memory.first(c.area()*vector), c.area()
	for group := range g.groups {
		for k := range area {
			sum := total[k*vector:][:vector]
			at := (group*area+k)*vectorApart(c.cfg.Out) + out*vector
			copy(sum, g.sums[at:])
			for lot := 1; lot < g.count(); lot++ {
				add(c.isa, sum, sum, g.sums[lot*g.lotLen(c)+at:][:vector])
			}
		}
		dw := c.call.dw[(out*c.cfg.In.Channels+group*vector)*area:]
		c.place(dw, total, area, vector, vector)
	}
	g.space.release(memory)
}
