package kern

import (
	"slices"
	"sync/atomic"
)

// Winograd is a convolution of 3×3 kernels with stride 1 whose outputs and input gradients come in
// squares of 2×2 by F(2×2, 3×3): Winograd 1980 in the form of Lavin and Gray 2016 (Fast algorithms
// for convolutional neural networks, equations 8 to 10),
//
//	y = Aᵀ·[(G·g·Gᵀ) ⊙ (Bᵀ·x·B)]·A
//
// for the kernel g between two channels and a window x of 4×4, summed over the source's channels
// before A. It multiplies 16 times for 36. It rounds otherwise than [Conv]: by about twice as much.
// The gradient of the weights is Conv's.
//
// A window's positions are lines of images, so that both transformations are sums of lines, and each
// of the 16 places of a window has a product of matrices that the convolution's own kernel computes,
// with the source's channels for taps.
type Winograd struct {
	*Conv
	space    *Scratch
	weights  []float32 // G·g·Gᵀ: [4×4][out][in]
	of       []float32 // what those are of
	forth    winogradWay
	back     winogradWay
	now      *winogradWay // of the running call
	relu     int
	channels int // of a task of it
}

// winogradWay is one direction.
type winogradWay struct {
	dst, src Shape
	pad      int   // of the source, around it
	taps     []tap // by source channel, of one place of a window
	row      int   // in the weights, from one destination channel to the next
	places   [windowArea]int
}

// WinogradFits tells whether a convolution can be a [Winograd], and gains by it. On a map of 2×2, as
// many products are left out for their zeros; of few channels, the transformations take longer than
// the products.
func WinogradFits(cfg ConvConfig) bool {
	const least = 16
	out, err := cfg.OutShape()
	return err == nil && cfg.KernelHeight == 3 && cfg.KernelWidth == 3 && cfg.Stride == 1 &&
		cfg.Pad == 1 && out.Height%2 == 0 && out.Width%2 == 0 && out.Height*out.Width > 4 &&
		cfg.In.Channels >= least && cfg.Out >= least
}

// Winograd returns the convolution by F(2×2, 3×3); WinogradFits has said that it can be. The networks'
// operations share a space.
func (c *Conv) Winograd(space *Scratch) *Winograd {
	in, lanes := c.cfg.In.Channels, c.batch.Lanes
	w := &Winograd{Conv: c, space: space, of: make([]float32, c.weightLen())}
	w.weights = Alloc(windowArea * w.plane())
	w.forth = winogradWay{dst: c.out, src: c.cfg.In, pad: c.cfg.Pad, row: in}
	w.back = winogradWay{dst: c.cfg.In, src: c.out, pad: 2 - c.cfg.Pad, row: 1}
	for k := range in {
		w.forth.taps = append(w.forth.taps, tap{int32(k * lanes), int32(k)})
	}
	for k := range c.cfg.Out {
		w.back.taps = append(w.back.taps, tap{int32(k * lanes), int32(k * in)})
	}
	// The gradient of the input is a convolution with kernels turned by half a turn: their first
	// and last transformed row change places, and so do the columns.
	turned := [windowSide]int{3, 1, 2, 0}
	for i := range windowSide {
		for j := range windowSide {
			w.forth.places[i*windowSide+j] = i*windowSide + j
			w.back.places[i*windowSide+j] = turned[i]*windowSide + turned[j]
		}
	}
	space.room(windowArea*(w.apart(in)+w.apart(c.cfg.Out)), lanes*max(in, c.cfg.Out))
	return w
}

// apart is how far apart places of a window are that have so many channels: a cache line more than
// they take, or all places would lie in the same lines of the first-level cache.
func (c *Winograd) apart(channels int) int { return channels*c.batch.Lanes + vector }

// plane is how far apart places of the weights are.
func (c *Winograd) plane() int { return c.cfg.Out*c.cfg.In.Channels + vector }

// Forward is Conv's.
func (c *Winograd) Forward(t *Team, y, x, w, bias []float32) {
	c.enterForward(y, x, w, bias)
	if c.cfg.ReLU {
		c.relu = 1
	}
	c.run(t, &c.forth)
}

// BackwardData is Conv's.
func (c *Winograd) BackwardData(t *Team, dx, dy, w, act []float32) {
	c.BackwardSum(t, dx, dy, w, act, nil)
}

// BackwardSum is Conv's.
func (c *Winograd) BackwardSum(t *Team, dx, dy, w, act, plus []float32) {
	c.enterBackward(dx, dy, w, act, plus)
	c.run(t, &c.back)
}

// leastPart is how many channels a task keeps: of fewer, it would transform as long as it multiplies.
const leastPart = 10 * tileRows

// run transforms the weights and runs the call in a direction. A task is two rows of the map, of
// some channels where there are few rows.
func (c *Winograd) run(t *Team, way *winogradWay) {
	c.now = way
	if !slices.Equal(c.of, c.call.w) {
		copy(c.of, c.call.w)
		t.run(c.cfg.Out, (*winogradWeights)(c))
	}
	rows := c.batch.Blocks * way.dst.Height / squareSide
	parts := min(max(minTasks/rows, 1), max(way.dst.Channels/leastPart, 1))
	tiles := (way.dst.Channels + tileRows - 1) / tileRows
	c.channels = (tiles + parts - 1) / parts * tileRows
	c.space.open(t.Size())
	t.run(rows*c.parts(), (*winogradCall)(c))
	c.now, c.relu = nil, 0
	c.finish()
}

// parts is the number of tasks that share the channels of two rows.
func (c *Winograd) parts() int { return (c.now.dst.Channels + c.channels - 1) / c.channels }

// winogradWeights transforms the kernels of an output channel.
type winogradWeights Winograd

func (c *winogradWeights) task(out int) {
	in := c.cfg.In.Channels
	plane := (*Winograd)(c).plane()
	for k := range in {
		g := (*[9]float32)(c.call.w[(out*in+k)*9:])
		var rows [windowSide][3]float32
		for j := range 3 {
			even, odd := (g[j]+g[6+j])/2, g[3+j]/2
			rows[0][j], rows[1][j], rows[2][j], rows[3][j] = g[j], even+odd, even-odd, g[6+j]
		}
		to := c.weights[out*in+k:]
		for i, r := range rows {
			even, odd := (r[0]+r[2])/2, r[1]/2
			at := i * windowSide * plane
			to[at], to[at+plane], to[at+2*plane], to[at+3*plane] = r[0], even+odd, even-odd, r[2]
		}
	}
}

// winogradCall's task is two rows of some channels.
type winogradCall Winograd

func (w *winogradCall) task(i int) {
	c := (*Winograd)(w)
	dst := c.now.dst
	first := i % c.parts() * c.channels
	i /= c.parts()
	r := region{
		block: i / (dst.Height / squareSide), channel: first,
		rows: min(c.channels, dst.Channels-first), top: i % (dst.Height / squareSide) * squareSide,
	}
	memory := c.space.take()
	for col := 0; col < dst.Width; col += squareSide {
		v, m := memory.cut(windowArea*c.apart(c.now.src.Channels), windowArea*c.apart(r.rows))
		c.window(v, r, col)
		c.multiply(m, v, r)
		c.square(m, r, col)
		for k := range squareArea {
			c.tell(r, r.top+k/squareSide, col+k%squareSide)
		}
	}
	c.space.give(memory)
}

// window sets v from the source around the square of region r at col.
func (c *Winograd) window(v []float32, r region, col int) {
	src, lanes := c.now.src, c.batch.Lanes
	n := src.Channels * lanes
	tile := windowTile{v: v, n: n, apart: c.apart(src.Channels), ahead: squareSide * n}
	for k := range tile.x {
		row, col := r.top-c.now.pad+k/windowSide, col-c.now.pad+k%windowSide
		tile.x[k] = c.space.zeros[:n]
		if row >= 0 && row < src.Height && col >= 0 && col < src.Width {
			tile.x[k] = c.call.x[((r.block*src.Height+row)*src.Width+col)*n:][:n]
		}
	}
	tile.run(c.isa)
}

// biasPlace is the place of a window whose product all four of the square have once, so that what is
// added there is added to all.
const biasPlace = windowSide + 1

// multiply sets m, [4×4][channels of r][lane], from v.
func (c *Winograd) multiply(m, v []float32, r region) {
	lanes := c.batch.Lanes
	tile := convTile{x: v, w: c.weights, taps: c.now.taps, wRow: c.now.row, outer: 1, lanes: lanes}
	for place, of := range c.now.places {
		tile.xBase = place * c.apart(c.now.src.Channels)
		for channel := 0; channel < r.rows; channel += tileRows {
			tile.rows = min(tileRows, r.rows-channel)
			tile.wBase = of*c.plane() + (r.channel+channel)*tile.wRow
			tile.y = m[place*c.apart(r.rows)+channel*lanes:][:tile.rows*lanes]
			tile.bias = nil
			if place == biasPlace && c.call.b != nil {
				tile.bias = c.call.b[r.channel+channel:][:tile.rows]
			}
			tile.run(c.isa)
		}
	}
}

// square sets the square of region r at col from m.
func (c *Winograd) square(m []float32, r region, col int) {
	dst, lanes := c.now.dst, c.batch.Lanes
	tile := squareTile{m: m, n: r.rows * lanes, apart: c.apart(r.rows), relu: c.relu,
		ahead: squareSide * dst.Channels * lanes}
	for k := range tile.y {
		row, col := r.top+k/squareSide, col+k%squareSide
		at := (((r.block*dst.Height+row)*dst.Width+col)*dst.Channels + r.channel) * lanes
		tile.y[k] = c.call.y[at:][:tile.n]
		if c.call.plus != nil {
			tile.plus[k] = c.call.plus[at:][:tile.n]
		}
		if c.call.mask != nil {
			tile.mask[k] = c.call.mask[at:][:tile.n]
		}
	}
	tile.run(c.isa)
}

// Scratch is memory for the windows of convolutions during a call, a piece for each thread. The
// operations of one network share one; networks that run at once have one each.
type Scratch struct {
	pieces []piece
	size   int // of a piece, in values
	zeros  []float32
}

type piece struct {
	busy   atomic.Bool
	memory []float32
	_      [cacheLine]byte
}

// room makes pieces so large, and zeros so many. It is for constructors.
func (s *Scratch) room(size, zeros int) {
	s.size = max(s.size, size)
	if len(s.zeros) < zeros {
		s.zeros = Alloc(zeros)
	}
}

// open makes pieces for so many threads. It allocates in the first call of a team.
func (s *Scratch) open(threads int) {
	if len(s.pieces) < threads {
		s.pieces = make([]piece, threads)
	}
	for i := range s.pieces {
		if len(s.pieces[i].memory) < s.size {
			s.pieces[i].memory = Alloc(s.size)
		}
	}
}

// take returns a piece that no other task has: as many tasks run as there are pieces, at most.
func (s *Scratch) take() *piece {
	for {
		for i := range s.pieces {
			if s.pieces[i].busy.CompareAndSwap(false, true) {
				return &s.pieces[i]
			}
		}
	}
}

func (s *Scratch) give(p *piece) { p.busy.Store(false) }

// cut returns two pieces of the piece, of n and m values.
func (p *piece) cut(n, m int) (_, _ []float32) { return p.memory[:n], p.memory[n:][:m] }

// generic transforms the windows.
func (t *windowTile) generic() {
	for k := range t.n {
		var s [windowArea]float32
		for j := range windowSide {
			x0, x1, x2, x3 := t.x[j][k], t.x[4+j][k], t.x[8+j][k], t.x[12+j][k]
			s[j], s[4+j], s[8+j], s[12+j] = x0-x2, x1+x2, x2-x1, x1-x3
		}
		for i := 0; i < windowArea; i += windowSide {
			s0, s1, s2, s3 := s[i], s[i+1], s[i+2], s[i+3]
			v := t.v[i*t.apart+k:]
			v[0], v[t.apart], v[2*t.apart], v[3*t.apart] = s0-s2, s1+s2, s2-s1, s1-s3
		}
	}
}

// generic makes the squares.
func (t *squareTile) generic() {
	for k := range t.n {
		var s [2 * windowSide]float32
		for j := range windowSide {
			m := t.m[j*t.apart+k:]
			m0, m1, m2, m3 := m[0], m[4*t.apart], m[8*t.apart], m[12*t.apart]
			s[j], s[4+j] = m1+m0+m2, m1-m2-m3
		}
		for i := range squareSide {
			s0, s1, s2, s3 := s[4*i], s[4*i+1], s[4*i+2], s[4*i+3]
			t.y[2*i][k], t.y[2*i+1][k] = s0+s1+s2, s1-s2-s3
		}
	}
	for i, y := range t.y {
		finishTile(y, t.plus[i], t.mask[i], t.relu)
	}
}
