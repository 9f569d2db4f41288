package kern

// vectorPlan is a direction of a convolution on AVX2, where a tile has one vector of lanes. In a
// block of several vectors, the lines of memory that a tile reads lie so far apart that they share
// a few sets of the first-level cache and evict each other. So a task copies its source into memory
// where line lies next to line, a copy for each vector of lanes. The sums stay the same, and so
// does their order.
type vectorPlan struct {
	plane // of the copy

	// A task has so many lanes, channels and rows of the destination. If there are many weights, it
	// has one vector of lanes. It copies the source of so many columns at a time.
	lanes, channels, rows, cols int

	apart int // from one vector's copy to the next

	// outer is convTile's. It is 1 if the lists of taps go through the channels of the source: the
	// tile then loses no time between two channels. Otherwise it prefetches weights there.
	outer int
}

const (
	minLineUses    = 6         // least tiles that read a line, on average, if a copy is made
	maxVectorBytes = 256 << 10 // bytes of a task's source, where a map can be cut so
	maxCopyBytes   = 64 << 10  // bytes of a vector's copy, where there are few weights
)

// CopyVectors makes c copy vectors of lanes into memory of space where this is faster. The
// operations of a network share a space.
func (c *Conv) CopyVectors(space *Scratch) {
	if c.isa != AVX2 || c.batch.Lanes == vector {
		return
	}
	if c.forward.lineUses() >= minLineUses {
		c.planVectors(&c.forward, convAxis, space)
	}
	if c.backward.lineUses() >= minLineUses {
		c.planVectors(&c.backward, transposedAxis, space)
	}
}

// lineUses returns how many tiles read a line of the source, on average.
func (d *direction) lineUses() int {
	return d.allTaps() * ceilDiv(d.dst.Channels, tileRows) / (d.src.Height * d.src.Width)
}

// planVectors makes the plan of a direction.
func (c *Conv) planVectors(way *direction, newAxis axisMaker, space *Scratch) {
	dst, src := way.dst, way.src
	p := &vectorPlan{lanes: c.batch.Lanes, channels: dst.Channels, cols: dst.Width, outer: 1}
	tasks, fewWeights := c.batch.Blocks, 4*c.weightLen() <= maxTaskWeightBytes
	if !fewWeights {
		tasks *= c.batch.Lanes / vector
		p.lanes, p.channels = vector, partOf(dst.Channels, minTasks/tasks)
		tasks *= ceilDiv(dst.Channels, p.channels)
	}
	chunks := max(ceilDiv(minTasks, tasks), ceilDiv(4*vector*src.Len(), maxVectorBytes))
	p.rows = ceilDiv(dst.Height, min(chunks, dst.Height))
	depth := copiedDepth(src)
	size := func() int {
		return way.rows.mostSources(p.rows) * way.cols.mostSources(p.cols) * depth
	}
	for fewWeights && p.cols > 1 && 4*size() > maxCopyBytes {
		p.cols = ceilDiv(p.cols, 2)
	}
	p.plane = c.planeOf(newAxis, Shape{Width: way.cols.mostSources(p.cols)}, depth, 1)
	if fewWeights || c.area() == 1 {
		p.plane = p.throughChannels(src.Channels, vector, way.wStep)
	} else {
		p.outer = src.Channels
	}
	p.apart = size() + vector
	way.vectors, c.space = p, space
	space.grow(p.lanes/vector*p.apart, 0)
}

// spreadVectors runs the call in tasks of its direction's plan.
func (c *Conv) spreadVectors(t *Team) {
	way := c.call.way
	p := way.vectors
	if p.lanes < c.batch.Lanes {
		c.norm = nil // it adds up its moments itself, over all lanes of a position
	}
	c.space.open(t)
	parts, chunks := ceilDiv(way.dst.Channels, p.channels), ceilDiv(way.dst.Height, p.rows)
	t.run(c.batch.padded()/p.lanes*parts*chunks, (*vectorsCall)(c))
	c.finish()
}

// vectorsCall's task is a part of the destination, some columns after the others and, of these, one
// vector of lanes after the other.
type vectorsCall Conv

func (v *vectorsCall) task(i int) {
	c := (*Conv)(v)
	dst, p := c.call.way.dst, c.call.way.vectors
	chunks, parts := ceilDiv(dst.Height, p.rows), ceilDiv(dst.Channels, p.channels)
	top, channel := i%chunks*p.rows, i/chunks%parts*p.channels
	lane := i / chunks / parts * p.lanes
	r := region{
		block: lane / c.batch.Lanes, channel: channel, rows: min(p.channels, dst.Channels-channel),
		top: top, bottom: min(top+p.rows, dst.Height),
	}
	lane %= c.batch.Lanes
	memory := c.space.acquire()
	for left := 0; left < dst.Width; left += p.cols {
		right := min(left+p.cols, dst.Width)
		first := c.copyVectors(memory.memory, r, left, right, lane)
		for k := range p.lanes / vector {
			c.spreadVector(memory.memory[k*p.apart:], first, r, left, right, lane+k*vector)
		}
		for row := r.top; row < r.bottom; row++ {
			c.addMoments(r.block, row, left, right, r.channel, r.rows)
		}
	}
	c.space.release(memory)
}

// spreadVector computes the columns [left, right) of the region for a vector of lanes, whose copy
// begins with position first. If the weights do not fit into the second-level cache, the weights of
// a tile stay there while the tile visits all positions.
func (c *Conv) spreadVector(copied []float32, first int, r region, left, right, lane int) {
	way, lanes := c.call.way, c.batch.Lanes
	p, dst := way.vectors, way.dst
	depth := copiedDepth(way.src)
	tile := convTile{
		x: copied, w: c.call.w, wRow: way.wRow, wStep: way.wStep,
		prefetch: weightPrefetchSteps * way.wStep, outer: p.outer, xStep: vector,
		lanes: lanes, width: vector, relu: way.relu,
	}
	channels := c.channels(dst)
	for from := r.channel; from < r.channel+r.rows; from += channels {
		to := min(from+channels, r.channel+r.rows)
		for row := r.top; row < r.bottom; row++ {
			for col := left; col < right; col++ {
				position, taps := p.lookUp(row, col)
				tile.xBase, tile.taps = (position-first)*depth, taps
				at := ((r.block*dst.Height+row)*dst.Width+col)*dst.Channels*lanes + lane
				for channel := from; channel < to; channel += tileRows {
					tile.rows = min(tileRows, to-channel)
					tile.wBase = channel * tile.wRow
					c.placeTile(&tile, at, channel)
					tile.run(c.isa)
				}
			}
		}
	}
}

// copiedDepth returns how far apart the positions of a copy are. The taps of one of many channels
// could all share a set of the first-level cache, so a line is left out behind each position.
func copiedDepth(src Shape) int {
	if src.Channels%32 == 0 {
		return (src.Channels + 1) * vector
	}
	return src.Channels * vector
}

// copyVectors copies the source of these columns of the region, from a lane on, to dst. It returns
// the position, in the plan's plane, that the copies begin with.
func (c *Conv) copyVectors(dst []float32, r region, left, right, lane int) (first int) {
	p, src, lanes := c.call.way.vectors, c.call.way.src, c.batch.Lanes
	top, bottom := p.plane.rows.sources(r.top, r.bottom)
	from, to := p.plane.cols.sources(left, right)
	depth, together := copiedDepth(src), 1 // positions copied together: all without lines between
	if depth == src.Channels*vector {
		together = to - from
	}
	for row := top; row < bottom; row++ {
		for col := from; col < to; col += together {
			at := ((r.block*src.Height+row)*src.Width+col)*src.Channels*lanes + lane
			position := (row-top)*p.width + col - from
			splitLines(dst[position*depth:], c.call.x[at:], together*src.Channels, lanes,
				p.lanes/vector, p.apart)
		}
	}
	return top*p.width + from
}
