package kern

// The weight gradient is a matrix product for each kernel tap, (output channels × images) · (images
// × input channels), and there are two ways to vectorise it. Along images: the operands lie well,
// but every sum must be folded over lanes (grad.go). Along input channels: no folding, but the
// input must be transposed first (grad.go). The second is faster wherever there are channels
// to fill vectors. A kernel three columns wide on a large map has a form of the second that serves
// three taps at once (grad.go).

// BackwardWeights computes dw and db (or nil), the gradients of the weights and the bias, summed
// over the batch, from the input x and the output's gradient dy. With add it adds to the values in
// dw and db: this gives the gradient of several batches without more memory, but is slower.
func (c *Conv) BackwardWeights(t *Team, dw, db, x, dy []float32, add bool) {
	c.enterWeights(dw, db, x, dy, add)
	// The input channels come in groups: a task is one row tile of output channels and some groups,
	// or a thread's share of tiles.
	tiles := c.rowTiles()
	if c.taps != nil {
		c.taps.gradient(t, x, dy)
	} else if c.outer != nil {
		t.run(c.batch.padded()/vector*c.cfg.In.Height, (*transposeCall)(c))
		if items := tiles * len(c.outer.groups); c.outer.sums == nil {
			t.run(c.cut(tiles, len(c.outer.groups), 1), (*outerCall)(c))
		} else {
			c.call.chunk = min((items+t.Size()-1)/t.Size(), sweepTiles)
			t.run(pieces(items, c.call.chunk), (*outerSweep)(c))
		}
	} else {
		taps := c.dotTaps()
		c.call.chunk = (taps + t.Size() - 1) / t.Size()
		t.run(pieces(taps, c.call.chunk), (*dotCall)(c))
	}
	c.call = convCall{}
}

// enterWeights checks the operands and begins the call.
func (c *Conv) enterWeights(dw, db, x, dy []float32, add bool) {
	if len(dw) != c.weightLen() || len(x) != c.batch.Len(c.cfg.In) ||
		len(dy) != c.batch.Len(c.out) || db != nil && len(db) != c.cfg.Out {
		panic("kern: Conv.BackwardWeights: slice has the wrong length")
	}
	c.call = convCall{dw: dw, db: db, x: x, dy: dy, add: add}
}

// rowTiles returns the number of tiles that the output channels fill.
func (c *Conv) rowTiles() int { return pieces(c.cfg.Out, tileRows) }

// place transposes sums, [rows][cols] with rows stride values apart, to their places in dw,
// [cols][rows] with columns an area of the kernel apart.
func (c *Conv) place(dw, sums []float32, rows, cols, stride int) {
	area := c.area()
	switch {
	case area == 1:
		store(dw[:cols], sums, c.call.add)
	case c.call.add:
		for i := range rows {
			for j, v := range sums[i*stride:][:cols] {
				dw[j*area+i] += v
			}
		}
	default:
		transpose(c.isa, dw, sums, rows, cols, area, stride)
	}
}

// biasGrad computes the gradient of the bias of rows output channels from out on, if it is wanted.
func (c *Conv) biasGrad(out, rows int) {
	if d := &c.call; d.db != nil {
		c.batch.biasGrad(c.isa, d.db[out:][:rows], d.dy, c.out, out, d.add)
	}
}

// sumBias computes the gradient of the bias, if it is wanted, in tasks of its own.
func (c *Conv) sumBias(t *Team) {
	if c.call.db != nil {
		t.run(c.rowTiles(), (*biasCall)(c))
	}
}

// biasCall's task is the bias gradient of some channels.
type biasCall Conv

func (b *biasCall) task(i int) {
	c := (*Conv)(b)
	c.biasGrad(i*tileRows, min(tileRows, c.cfg.Out-i*tileRows))
}

// joined calls visit for each output position in rows [top, bottom) and columns [left, right) that
// tap k of the kernel joins to a position of the input, with the indices of both.
func (c *Conv) joined(k, top, bottom, left, right int, visit func(out, in int)) {
	kh, kw := k/c.cfg.KernelWidth, k%c.cfg.KernelWidth
	for row := top; row < bottom; row++ {
		for col := left; col < right; col++ {
			i, j := row*c.cfg.Stride-c.cfg.Pad+kh, col*c.cfg.Stride-c.cfg.Pad+kw
			if i >= 0 && i < c.cfg.In.Height && j >= 0 && j < c.cfg.In.Width {
				visit(row*c.out.Width+col, i*c.cfg.In.Width+j)
			}
		}
	}
}

// planGrad chooses the plan of the weight gradient. Where GradTaps is false, it takes outer
// products if the input channels fill more than one vector and waste at most a third of the lanes.
// With more than one vector there are enough sums to hide the latency of an addition.
func (c *Conv) planGrad() {
	in := c.cfg.In.Channels
	if GradTaps(c.isa, c.cfg) {
		c.taps = newTapsPlan(c, false)
	} else if columns := wholeVectors(in); columns > vector && 2*columns <= 3*in {
		c.outer = newOuterPlan(c)
	} else {
		c.dot = newDotPlan(c)
	}
}

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
	d := &dotPlan{blocks: 1, columns: pieces(c.cfg.In.Channels, gradCols)}
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
		c.joined(k, top, bottom, left, right, func(out, in int) {
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

// outerPlan is the gradient as outer products. If the input is transposed to
// [group][block][position][image][channel], the convolution kernel computes a weight's gradient.
// Input channels are then its lanes, output channels its rows, and the sum is over images. A pass
// is a part of the batch whose transposed input stays in the second-level cache while all rows and
// taps visit it: some blocks, or some output rows of one block.
type outerPlan struct {
	groups []outerGroup
	x      []float32 // the transposed input
	blocks int       // blocks per pass
	sums   []float32 // for a map of several parts: by group, row tile and tap
}

// outerGroup is up to 64 input channels.
type outerGroup struct {
	first, width int // width is a multiple of 16, and may reach beyond the last channel
	start        int // in outerPlan.x
	// parts holds the taps by part of the output map and then by kernel tap, for the blocks of a
	// pass.
	parts [][][]tap
}

// outerCacheBytes is the number of bytes of the second-level cache that a pass may fill.
const outerCacheBytes = 256 << 10

func newOuterPlan(c *Conv) *outerPlan {
	in := c.cfg.In
	block := c.batch.Lanes * in.Height * in.Width
	bytes := 4 * block * min(in.Channels, maxLanes)
	parts := min(pieces(bytes, outerCacheBytes), c.out.Height)
	p := &outerPlan{blocks: min(max(outerCacheBytes/bytes, 1), c.batch.Blocks)}
	start := 0
	for first := 0; first < in.Channels; first += maxLanes {
		width := min(wholeVectors(in.Channels-first), maxLanes)
		g := outerGroup{first: first, width: width, start: start}
		for part := range parts {
			top, bottom := part*c.out.Height/parts, (part+1)*c.out.Height/parts
			g.parts = append(g.parts, c.outerPart(p.blocks, top, bottom, width))
		}
		p.groups = append(p.groups, g)
		start += c.batch.Blocks * block * width
	}
	p.x = Alloc(start)
	if parts > 1 {
		p.sums = Alloc(len(p.groups) * c.rowTiles() * c.area() * tileRows * maxLanes)
	}
	return p
}

// outerPart lists, by kernel tap, the positions in output rows [top, bottom) that the tap joins, in
// each block of a pass, for a group of width channels. At each position it lists 16 images, a line
// of dy and a run of x, which suits the caches better than one image at all positions.
func (c *Conv) outerPart(blocks, top, bottom, width int) [][]tap {
	var byTap [][]tap
	in, lanes := c.cfg.In.Height*c.cfg.In.Width, c.batch.Lanes
	for k := range c.area() {
		taps := []tap{}
		for block := range blocks {
			c.joined(k, top, bottom, 0, c.out.Width, func(o, i int) {
				x, dy := (block*in+i)*lanes*width, block*lanes*c.out.Len()+o*c.out.Channels*lanes
				for image := range vector {
					taps = append(taps, tap{int32(x + image*width), int32(dy + image)})
				}
			})
		}
		byTap = append(byTap, taps)
	}
	return byTap
}

// transposeCall's task is one row of the input for 16 images.
type transposeCall Conv

func (t *transposeCall) task(i int) {
	c := (*Conv)(t)
	in, lanes := c.cfg.In, c.batch.Lanes
	row, lane := i%in.Height, i/in.Height*vector
	block, lane := lane/lanes, lane%lanes
	if !c.sees(row, c.cfg.KernelHeight) {
		return
	}
	for col := range in.Width {
		if !c.sees(col, c.cfg.KernelWidth) {
			continue
		}
		position := (block*in.Height+row)*in.Width + col
		from := c.call.x[position*in.Channels*lanes+lane:]
		for g := range c.outer.groups {
			group := &c.outer.groups[g]
			to := c.outer.x[group.start+(position*lanes+lane)*group.width:]
			rows := min(group.width, in.Channels-group.first)
			transpose(c.isa, to, from[group.first*lanes:], rows, vector, group.width, lanes)
		}
	}
}

// sees reports whether any output sees row or column i of the input. A 1×1 kernel with stride 2
// sees every other one.
func (c *Conv) sees(i, kernel int) bool { return (i+c.cfg.Pad)%c.cfg.Stride < kernel }

// outerSide is the number of kernel taps whose tiles are put in place at once: the side of a square
// of the transposition.
const outerSide = 16

// outerCall's task is one row tile of output channels against some groups of input channels.
type outerCall Conv

func (o *outerCall) task(i int) {
	c := (*Conv)(o)
	out, first := i/c.call.chunks*tileRows, i%c.call.chunks*c.call.chunk
	if first == 0 {
		c.biasGrad(out, min(tileRows, c.cfg.Out-out))
	}
	for k := first; k < min(first+c.call.chunk, len(c.outer.groups)); k++ {
		c.outerGrad(out, &c.outer.groups[k])
	}
}

// outerGrad computes the gradient of the weights between a tile of output channels from out on and
// the group's input channels.
func (c *Conv) outerGrad(out int, group *outerGroup) {
	if c.area() == 1 {
		var tile [tileRows * maxLanes]float32
		c.outerSquare(tile[:], out, group, 0, 1)
		return
	}
	var tiles [outerSide * tileRows * maxLanes]float32
	for first := 0; first < c.area(); first += outerSide {
		c.outerSquare(tiles[:], out, group, first, min(outerSide, c.area()-first))
	}
}

// outerSquare does so for count kernel taps from first on, in the memory of tiles.
func (c *Conv) outerSquare(tiles []float32, out int, group *outerGroup, first, count int) {
	for block := 0; block < c.batch.Blocks; block += c.outer.blocks {
		c.outerTaps(tiles, out, group, block, group.parts[0][first:][:count], block > 0)
	}
	c.placeTiles(tiles, out, group, first, count)
}

// outerTaps computes the gradient for some kernel taps, as [tap][row][lane of the group], from the
// blocks of a pass from block on. With add it adds to y.
func (c *Conv) outerTaps(
	y []float32, out int, group *outerGroup, block int, byTap [][]tap, add bool,
) {
	lanes := c.batch.Lanes
	tile := convTile{
		w: c.call.dy, wRow: lanes, wStep: vector, prefetch: vector,
		outer: lanes / vector, xStep: vector * group.width, rows: min(tileRows, c.cfg.Out-out),
		lanes: group.width, wBase: block*lanes*c.out.Len() + out*lanes, add: bit(add),
	}
	tile.x = c.outer.x[group.start+block*lanes*c.cfg.In.Height*c.cfg.In.Width*group.width:]
	size, held := tile.rows*group.width, min(c.outer.blocks, c.batch.Blocks-block)
	for k, taps := range byTap {
		tile.y, tile.taps = y[k*size:][:size], taps[:len(taps)/c.outer.blocks*held]
		tile.run(c.isa)
	}
}

// placeTiles puts the gradient for count kernel taps from first on in its place in dw.
func (c *Conv) placeTiles(tiles []float32, out int, group *outerGroup, first, count int) {
	rows, cols := min(tileRows, c.cfg.Out-out), min(group.width, c.cfg.In.Channels-group.first)
	for r := range rows {
		to := c.call.dw[((out+r)*c.cfg.In.Channels+group.first)*c.area()+first:]
		c.place(to, tiles[r*group.width:], count, cols, rows*group.width)
	}
}

// sweepTiles is the largest number of tiles in a task of outerSweep. For 3×3 kernels their sums
// fill 150 KiB, beside the part that they visit.
const sweepTiles = 11

// outerSweep's task, for a map of several parts, is some row tiles of output channels, group after
// group. All of them visit a part before any visits the next, so that a part comes from memory once
// per task, not once per tile.
type outerSweep Conv

func (o *outerSweep) task(i int) {
	c := (*Conv)(o)
	rows := c.rowTiles()
	first, end := i*c.call.chunk, min((i+1)*c.call.chunk, rows*len(c.outer.groups))
	for block := range c.batch.Blocks {
		for part := range c.outer.groups[0].parts {
			for k := first; k < end; k++ {
				out, group := k%rows*tileRows, &c.outer.groups[k/rows]
				c.outerTaps(c.sweepSums(k), out, group, block, group.parts[part],
					block > 0 || part > 0)
			}
		}
	}
	for k := first; k < end; k++ {
		out, group := k%rows*tileRows, &c.outer.groups[k/rows]
		if k < rows {
			c.biasGrad(out, min(tileRows, c.cfg.Out-out))
		}
		c.placeTiles(c.sweepSums(k), out, group, 0, c.area())
	}
}

// sweepSums returns the memory for the sums of tile k.
func (c *Conv) sweepSums(k int) []float32 {
	n := c.area() * tileRows * maxLanes
	return c.outer.sums[k*n:][:n]
}

// tapsPlan is the weight gradient of a kernel three columns wide on a large map, on AVX-512. The
// three taps of a kernel row see neighbouring columns of the input, so one read of the output's
// gradient serves all three. A lot is some output rows of a block. It transposes the rows of the
// input as it goes, into memory that stays in the second-level cache, and has sums of its own; the
// sums of the lots are added up in order. Columns beyond the input are zeros that are multiplied,
// so an infinite gradient there makes NaNs.
//
// A step of the sum is an image or, for roundings, a pair of images.
type tapsPlan struct {
	*Conv
	pairs  bool
	lanes  int // of a channel, in steps
	parts  int // lots per block
	cols   int // columns of the input, with the zeros beyond it
	groups int // groups of steps, vector steps each

	x, sums []float32    // by lot
	operand [2][]float32 // of the running call: the input and the output's gradient
}

const (
	tapsCols = 3  // kernel taps of a tile
	tapsRows = 8  // output channels of a tile
	tapsLots = 8  // lots of all blocks, if a block can be cut so
	tapsMap  = 16 // least rows and columns of the input: smaller maps stay in the caches
	tapsMost = 64 // most channels of the input: the sums of the lots fill memory

	tapsAsk = 3 // lines of memory that a tile prefetches per group and operand

	tapsSums = tapsRows * tapsCols * vector // sums of a tile
)

// GradTaps reports whether the weight gradient of cfg is computed for three neighbouring taps at
// once, by a tapsPlan.
func GradTaps(isa ISA, cfg ConvConfig) bool {
	in := cfg.In
	return isa == AVX512 && cfg.KernelWidth == tapsCols && min(in.Height, in.Width) >= tapsMap &&
		in.Channels%vector == 0 && in.Channels <= tapsMost && cfg.Out%vector == 0 &&
		cfg.Out <= 2*tapsMost
}

func newTapsPlan(c *Conv, pairs bool) *tapsPlan {
	p := &tapsPlan{
		Conv: c, pairs: pairs, parts: min(max(tapsLots/c.batch.Blocks, 1), c.out.Height),
		cols: (c.out.Width-1)*c.cfg.Stride + tapsCols, lanes: c.batch.Lanes,
	}
	if pairs {
		p.lanes /= 2
	}
	p.groups = p.lanes / vector
	lots := c.batch.Blocks * p.parts
	p.x = Alloc(lots * c.cfg.KernelHeight * p.rowLen())
	p.sums = Alloc(lots * c.weightLen())
	return p
}

// colLen returns the number of values in a column of the transposed input, for one vector of
// channels.
func (p *tapsPlan) colLen() int { return p.groups * vector * vector }

// rowLen returns the number of values in a row of the transposed input, for all channels.
func (p *tapsPlan) rowLen() int { return p.cfg.In.Channels / vector * p.cols * p.colLen() }

// gradient computes the gradient of the weights, and of the bias if the call wants it.
func (p *tapsPlan) gradient(team *Team, x, dy []float32) {
	p.operand = [2][]float32{x, dy}
	team.run(p.batch.Blocks*p.parts, p)
	team.run(p.cfg.Out/tapsRows, (*tapsTotal)(p))
	p.operand = [2][]float32{}
	p.sumBias(team)
}

// task computes the sums of a lot.
func (p *tapsPlan) task(lot int) {
	cfg := &p.cfg
	block, part := lot/p.parts, lot%p.parts
	clear(p.lotSums(lot))
	next := max(part*p.out.Height/p.parts*cfg.Stride-cfg.Pad, 0)
	for row := part * p.out.Height / p.parts; row < (part+1)*p.out.Height/p.parts; row++ {
		top := row*cfg.Stride - cfg.Pad
		for next = max(next, top); next < min(top+cfg.KernelHeight, cfg.In.Height); next++ {
			p.transpose(lot, block, next)
		}
		p.addRow(lot, block, row)
	}
}

func (p *tapsPlan) lotSums(lot int) []float32 {
	return p.sums[lot*p.weightLen():][:p.weightLen()]
}

// heldRow returns where a lot holds a row of the input. A lot holds the last rows, as many as the
// kernel has.
func (p *tapsPlan) heldRow(lot, row int) []float32 {
	n, height := p.rowLen(), p.cfg.KernelHeight
	return p.x[(lot*height+row%height)*n:][:n]
}

// transpose transposes a row of a block's input to where a lot holds it.
func (p *tapsPlan) transpose(lot, block, row int) {
	in, lanes := p.cfg.In, p.lanes
	to, size := p.heldRow(lot, row), in.Channels*lanes
	from := p.operand[0][(block*in.Height+row)*in.Width*size:][:in.Width*size]
	for col := range min(in.Width, p.cols-p.cfg.Pad) {
		for first := 0; first < in.Channels; first += vector {
			dst := to[(first/vector*p.cols+col+p.cfg.Pad)*p.colLen():][:p.colLen()]
			src := from[col*size+first*lanes:][:vector*lanes]
			transpose(p.isa, dst, src, vector, lanes, vector, lanes)
		}
	}
}

// addRow adds the products of a row of the output's gradient to a lot's sums.
func (p *tapsPlan) addRow(lot, block, row int) {
	cfg := &p.cfg
	tile, dy := p.rowTile(lot, block, row)
	sums := p.lotSums(lot)
	for out := 0; out < cfg.Out; out += tapsRows {
		tile.dy = dy[out*tile.dyRow:]
		for k := range cfg.KernelHeight {
			at := row*cfg.Stride - cfg.Pad + k
			if at < 0 || at >= cfg.In.Height {
				continue
			}
			x := p.heldRow(lot, at)
			for group := range cfg.In.Channels / vector {
				tile.x = x[group*p.cols*p.colLen():]
				tile.sum = sums[p.tapsOffset(out, k, group):][:tapsSums]
				tile.run(p.pairs)
				tile.askDY, tile.askX = p.skipPrefetched(tile.askDY), p.skipPrefetched(tile.askX)
			}
		}
	}
}

// rowTile returns the geometry of the tiles and the row of the output's gradient. The tiles
// prefetch the next rows of that gradient and of the input: memory brings them while the processor
// multiplies.
func (p *tapsPlan) rowTile(lot, block, row int) (t tapsTile, dy []float32) {
	cfg, in, lanes := &p.cfg, p.cfg.In, p.lanes
	size := p.out.Width * cfg.Out * lanes
	dy = p.operand[1][(block*p.out.Height+row)*size:]
	next := min((row+1)*cfg.Stride-cfg.Pad+cfg.KernelHeight-1, in.Height-1)
	t = tapsTile{
		positions: p.out.Width, groups: p.groups,
		dyStep: (cfg.Out - 1) * lanes, dyRow: lanes,
		xStep: (cfg.Stride - 1) * p.colLen(), xTap: p.colLen(),
		askDY: dy[min(size, len(dy)-1):],
		askX:  p.operand[0][(block*in.Height+next)*in.Width*in.Channels*lanes:],
	}
	return t, dy
}

// skipPrefetched returns the memory to prefetch after a tile that has prefetched from s on.
func (p *tapsPlan) skipPrefetched(s []float32) []float32 {
	lines := tapsAsk * p.out.Width * p.groups
	return s[min(lines*cacheLine/4, len(s)-1):]
}

// tapsOffset returns where the sums of a tile begin.
func (c *Conv) tapsOffset(out, kernelRow, group int) int {
	tile := out/tapsRows*c.cfg.KernelHeight + kernelRow
	return (tile*(c.cfg.In.Channels/vector) + group) * tapsSums
}

// tapsTotal's task adds up the lots of some output channels and puts the sums in their places in
// dw.
type tapsTotal tapsPlan

func (a *tapsTotal) task(i int) {
	p := (*tapsPlan)(a)
	from, to := p.tapsOffset(i*tapsRows, 0, 0), p.tapsOffset((i+1)*tapsRows, 0, 0)
	sums := p.lotSums(0)[from:to]
	for lot := 1; lot < p.batch.Blocks*p.parts; lot++ {
		add(p.isa, sums, sums, p.lotSums(lot)[from:to])
	}
	channels := p.cfg.In.Channels
	for r := range tapsRows {
		for k := range p.cfg.KernelHeight {
			for first := 0; first < channels; first += vector {
				at := p.tapsOffset(0, k, first/vector) + r*tapsCols*vector
				to := ((i*tapsRows+r)*channels+first)*p.area() + k*tapsCols
				p.place(p.call.dw[to:], sums[at:], tapsCols, vector, vector)
			}
		}
	}
}
