package kern

// winogradVectors is the plan of a [Winograd] on AVX2, where a tile has one vector of lanes. A task
// takes a square for 16 lanes of each channel after the other: windows, products and squares of all
// 64 lanes do not fit the first-level cache, those of 16 do. The sums stay the same, and so does
// their order.
type winogradVectors struct {
	window  vectorWindowTile
	product vectorProductTile
	square  vectorSquareTile
}

// maxVectorWeights is the most transformed weights of a convolution whose lanes are taken one
// vector after the other. So many stay in the second-level cache; more would come from memory for
// each vector.
const maxVectorWeights = windowArea * 64 * 64

// WinogradVectors reports whether a [Winograd] of cfg takes its lanes one vector after the other,
// and sums the gradient of its weights in the order of that.
func WinogradVectors(isa ISA, cfg ConvConfig) bool {
	return isa == AVX2 && windowArea*cfg.Out*wholeVectors(cfg.In.Channels) <= maxVectorWeights
}

// vectorApart returns how far apart the places of a window of 16 lanes are. As in apart, this is a
// line more than their values take.
func vectorApart(channels int) int { return (channels + 1) * vector }

// tileHeights returns the heights of as few tiles as n rows need, which differ by one at most, and
// 0 behind them: a tile of few rows waits for its sums.
func tileHeights(n int) (heights []int) {
	tiles := ceilDiv(n, tileRows)
	for i := range tiles {
		heights = append(heights, (i+1)*n/tiles-i*n/tiles)
	}
	return append(heights, 0)
}

// winogradVectorsCall's task is two rows.
type winogradVectorsCall Winograd

func (w *winogradVectorsCall) task(i int) {
	c := (*Winograd)(w)
	dst, r := c.direction.dst, c.rows(i)
	memory := c.space.acquire()
	tiles := c.vectorTiles(r, memory)
	for col := 0; col < dst.Width; col += squareSide {
		c.placeVectors(&tiles, r, col)
		for lane := 0; lane < c.batch.Lanes; lane += vector {
			tiles.window.lane, tiles.square.lane = lane, lane
			for line := range windowSide {
				c.multiplyVector(&tiles, r, line)
			}
			tiles.square.run(c.isa)
		}
		c.addSquareMoments(r, col)
	}
	c.space.release(memory)
}

// vectorTiles returns the tiles of a region.
func (c *Winograd) vectorTiles(r region, memory *piece) (t winogradVectors) {
	way, lanes := c.direction, c.batch.Lanes
	src, dst := way.src.Channels, way.dst
	v, m := memory.split(windowSide*vectorApart(src), windowArea*vectorApart(r.rows))
	t.window = vectorWindowTile{v: v, channels: src, lanes: lanes, apart: vectorApart(src)}
	t.product = vectorProductTile{v: v, w: c.weights, heights: way.heights, channels: src,
		row: way.row, step: way.step, count: windowSide}
	for j := range windowSide {
		t.product.places[j] = vectorPlace{m: j * vectorApart(r.rows), v: j * vectorApart(src)}
	}
	t.square = vectorSquareTile{m: m, relu: way.relu, channels: r.rows, lanes: lanes,
		col: dst.Channels * lanes, row: dst.Width * dst.Channels * lanes,
		apart: vectorApart(r.rows)}
	return t
}

// placeVectors gives the tiles the windows around the square of region r at col, and its place.
func (c *Winograd) placeVectors(t *winogradVectors, r region, col int) {
	src, dst := c.direction.src, c.direction.dst
	n := src.Channels * c.batch.Lanes
	x := c.call.x[r.block*src.Height*src.Width*n:]
	for k := range t.window.x {
		row, col := r.top-c.direction.pad+k/windowSide, col-c.direction.pad+k%windowSide
		t.window.x[k] = positionAt(src, x, c.space.zeros, n, row, col)
	}
	at := (((r.block*dst.Height+r.top)*dst.Width+col)*dst.Channels + r.channel) * c.batch.Lanes
	t.square.y = c.call.y[at:]
	t.square.plus, t.square.mask = nil, nil
	if c.call.plus != nil {
		t.square.plus = c.call.plus[at:]
	}
	if c.call.mask != nil {
		t.square.mask = c.call.mask[at:]
	}
}

// multiplyVector sets a row of places of m to the products of the weights and the windows.
func (c *Winograd) multiplyVector(t *winogradVectors, r region, line int) {
	way := c.direction
	t.window.line = line
	t.window.run(c.isa)
	p := &t.product
	p.m = t.square.m[line*windowSide*t.square.apart:]
	for j := range windowSide {
		p.places[j].w = way.places[line*windowSide+j]*c.planeLen() + r.channel*way.row
	}
	p.bias, p.biasLeft = nil, 0
	if line == biasPlace/windowSide && c.call.b != nil {
		p.bias, p.biasLeft = c.call.b[r.channel:], windowSide-biasPlace%windowSide
	}
	c.askNext(t, r, line)
	p.run(c.isa)
}

// askNext makes the products of a row of places prefetch, for the next square, a row of its window
// and a position of its own.
func (c *Winograd) askNext(t *winogradVectors, r region, line int) {
	p, s, lanes := &t.product, &t.square, c.batch.Lanes
	n := squareSide * c.direction.src.Channels * lanes
	at := s.lane + squareSide*s.col + line/squareSide*s.row + line%squareSide*s.col
	p.askSteps, p.askStride = ceilDiv(max(p.channels, r.rows), 2), lanes
	y := address(s.y) + uintptr(4*at)
	p.askAt = [vectorStreams]uintptr{y, y, y, y, y}
	for j := range squareSide {
		x := t.window.x[line*windowSide+squareSide+j]
		p.askAt[1+j] = address(x) + uintptr(4*(s.lane+n))
	}
	if s.plus != nil {
		p.askAt[3] = address(s.plus) + uintptr(4*at)
	}
	if s.mask != nil {
		p.askAt[4] = address(s.mask) + uintptr(4*at)
	}
}

// generic transforms a row of the windows.
func (t *vectorWindowTile) generic() {
	for c := range t.channels {
		w := windowTile{v: t.v[c*vector:], plus: bit(t.line == 1), n: vector, apart: t.apart}
		for j := range windowSide {
			rows, at := windowRows[t.line], t.lane+c*t.lanes
			w.a[j] = t.x[rows[0]*windowSide+j][at:]
			w.b[j] = t.x[rows[1]*windowSide+j][at:]
		}
		w.generic()
	}
}

// generic multiplies a row of places.
func (t *vectorProductTile) generic() {
	rows := 0
	for _, height := range t.heights {
		rows += height
	}
	for k, p := range t.places[:t.count] {
		for r := range rows {
			m := t.m[p.m+r*vector:][:vector]
			for j := range m {
				switch {
				case t.add != 0:
				case t.count-k == t.biasLeft:
					m[j] = t.bias[r]
				default:
					m[j] = 0
				}
				for c := range t.channels {
					m[j] += t.w[p.w+r*t.row+c*t.step] * t.v[p.v+c*vector+j]
				}
			}
		}
	}
}

// generic makes the squares.
func (t *vectorSquareTile) generic() {
	for c := range t.channels {
		for line := range windowSide {
			for i, with := range squareRows[line] {
				if with == 0 {
					continue
				}
				at := t.lane + c*t.lanes + i*t.row
				s := squareTile{
					m: t.m[line*windowSide*t.apart+c*vector:], n: vector, apart: t.apart}
				if line > i {
					s.start = with
				}
				s.last, s.relu = bit(line == i+2), t.relu
				for j := range squareSide {
					s.y[j] = t.y[at+j*t.col:][:vector]
					s.plus[j] = optionalPart(t.plus, at+j*t.col, vector)
					s.mask[j] = optionalPart(t.mask, at+j*t.col, vector)
				}
				s.generic()
			}
		}
	}
}
