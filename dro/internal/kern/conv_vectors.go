package kern

// vectorPlan is a direction of a convolution on AVX2, where a tile has one vector of lanes. In a
// block of several vectors, the lines of memory that a tile reads lie so far apart that they share
// a few sets of the first-level cache and evict each other. So a task copies its source, one vector
// of lanes at a time, into memory where line lies next to line. The sums stay the same, and so does
// their order.
type vectorPlan struct {
	plane // of the copy

	// A task has so many lanes, channels and rows of the destination. If there are many weights, it
	// has one vector of lanes.
	lanes, channels, rows int
}

const (
	minLineUses    = 6         // least tiles that read a line, on average, if a copy is made
	maxVectorBytes = 256 << 10 // bytes of a task's source, where a map can be cut so
)

// CopyVectors makes c copy vectors of lanes into memory of space where this is faster. The
// operations of a network share a space.
func (c *Conv) CopyVectors(space *Scratch) {
	if c.isa != AVX2 || c.batch.Lanes == vector {
		return
	}
	if c.lineUses(&c.forward) >= minLineUses {
		c.planVectors(&c.forward, convAxis, space)
	}
	if c.lineUses(&c.backward) >= minLineUses {
		c.planVectors(&c.backward, transposedAxis, space)
	}
}

// planVectors makes the plan of a direction.
func (c *Conv) planVectors(way *direction, newAxis axisMaker, space *Scratch) {
	dst, src := way.dst, way.src
	p := &vectorPlan{lanes: c.batch.Lanes, channels: dst.Channels}
	tasks, bytes := c.batch.Blocks, 4*vector*src.Len()
	if 4*c.weightLen() > maxTaskWeightBytes {
		tasks *= c.batch.Lanes / vector
		p.lanes, p.channels = vector, partOf(dst.Channels, minTasks/tasks)
		tasks *= ceilDiv(dst.Channels, p.channels)
	}
	chunks := max(ceilDiv(minTasks, tasks), ceilDiv(bytes, maxVectorBytes))
	p.rows = ceilDiv(dst.Height, min(chunks, dst.Height))
	p.plane = c.planeOf(newAxis, src, src.Channels*vector, 1)
	way.vectors, c.space = p, space
	c.space.grow(p.plane.rows.mostSources(p.rows)*src.Width*src.Channels*vector, 0)
}

// lineUses returns how many tiles read a line of the source, on average.
func (c *Conv) lineUses(way *direction) int {
	taps := 0
	for row := range way.dst.Height {
		for col := range way.dst.Width {
			_, t := way.lookUp(row, col)
			taps += len(t)
		}
	}
	return taps * ceilDiv(way.dst.Channels, tileRows) / (way.src.Height * way.src.Width)
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

// vectorsCall's task is a part of the destination, one vector of lanes after the other.
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
	for end := lane + p.lanes; lane < end; lane += vector {
		c.spreadVector(memory.memory, r, lane)
	}
	c.space.release(memory)
	for row := r.top; row < r.bottom; row++ {
		c.addMoments(r.block, row, 0, dst.Width, r.channel, r.rows)
	}
}

// spreadVector computes a vector of lanes of the region, from a copy of its source in memory. If
// the weights do not fit into the second-level cache, the weights of a tile stay there while the
// tile visits all positions.
func (c *Conv) spreadVector(memory []float32, r region, lane int) {
	way, lanes := c.call.way, c.batch.Lanes
	p, src, dst := way.vectors, way.src, way.dst
	first, end := p.plane.rows.sources(r.top, r.bottom)
	if first < end {
		row := src.Width * src.Channels
		at := (r.block*src.Height + first) * row * lanes
		gatherLines(memory, c.call.x[at+lane:], (end-first)*row, lanes)
	}
	tile := convTile{
		x: memory, w: c.call.w, wRow: way.wRow, wStep: way.wStep,
		prefetch: weightPrefetchSteps * way.wStep, outer: src.Channels, xStep: vector,
		lanes: lanes, width: vector, relu: way.relu,
	}
	channels := c.channels(dst)
	for from := r.channel; from < r.channel+r.rows; from += channels {
		to := min(from+channels, r.channel+r.rows)
		for row := r.top; row < r.bottom; row++ {
			for col := range dst.Width {
				position, taps := p.lookUp(row, col)
				tile.xBase, tile.taps = (position-first*src.Width)*src.Channels*vector, taps
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
