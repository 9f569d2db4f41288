package kern

import "slices"

// Winograd is a convolution of 3×3 kernels with stride 1. It computes outputs and input gradients
// in squares of 2×2 by F(2×2, 3×3) (Winograd 1980; Lavin, Gray 2016, Fast algorithms for
// convolutional neural networks, equations 8 to 10):
//
//	y = Aᵀ·[(G·g·Gᵀ) ⊙ (Bᵀ·x·B)]·A
//
// for the kernel g between two channels and a window x of 4×4, summed over the source's channels
// before A. The gradient of the weights is Gᵀ·[Σ (Bᵀ·x·B) ⊙ (A·dy·Aᵀ)]·G. Each takes 16
// multiplications instead of 36, and sums in another order than [Conv] does.
//
// The positions of a window are lines of images, so that the transformations are sums of lines.
// Each of the 16 places of a transformed window has a product of matrices, which the kernel of
// convolutions computes. A row of four places is transformed, multiplied and transformed back while
// the caches have it.
type Winograd struct {
	*Conv
	space *Scratch

	weights []float32 // G·g·Gᵀ: [4×4 places][out][in, whole vectors]
	source  []float32 // the w that weights was computed from

	forwardWay, backwardWay winogradWay
	direction               *winogradWay // of the running call
	channels                int          // channels of a task of the running call

	byVectors   bool // takes its lanes one vector after the other: see winogradVectors
	vectorsGrad *vectorsGrad
	grad        *winogradGrad // nil: the gradient of the weights is vectorsGrad's or else Conv's
}

// winogradWay is what a direction has in addition: forward, or backward to the input.
type winogradWay struct {
	*direction
	pad    int   // padding around the source
	taps   []tap // of a product, by source channel
	row    int   // from one destination channel to the next, in the transformed weights
	step   int   // from one source channel to the next
	places [windowArea]int

	heights []int // of the tiles of all channels of the destination
}

// WinogradFits reports whether a convolution can be a [Winograd], and gains by it. On a map of 2×2,
// [Conv] saves as many products, because it skips zeros. With few channels, the transformations
// take as long as the products that they save. On AVX2 half as many channels gain, because [Conv]
// takes longer there: it copies its source.
func WinogradFits(isa ISA, cfg ConvConfig) bool {
	least := 32
	if isa == AVX2 {
		least = 16
	}
	out, err := cfg.OutShape()
	return err == nil && cfg.KernelHeight == 3 && cfg.KernelWidth == 3 && cfg.Stride == 1 &&
		cfg.Pad == 1 && out.Height%2 == 0 && out.Width%2 == 0 && out.Height*out.Width > 4 &&
		min(cfg.In.Channels, cfg.Out) >= least
}

// Winograd returns c as a [Winograd], for which [WinogradFits] must hold. The operations of a
// network share a space.
func (c *Conv) Winograd(space *Scratch) *Winograd {
	in, lanes := c.cfg.In.Channels, c.batch.Lanes
	w := &Winograd{Conv: c, space: space, source: make([]float32, c.weightLen())}
	w.weights = Alloc(windowArea * w.planeLen())
	w.forwardWay = winogradWay{direction: &c.forward, pad: c.cfg.Pad, row: wholeVectors(in),
		step: 1, heights: tileHeights(c.cfg.Out)}
	w.backwardWay = winogradWay{direction: &c.backward, pad: 2 - c.cfg.Pad, row: 1,
		step: wholeVectors(in), heights: tileHeights(in)}
	for k := range in {
		w.forwardWay.taps = append(w.forwardWay.taps, tap{int32(k * lanes), int32(k)})
	}
	for k := range c.cfg.Out {
		w.backwardWay.taps = append(w.backwardWay.taps,
			tap{int32(k * lanes), int32(k * wholeVectors(in))})
	}
	// The gradient of the input is a convolution with kernels turned by half a turn: their first
	// and last transformed row change places, and so do the columns.
	turned := [windowSide]int{3, 1, 2, 0}
	for k := range windowArea {
		w.forwardWay.places[k] = k
		w.backwardWay.places[k] = turned[k/windowSide]*windowSide + turned[k%windowSide]
	}
	if c.taps != nil { // its sums would take longer than outer products
		c.taps, c.outer = nil, newOuterPlan(c)
	}
	if w.byVectors = WinogradVectors(c.isa, c.cfg); w.byVectors {
		c.dot, c.outer = nil, nil
		space.grow(windowSide*vectorApart(in)+windowArea*vectorApart(c.cfg.Out), 0)
		space.grow(windowSide*vectorApart(c.cfg.Out)+windowArea*vectorApart(in), 0)
		w.vectorsGrad = newVectorsGrad(w)
	} else if c.outer != nil {
		w.grad = newWinogradGrad(w)
	}
	space.grow(windowSide*(w.apart(in)+w.apart(c.cfg.Out)), lanes*max(in, c.cfg.Out))
	space.grow(kernelArea*wholeVectors(in), 0)
	return w
}

// apart returns how far apart the places of a window of so many channels are. This is a cache line
// more than their values take, or all places would lie in the same lines of the first-level cache.
func (c *Winograd) apart(channels int) int { return channels*c.batch.Lanes + vector }

// planeLen returns how far apart the places of the weights are: also a line more, for the same
// reason.
func (c *Winograd) planeLen() int { return c.cfg.Out*wholeVectors(c.cfg.In.Channels) + vector }

// Forward does what [Conv.Forward] does.
func (c *Winograd) Forward(t *Team, y, x, w, bias []float32) {
	c.enterForward(y, x, w, bias)
	c.run(t, &c.forwardWay)
}

// BackwardData does what [Conv.BackwardData] does.
func (c *Winograd) BackwardData(t *Team, dx, dy, w, act, plus []float32) {
	c.enterBackward(dx, dy, w, act, plus)
	c.run(t, &c.backwardWay)
}

// minPartChannels is the least number of channels that a task is cut down to, because each task
// transforms the windows for itself.
const minPartChannels = 10 * tileRows

// run transforms the weights, if they have changed since the last call, and runs the call in one
// direction. A task is two rows of the map, or some of their channels where there are few rows.
func (c *Winograd) run(t *Team, way *winogradWay) {
	c.direction = way
	c.space.open(t)
	if !slices.Equal(c.source, c.call.w) {
		copy(c.source, c.call.w)
		t.run(c.cfg.Out, (*winogradWeights)(c))
	}
	rows := c.batch.Blocks * way.dst.Height / squareSide
	c.channels = partOf(way.dst.Channels, minTasks/rows)
	if c.byVectors {
		c.channels = way.dst.Channels
		t.run(rows, (*winogradVectorsCall)(c))
	} else {
		t.run(rows*c.parts(), (*winogradCall)(c))
	}
	c.direction = nil
	c.finish()
}

// partOf returns the number of channels of a part, in whole tiles, if channels are cut into about
// so many parts.
func partOf(channels, parts int) int {
	parts = min(max(parts, 1), max(channels/minPartChannels, 1))
	tiles := ceilDiv(channels, tileRows)
	return ceilDiv(tiles, parts) * tileRows
}

// parts returns the number of tasks that share the channels of two rows.
func (c *Winograd) parts() int { return ceilDiv(c.direction.dst.Channels, c.channels) }

// winogradWeights transforms the kernels of an output channel.
type winogradWeights Winograd

func (w *winogradWeights) task(out int) {
	c := (*Winograd)(w)
	in := c.cfg.In.Channels
	n := wholeVectors(in)
	memory := c.space.acquire()
	tile := kernelTile{g: memory.first(kernelArea * n), n: n, apart: c.planeLen()}
	transpose(c.isa, tile.g, c.call.w[out*in*kernelArea:], in, kernelArea, n, kernelArea)
	tile.u = c.weights[out*n:]
	tile.run(c.isa)
	c.space.release(memory)
}

// winogradCall's task is two rows of some channels.
type winogradCall Winograd

func (w *winogradCall) task(i int) {
	c := (*Winograd)(w)
	dst, r := c.direction.dst, c.rows(i)
	memory := c.space.acquire()
	v, m := memory.split(windowSide*c.apart(c.direction.src.Channels), windowSide*c.apart(r.rows))
	for col := 0; col < dst.Width; col += squareSide {
		for row := range windowSide {
			c.window(v, r, row, col)
			c.multiply(m, v, r, row)
			c.square(m, r, row, col)
		}
		c.addSquareMoments(r, col)
	}
	c.space.release(memory)
}

// rows returns the region of task i: two rows of some channels.
func (c *Winograd) rows(i int) region {
	dst := c.direction.dst
	first := i % c.parts() * c.channels
	i /= c.parts()
	return region{
		block: i / (dst.Height / squareSide), channel: first,
		rows: min(c.channels, dst.Channels-first), top: i % (dst.Height / squareSide) * squareSide,
	}
}

// addSquareMoments adds up the moments of the square of region r at col.
func (c *Winograd) addSquareMoments(r region, col int) {
	for k := range squareSide * squareSide {
		at := col + k%squareSide
		c.addMoments(r.block, r.top+k/squareSide, at, at+1, r.channel, r.rows)
	}
}

// windowRows holds, for each row of Bᵀ, the two rows of a window that it joins: by a difference or,
// for the second row of Bᵀ, by a sum.
var windowRows = [windowSide][2]int{{0, 2}, {1, 2}, {2, 1}, {1, 3}}

// windowAt returns the tile that makes a row of the places of a window, the given line. The window
// begins at position (row, col) of the map that starts at x and has n values per position; zeros
// stand for positions outside the map.
func windowAt(s Shape, x, zeros []float32, n, line, row, col int) (t windowTile) {
	for j := range windowSide {
		t.a[j] = positionAt(s, x, zeros, n, row+windowRows[line][0], col+j)
		t.b[j] = positionAt(s, x, zeros, n, row+windowRows[line][1], col+j)
	}
	t.plus, t.n, t.ahead = bit(line == 1), n, squareSide*n
	return t
}

// positionAt returns the n values of a position of the map that starts at x, or zeros outside the
// map.
func positionAt(s Shape, x, zeros []float32, n, row, col int) []float32 {
	if row < 0 || row >= s.Height || col < 0 || col >= s.Width {
		return zeros[:n]
	}
	return x[(row*s.Width+col)*n:][:n]
}

// window sets v to a row of places of the window around the square of region r at col.
func (c *Winograd) window(v []float32, r region, line, col int) {
	src := c.direction.src
	n := src.Channels * c.batch.Lanes
	x := c.call.x[r.block*src.Height*src.Width*n:]
	tile := windowAt(src, x, c.space.zeros, n, line, r.top-c.direction.pad, col-c.direction.pad)
	tile.v, tile.apart = v, c.apart(src.Channels)
	tile.run(c.isa)
}

// biasPlace is the place of a window whose product enters each of the four outputs of the square
// once. So a bias that is added there is added to all four.
const biasPlace = windowSide + 1

// multiply sets m, [places of a row][channels of r][lane], to the products of the weights and v.
func (c *Winograd) multiply(m, v []float32, r region, line int) {
	lanes := c.batch.Lanes
	tile := convTile{x: v, w: c.weights, taps: c.direction.taps, wRow: c.direction.row, outer: 1,
		lanes: lanes, width: lanes}
	for j := range windowSide {
		place := line*windowSide + j
		tile.xBase = j * c.apart(c.direction.src.Channels)
		for channel := 0; channel < r.rows; channel += tileRows {
			tile.rows = min(tileRows, r.rows-channel)
			tile.wBase = c.direction.places[place]*c.planeLen() + (r.channel+channel)*tile.wRow
			tile.y = m[j*c.apart(r.rows)+channel*lanes:][:tile.rows*lanes]
			tile.bias = nil
			if place == biasPlace && c.call.b != nil {
				tile.bias = c.call.b[r.channel+channel:][:tile.rows]
			}
			tile.run(c.isa)
		}
	}
}

// squareRows holds, for each row of places, its signs in the two rows of a square; 0 means that it
// is left out. The first row of places that enters a row of a square sets it.
var squareRows = [windowSide][squareSide]int{{1, 0}, {1, 1}, {1, -1}, {0, -1}}

// square adds a row of places to the square of region r at col.
func (c *Winograd) square(m []float32, r region, line, col int) {
	dst, lanes := c.direction.dst, c.batch.Lanes
	for i, with := range squareRows[line] {
		if with == 0 {
			continue
		}
		tile := squareTile{m: m, n: r.rows * lanes, apart: c.apart(r.rows),
			ahead: squareSide * dst.Channels * lanes}
		if line > i {
			tile.start = with
		}
		for j := range squareSide {
			row, col := r.block*dst.Height+r.top+i, col+j
			at := ((row*dst.Width+col)*dst.Channels + r.channel) * lanes
			tile.y[j] = c.call.y[at:][:tile.n]
			if line < i+2 {
				continue // more is to come
			}
			tile.last, tile.relu = 1, c.direction.relu
			tile.plus[j] = optionalPart(c.call.plus, at, tile.n)
			tile.mask[j] = optionalPart(c.call.mask, at, tile.n)
		}
		tile.run(c.isa)
	}
}
