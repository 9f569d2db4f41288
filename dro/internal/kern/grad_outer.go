package kern

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
	parts := min(ceilDiv(bytes, outerCacheBytes), c.out.Height)
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
			c.visitJoined(k, top, bottom, 0, c.out.Width, func(o, i int) {
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
		lanes: group.width, width: group.width, wBase: block*lanes*c.out.Len() + out*lanes,
		add: bit(add),
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

// maxSweepTiles is the largest number of tiles in a task of outerSweep. For 3×3 kernels their sums
// fill 150 KiB, beside the part that they visit.
const maxSweepTiles = 11

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
