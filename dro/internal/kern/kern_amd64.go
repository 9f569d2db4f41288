//go:build !purego

package kern

import (
	"runtime"

	"golang.org/x/sys/cpu"
)

//go:generate go run -C _asm . ../tile.go ..

// isas are the instruction sets of this build and machine, the best of them last.
var isas = func() []ISA {
	x := &cpu.X86
	switch {
	case !x.HasAVX2 || !x.HasFMA:
		return []ISA{Generic}
	case x.HasAVX512F && x.HasAVX512DQ && x.HasAVX512BW && x.HasAVX512VL:
		return []ISA{Generic, AVX2, AVX512}
	}
	return []ISA{Generic, AVX2}
}()

// run computes the tile on isa.
func (t *convTile) run(isa ISA) {
	switch {
	case isa == Generic:
		t.generic()
	case isa == AVX2:
		convTileAVX2(t)
	case t.lanes == 64:
		convTile64AVX512(t)
	case t.lanes == 48:
		convTile48AVX512(t)
	case t.lanes == 32:
		convTile32AVX512(t)
	default:
		convTile16AVX512(t)
	}
}

// halfRows is the most rows of a tile of the gradient or of [Rows] that AVX2 keeps in registers.
const halfRows = tileRows / 2

// run computes the tile on isa.
func (t *gradTile) run(isa ISA) {
	switch isa {
	case Generic:
		t.generic()
	case AVX512:
		gradTileAVX512(t)
	default:
		gradTileAVX2(t)
		if t.rows > halfRows {
			low := *t
			low.rows -= halfRows
			low.dy, low.sum = t.dy[halfRows*t.lanes:], t.sum[halfRows*gradCols:]
			gradTileAVX2(&low)
		}
	}
}

// splitLines copies so many lines of parts·16 values, which lie stride values apart in src. Part k
// of all lines is at dst[k·apart].
func splitLines(dst, src []float32, lines, stride, parts, apart int) {
	splitLinesAVX2(&dst[0], &src[0], lines, stride, parts, apart)
}

// run computes the tile, on bf16 pairs or on float32 values.
func (t *tapsTile) run(pairs bool) {
	if pairs {
		tapsTileBF16(t)
	} else {
		tapsTileAVX512(t)
	}
}

// run computes the tile on isa.
func (t *rowsTile) run(isa ISA) {
	if isa == AVX512 {
		rowsTileAVX512(t)
		return
	}
	rowsTileAVX2(t)
	if t.rows > halfRows {
		low := *t
		low.rows -= halfRows
		low.w, low.y = t.w[halfRows*t.lanes:], t.y[halfRows*t.yRow:]
		rowsTileAVX2(&low)
	}
}

// run computes the tile on isa.
func (t *outerTile) run(isa ISA) {
	if isa == AVX512 {
		outerTileAVX512(t)
		return
	}
	outerTileAVX2(t)
	if t.rows > halfRows {
		low := *t
		low.rows -= halfRows
		low.dw, low.dy = t.dw[halfRows*t.dwRow:], t.dy[halfRows*t.dyRow:]
		outerTileAVX2(&low)
	}
}

// softmax computes the tile's losses and predictions on isa.
func (t *lossTile) softmax(isa ISA) {
	switch isa {
	case Generic:
		t.softmaxGeneric()
	case AVX2:
		softmaxTileAVX2(t)
	default:
		softmaxTileAVX512(t)
	}
}

// gradient computes the tile's outputs on isa.
func (t *lossTile) gradient(isa ISA) {
	switch isa {
	case Generic:
		t.gradientGeneric()
	case AVX2:
		lossGradientTileAVX2(t)
	default:
		lossGradientTileAVX512(t)
	}
}

// sumRows adds to dst[r] the sum over positions p and lanes j of src[p·stride + r·lanes + j].
func sumRows(isa ISA, dst, src []float32, positions, stride, lanes int) {
	if isa == Generic {
		sumRowsGeneric(dst, src, positions, stride, lanes)
		return
	}
	for r := range dst {
		row := &src[r*lanes]
		if isa == AVX512 {
			dst[r] += sumRowAVX512(row, positions, stride, lanes)
		} else {
			dst[r] += sumRowAVX2(row, positions, stride, lanes)
		}
	}
}

// maxOf4 sets y to the largest of four inputs of y's length. y may be an input.
func maxOf4(isa ISA, y, a, b, c, d []float32) {
	switch isa {
	case Generic:
		maxGeneric(y, a, b, c, d)
	case AVX2:
		maxOf4AVX2(&y[0], &a[0], &b[0], &c[0], &d[0], len(y))
	default:
		maxOf4AVX512(&y[0], &a[0], &b[0], &c[0], &d[0], len(y))
	}
}

// maxOf4Backward gives dy to the first of the four inputs that equals y, their maximum.
func maxOf4Backward(isa ISA, dx, x *[4][]float32, y, dy []float32, relu bool) {
	switch isa {
	case Generic:
		maxBackwardGeneric(dx, x, y, dy, relu)
	case AVX2:
		maxOf4BackwardAVX2(&dx[0][0], &dx[1][0], &dx[2][0], &dx[3][0],
			&x[0][0], &x[1][0], &x[2][0], &x[3][0], &y[0], &dy[0], len(y), bit(relu))
	default:
		maxOf4BackwardAVX512(&dx[0][0], &dx[1][0], &dx[2][0], &dx[3][0],
			&x[0][0], &x[1][0], &x[2][0], &x[3][0], &y[0], &dy[0], len(y), bit(relu))
	}
}

// vectorised returns how many of n values the assembly takes; the rest go to the reference.
func vectorised(isa ISA, n int) int {
	if isa == Generic {
		return 0
	}
	return n / vector * vector
}

// mask sets dst to dy where y > 0 or y is NaN, and to 0 elsewhere.
func mask(isa ISA, dst, dy, y []float32) {
	n := vectorised(isa, len(dy))
	if n > 0 && isa == AVX2 {
		maskAVX2(&dst[0], &dy[0], &y[0], n)
	} else if n > 0 {
		maskAVX512(&dst[0], &dy[0], &y[0], n)
	}
	maskGeneric(dst[n:], dy[n:], y[n:])
}

// add sets dst to a + b.
func add(isa ISA, dst, a, b []float32) {
	n := vectorised(isa, len(dst))
	if n > 0 && isa == AVX2 {
		addAVX2(&dst[0], &a[0], &b[0], n)
	} else if n > 0 {
		addAVX512(&dst[0], &a[0], &b[0], n)
	}
	addGeneric(dst[n:], a[n:], b[n:])
}

// add adds to the tile's sums on isa.
func (t *momentTile) add(isa ISA) {
	switch {
	case isa == Generic || t.lanes%4 != 0:
		t.generic()
	case isa == AVX2:
		momentsAVX2(t)
	case t.own:
		squaresAVX512(t)
	default:
		momentsAVX512(t)
	}
}

// forward normalises the tile on isa.
func (t *normTile) forward(isa ISA) {
	switch isa {
	case Generic:
		t.forwardGeneric()
	case AVX2:
		normForwardAVX2(t)
	default:
		normForwardAVX512(t)
	}
}

// backward computes the tile's gradient on isa.
func (t *normTile) backward(isa ISA) {
	switch isa {
	case Generic:
		t.backwardGeneric()
	case AVX2:
		normBackwardAVX2(t)
	default:
		normBackwardAVX512(t)
	}
}

// sgdUpdate updates w and v by g and returns Σ g².
func sgdUpdate(isa ISA, w, v, g []float32, c *SGDConfig) float64 {
	n, norm := vectorised(isa, len(g)), 0.0
	if n > 0 && isa == AVX2 {
		norm = sgdUpdateAVX2(&w[0], &v[0], &g[0], n, c.LearningRate, c.Momentum, c.WeightDecay)
	} else if n > 0 {
		norm = sgdUpdateAVX512(&w[0], &v[0], &g[0], n, c.LearningRate, c.Momentum, c.WeightDecay)
	}
	return norm + sgdGeneric(w[n:], v[n:], g[n:], c)
}

// sumSquares returns Σ g², in sgdUpdate's order.
func sumSquares(isa ISA, g []float32) float64 {
	n, norm := vectorised(isa, len(g)), 0.0
	if n > 0 && isa == AVX2 {
		norm = sumSquaresAVX2(&g[0], n)
	} else if n > 0 {
		norm = sumSquaresAVX512(&g[0], n)
	}
	return norm + sumSquaresGeneric(g[n:])
}

// transpose sets dst[j·dstStride+i] = src[i·srcStride+j] for i < rows and j < cols.
func transpose(isa ISA, dst, src []float32, rows, cols, dstStride, srcStride int) {
	if isa == Generic {
		transposeGeneric(dst, src, rows, cols, dstStride, srcStride)
		return
	}
	square := 8
	if isa == AVX512 {
		square = 16
	}
	if rows%square == 0 && cols%square == 0 {
		for j := 0; j < cols; j += square {
			to, from, step := &dst[j*dstStride], &src[j], square*srcStride
			if isa == AVX512 {
				transposeSquaresAVX512(to, from, rows/square, square, step, dstStride, srcStride)
			} else {
				transposeSquaresAVX2(to, from, rows/square, square, step, dstStride, srcStride)
			}
		}
		return
	}
	for i := 0; i < rows; i += square {
		for j := 0; j < cols; j += square {
			to, from := &dst[j*dstStride+i], &src[i*srcStride+j]
			height, width := min(square, rows-i), min(square, cols-j)
			if isa == AVX512 {
				transposeAVX512(to, from, height, width, dstStride, srcStride)
			} else {
				transposeAVX2(to, from, height, width, dstStride, srcStride)
			}
		}
	}
}

// runPeak runs peakSums·n independent multiply-adds on full vectors.
func runPeak(isa ISA, n int) {
	switch isa {
	case Generic:
		runtime.KeepAlive(peakGeneric(n)) // or the compiler drops the loop
	case AVX2:
		peakAVX2(n)
	default:
		peakAVX512(n)
	}
}
