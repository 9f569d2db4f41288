package kern

// outerPlan is the gradient as outer products: with the input transposed to [group][block][position][image][channel], a weight's gradient
// is what the convolution kernel computes, with input channels for lanes, output channels for rows and images for the sum.
type outerPlan struct {
	groups []outerGroup
	x      []float32 // the transposed input
}

// outerGroup is up to 64 input channels.
type outerGroup struct {
	first, width int     // width is a multiple of 16, and may reach beyond the last channel
	start        int     // in outerPlan.x
	taps         [][]tap // by kernel tap
}

func newOuterPlan(c *Conv) *outerPlan {
	p := &outerPlan{}
	in := c.cfg.In
	rows := c.batch.Padded() * in.Height * in.Width
	start := 0
	for first := 0; first < in.Channels; first += maxLanes {
		width := min((in.Channels-first+vector-1)/vector*vector, maxLanes)
		g := outerGroup{first: first, width: width, start: start}
		for kh := range c.cfg.KernelHeight {
			for kw := range c.cfg.KernelWidth {
				g.taps = append(g.taps, c.outerTaps(kh, kw, width))
			}
		}
		p.groups = append(p.groups, g)
		start += rows * width
	}
	p.x = Alloc(start)
	return p
}

// outerTaps lists the positions that tap (kh, kw) joins, in all blocks, for a group of width channels, and at each position 16 images:
// a line of dy and a run of x, which the caches like better than one image at all positions.
func (c *Conv) outerTaps(kh, kw, width int) []tap {
	taps := []tap{}
	in, lanes := c.cfg.In.Height*c.cfg.In.Width, c.batch.Lanes
	for block := range c.batch.Blocks {
		c.joined(kh, kw, 0, c.out.Height, 0, c.out.Width, func(o, i int) {
			x, dy := (block*in+i)*lanes*width, block*lanes*c.out.Len()+o*c.out.Channels*lanes
			for image := range vector {
				taps = append(taps, tap{int32(x + image*width), int32(dy + image)})
			}
		})
	}
	return taps
}

// transposeCall's task is one row of the input for 16 images.
type transposeCall Conv

func (t *transposeCall) task(i int) {
	c := (*Conv)(t)
	in, lanes := c.cfg.In, c.batch.Lanes
	row, lane := i%in.Height, i/in.Height*vector
	block, lane := lane/lanes, lane%lanes
	for col := range in.Width {
		position := (block*in.Height+row)*in.Width + col
		from := c.call.x[position*in.Channels*lanes+lane:]
		for g := range c.outer.groups {
			group := &c.outer.groups[g]
			to := c.outer.x[group.start+(position*lanes+lane)*group.width:]
			transpose(c.isa, to, from[group.first*lanes:], min(group.width, in.Channels-group.first), vector, group.width, lanes)
		}
	}
}

// outerSquare is the number of kernel taps whose tiles are put in place at once: a square of the transposition.
const outerSquare = 16

// outerCall's task is one row tile of output channels against some groups of input channels.
type outerCall Conv

func (o *outerCall) task(i int) {
	c := (*Conv)(o)
	g := c.gradTask(i, len(c.outer.groups))
	for k := g.first; k < g.last; k++ {
		c.outerGrad(g, &c.outer.groups[k])
	}
}

// outerGrad computes the gradient of the weights between g's output channels and the group's input channels.
func (c *Conv) outerGrad(g gradTask, group *outerGroup) {
	cols, area := min(group.width, c.cfg.In.Channels-group.first), c.area()
	size := g.rows * group.width
	if area == 1 {
		var tile [tileRows * maxLanes]float32
		c.outerTile(tile[:size], g, group, 0)
		for r := range g.rows {
			copy(c.call.dw[(g.out+r)*c.cfg.In.Channels+group.first:], tile[r*group.width:][:cols])
		}
		return
	}
	var tiles [outerSquare * tileRows * maxLanes]float32
	for first := 0; first < area; first += outerSquare {
		count := min(outerSquare, area-first)
		for k := range count {
			c.outerTile(tiles[k*size:][:size], g, group, first+k)
		}
		for r := range g.rows {
			to := c.call.dw[((g.out+r)*c.cfg.In.Channels+group.first)*area+first:]
			transpose(c.isa, to, tiles[r*group.width:], count, cols, area, size)
		}
	}
}

// outerTile computes the gradient for one kernel tap, [g.rows][group.width].
func (c *Conv) outerTile(y []float32, g gradTask, group *outerGroup, k int) {
	lanes := c.batch.Lanes
	tile := convTile{
		y: y, x: c.outer.x[group.start:], w: c.call.dy, taps: group.taps[k], wBase: g.out * lanes, wRow: lanes, wStep: vector,
		outer: lanes / vector, xStep: vector * group.width, rows: g.rows, lanes: group.width, prefetch: vector,
	}
	tile.run(c.isa)
}
