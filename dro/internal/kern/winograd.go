package kern

import (
	"slices"
	"sync/atomic"
)

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

	forth, back winogradWay
	direction   *winogradWay // of the running call
	channels    int          // channels of a task of the running call

	grad *winogradGrad // nil: the gradient of the weights is Conv's
}

// winogradWay is what a direction has in addition: forward, or backward to the input.
type winogradWay struct {
	*direction
	pad    int   // padding around the source
	taps   []tap // of a product, by source channel
	row    int   // from one destination channel to the next, in the transformed weights
	places [windowArea]int
}

// WinogradFits reports whether a convolution can be a [Winograd], and gains by it. On a map of 2×2,
// [Conv] saves as many products, because it skips zeros. With few channels, the transformations
// take as long as the products that they save.
func WinogradFits(cfg ConvConfig) bool {
	const least = 32
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
	w.forth = winogradWay{direction: &c.forward, pad: c.cfg.Pad, row: wholeVectors(in)}
	w.back = winogradWay{direction: &c.backward, pad: 2 - c.cfg.Pad, row: 1}
	for k := range in {
		w.forth.taps = append(w.forth.taps, tap{int32(k * lanes), int32(k)})
	}
	for k := range c.cfg.Out {
		w.back.taps = append(w.back.taps, tap{int32(k * lanes), int32(k * wholeVectors(in))})
	}
	// The gradient of the input is a convolution with kernels turned by half a turn: their first
	// and last transformed row change places, and so do the columns.
	turned := [windowSide]int{3, 1, 2, 0}
	for k := range windowArea {
		w.forth.places[k] = k
		w.back.places[k] = turned[k/windowSide]*windowSide + turned[k%windowSide]
	}
	if c.taps != nil { // its sums would take longer than outer products
		c.taps, c.outer = nil, newOuterPlan(c)
	}
	if c.outer != nil {
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
	c.run(t, &c.forth)
}

// BackwardData does what [Conv.BackwardData] does.
func (c *Winograd) BackwardData(t *Team, dx, dy, w, act, plus []float32) {
	c.enterBackward(dx, dy, w, act, plus)
	c.run(t, &c.back)
}

// leastPart is the least number of channels that a task is cut down to, because each task
// transforms the windows for itself.
const leastPart = 10 * tileRows

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
	t.run(rows*c.parts(), (*winogradCall)(c))
	c.direction = nil
	c.finish()
}

// partOf returns the number of channels of a part, in whole tiles, if channels are cut into about
// so many parts.
func partOf(channels, parts int) int {
	parts = min(max(parts, 1), max(channels/leastPart, 1))
	tiles := pieces(channels, tileRows)
	return pieces(tiles, parts) * tileRows
}

// parts returns the number of tasks that share the channels of two rows.
func (c *Winograd) parts() int { return pieces(c.direction.dst.Channels, c.channels) }

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
	dst := c.direction.dst
	first := i % c.parts() * c.channels
	i /= c.parts()
	r := region{
		block: i / (dst.Height / squareSide), channel: first,
		rows: min(c.channels, dst.Channels-first), top: i % (dst.Height / squareSide) * squareSide,
	}
	memory := c.space.acquire()
	v, m := memory.split(windowSide*c.apart(c.direction.src.Channels), windowSide*c.apart(r.rows))
	for col := 0; col < dst.Width; col += squareSide {
		for row := range windowSide {
			c.window(v, r, row, col)
			c.multiply(m, v, r, row)
			c.square(m, r, row, col)
		}
		for k := range squareSide * squareSide {
			at := col + k%squareSide
			c.addMoments(r.block, r.top+k/squareSide, at, at+1, r.channel, r.rows)
		}
	}
	c.space.release(memory)
}

// windowRows holds, for each row of Bᵀ, the two rows of a window that it joins: by a difference or,
// for the second row of Bᵀ, by a sum.
var windowRows = [windowSide][2]int{{0, 2}, {1, 2}, {2, 1}, {1, 3}}

// windowAt returns the tile that makes a row of the places of a window, the given line. The window
// begins at position (row, col) of the map that starts at x and has n values per position; zeros
// stand for positions outside the map.
func windowAt(s Shape, x, zeros []float32, n, line, row, col int) (t windowTile) {
	position := func(row, col int) []float32 {
		if row < 0 || row >= s.Height || col < 0 || col >= s.Width {
			return zeros[:n]
		}
		return x[(row*s.Width+col)*n:][:n]
	}
	for j := range windowSide {
		t.a[j] = position(row+windowRows[line][0], col+j)
		t.b[j] = position(row+windowRows[line][1], col+j)
	}
	t.plus, t.n, t.ahead = bit(line == 1), n, squareSide*n
	return t
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
		lanes: lanes}
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
			tile.plus[j] = optional(c.call.plus, at, tile.n)
			tile.mask[j] = optional(c.call.mask, at, tile.n)
		}
		tile.run(c.isa)
	}
}

// Scratch is memory for the windows of convolutions during a call, a piece for each thread. The
// operations of one network share a Scratch; networks that run at once have one each.
type Scratch struct {
	pieces []piece
	zeros  []float32
}

type piece struct {
	busy   atomic.Bool
	memory []float32
	_      [cacheLine]byte
}

// NewScratch returns memory for a team of so many threads.
func NewScratch(threads int) *Scratch { return &Scratch{pieces: make([]piece, threads)} }

// grow makes each piece at least size values long, and zeros at least the given length. It is for
// constructors.
func (s *Scratch) grow(size, zeros int) {
	for i := range s.pieces {
		if p := &s.pieces[i]; len(p.memory) < size {
			p.memory = Alloc(size)
		}
	}
	if len(s.zeros) < zeros {
		s.zeros = Alloc(zeros)
	}
}

// open begins a call of a team. It takes back the pieces that a failed call has left taken.
func (s *Scratch) open(t *Team) {
	if t.Size() > len(s.pieces) {
		panic("kern: Scratch: made for fewer threads than the team has")
	}
	for i := range s.pieces {
		s.pieces[i].busy.Store(false)
	}
}

// acquire returns a piece that no other task has. There is one, because at most as many tasks run
// as there are pieces.
func (s *Scratch) acquire() *piece {
	for {
		for i := range s.pieces {
			if s.pieces[i].busy.CompareAndSwap(false, true) {
				return &s.pieces[i]
			}
		}
	}
}

func (s *Scratch) release(p *piece) { p.busy.Store(false) }

// first returns the piece's first n values.
func (p *piece) first(n int) []float32 { return p.memory[:n] }

// split returns the piece's first n values, and the m values behind them.
func (p *piece) split(n, m int) (_, _ []float32) { return p.memory[:n], p.memory[n:][:m] }

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
	gradTasks    = minTasks / windowSide // lots times parts; a row of places is a task of its own
	gradLotBytes = 4 << 20               // bytes that the sums of all lots may fill
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
	parts := pieces(c.cfg.Out, g.part)
	most := gradLotBytes / (4 * windowArea * g.apart)
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
	if g == nil {
		c.Conv.BackwardWeights(t, dw, db, x, dy, add)
		return
	}
	c.enterWeights(dw, db, x, dy, add)
	c.space.open(t)
	t.run(c.batch.padded()/vector*c.cfg.In.Height, (*transposeCall)(c.Conv))
	parts := pieces(c.cfg.Out, g.part)
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
		lanes: group.width, add: bit(!fresh)}
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

// generic transforms a row of the windows.
func (t *windowTile) generic() {
	for k := range t.n {
		var s [windowSide]float32
		for j := range s {
			if t.plus != 0 {
				s[j] = t.a[j][k] + t.b[j][k]
			} else {
				s[j] = t.a[j][k] - t.b[j][k]
			}
		}
		v := t.v[k:]
		v[0], v[t.apart], v[2*t.apart], v[3*t.apart] = s[0]-s[2], s[1]+s[2], s[2]-s[1], s[1]-s[3]
	}
}

// generic adds a row of the products to the squares.
func (t *squareTile) generic() {
	for k := range t.n {
		m := t.m[k:]
		m0, m1, m2, m3 := m[0], m[t.apart], m[2*t.apart], m[3*t.apart]
		for j, s := range [squareSide]float32{m1 + m0 + m2, m1 - m2 - m3} {
			switch y := t.y[j]; {
			case t.start > 0:
				y[k] += s
			case t.start < 0:
				y[k] -= s
			default:
				y[k] = s
			}
		}
	}
	for j, y := range t.y[:t.last*squareSide] {
		finishTile(y, t.plus[j], t.mask[j], t.relu)
	}
}

// generic transforms a row of the squares.
func (t *spreadTile) generic() {
	for k := range t.n {
		var s [squareSide]float32
		for j := range s {
			switch s[j] = t.a[j][k]; {
			case t.with > 0:
				s[j] += t.b[j][k]
			case t.with < 0:
				s[j] -= t.b[j][k]
			}
		}
		p := t.p[k:]
		p[0], p[t.apart], p[2*t.apart], p[3*t.apart] = s[0], s[0]+s[1], s[0]-s[1], s[1]
	}
}

// generic transforms the kernels.
func (t *kernelTile) generic() {
	for k := range t.n {
		var rows [windowSide][3]float32
		for j := range 3 {
			g0, g1, g2 := t.g[j*t.n+k], t.g[(3+j)*t.n+k], t.g[(6+j)*t.n+k]
			rows[0][j], rows[1][j], rows[2][j], rows[3][j] = g0, (g0+g2+g1)/2, (g0+g2-g1)/2, g2
		}
		for i, r := range rows {
			u := t.u[i*windowSide*t.apart+k:]
			u[0], u[t.apart] = r[0], (r[0]+r[2]+r[1])/2
			u[2*t.apart], u[3*t.apart] = (r[0]+r[2]-r[1])/2, r[2]
		}
	}
}

// generic makes the gradients of the kernels.
func (t *foldTile) generic() {
	for k := range t.n {
		var g [3][3]float32
		for lot := range t.lots {
			for i := range windowSide {
				u := t.u[lot*t.lot+i*windowSide*t.apart+k:]
				sum, less := (u[t.apart]+u[2*t.apart])/2, (u[t.apart]-u[2*t.apart])/2
				for j, r := range [3]float32{sum + u[0], less, sum - u[3*t.apart]} {
					switch i {
					case 0:
						g[0][j] += r
					case 1:
						g[0][j], g[1][j], g[2][j] = g[0][j]+r/2, g[1][j]+r/2, g[2][j]+r/2
					case 2:
						g[0][j], g[1][j], g[2][j] = g[0][j]+r/2, g[1][j]-r/2, g[2][j]+r/2
					default:
						g[2][j] -= r
					}
				}
			}
		}
		for i, row := range g {
			for j, v := range row {
				t.g[(3*i+j)*t.n+k] = v
			}
		}
	}
}
