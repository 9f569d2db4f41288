//go:build !purego

package kern

import (
	"math"
	"runtime"
)

//go:generate go run -C _asm ./arm64 ../tile.go ..

// isas are the instruction sets of this build and machine, the best of them last. Every processor
// of arm64 has NEON.
var isas = []ISA{Generic, NEON}

// run computes the tile on isa.
func (t *convTile) run(isa ISA) {
	if isa == Generic {
		t.generic()
	} else {
		convTileNEON(t)
	}
}

// run computes the tile on isa.
func (t *gradTile) run(isa ISA) {
	if isa == Generic {
		t.generic()
	} else {
		gradTileNEON(t)
	}
}

func (t *tapsTile) run(bool) { panic("kern: gradient of taps: no assembly") } // GradTaps is false

// run computes the tile, on NEON: NewRows has refused another.
func (t *rowsTile) run(ISA) { rowsTileNEON(t) }

func (t *outerTile) run(ISA) { outerTileNEON(t) }

// softmax computes the tile's losses and predictions on isa. The logarithm is Go's own on every
// instruction set.
func (t *lossTile) softmax(isa ISA) {
	if isa == Generic {
		t.softmaxGeneric()
		return
	}
	var largest, sum [vector]float64
	softmaxTileNEON(t, &largest[0], &sum[0])
	for i, label := range t.labels[:vector] {
		t.losses[i] = math.Log(sum[i]) - (float64(t.outputs[label*t.lanes+i]) - largest[i])
	}
	if t.predictions != nil {
		predictionsTileNEON(t, &sum[0])
	}
}

// gradient computes the tile's outputs on isa.
func (t *lossTile) gradient(isa ISA) {
	if isa == Generic {
		t.gradientGeneric()
	} else {
		lossGradientTileNEON(t)
	}
}

// sumRows adds to dst[r] the sum over positions p and lanes j of src[p·stride + r·lanes + j].
func sumRows(isa ISA, dst, src []float32, positions, stride, lanes int) {
	if isa == Generic {
		sumRowsGeneric(dst, src, positions, stride, lanes)
		return
	}
	for r := range dst {
		dst[r] += sumRowNEON(&src[r*lanes], positions, stride, lanes)
	}
}

// maxOf4 sets y to the largest of four inputs of y's length. y may be an input.
func maxOf4(isa ISA, y, a, b, c, d []float32) {
	if isa == Generic {
		maxGeneric(y, a, b, c, d)
	} else {
		maxOf4NEON(&y[0], &a[0], &b[0], &c[0], &d[0], len(y))
	}
}

// maxOf4Backward gives dy to the first of the four inputs that equals y, their maximum.
func maxOf4Backward(isa ISA, dx, x *[4][]float32, y, dy []float32, relu bool) {
	if isa == Generic {
		maxBackwardGeneric(dx, x, y, dy, relu)
		return
	}
	maxOf4BackwardNEON(&dx[0][0], &dx[1][0], &dx[2][0], &dx[3][0],
		&x[0][0], &x[1][0], &x[2][0], &x[3][0], &y[0], &dy[0], len(y), bit(relu))
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
	if n > 0 {
		maskNEON(&dst[0], &dy[0], &y[0], n)
	}
	maskGeneric(dst[n:], dy[n:], y[n:])
}

// add sets dst to a + b.
func add(isa ISA, dst, a, b []float32) {
	n := vectorised(isa, len(dst))
	if n > 0 {
		addNEON(&dst[0], &a[0], &b[0], n)
	}
	addGeneric(dst[n:], a[n:], b[n:])
}

// add adds to the tile's sums on isa.
func (t *momentTile) add(isa ISA) {
	if isa == Generic || t.lanes%4 != 0 {
		t.generic()
	} else {
		momentsNEON(t)
	}
}

// forward normalises the tile on isa.
func (t *normTile) forward(isa ISA) {
	if isa == Generic {
		t.forwardGeneric()
	} else {
		normForwardNEON(t)
	}
}

// backward computes the tile's gradient on isa.
func (t *normTile) backward(isa ISA) {
	if isa == Generic {
		t.backwardGeneric()
	} else {
		normBackwardNEON(t)
	}
}

// sgdUpdate updates w and v by g and returns Σ g².
func sgdUpdate(isa ISA, w, v, g []float32, c *SGDConfig) float64 {
	n, norm := vectorised(isa, len(g)), 0.0
	if n > 0 {
		norm = sgdUpdateNEON(&w[0], &v[0], &g[0], n, c.LearningRate, c.Momentum, c.WeightDecay)
	}
	return norm + sgdGeneric(w[n:], v[n:], g[n:], c)
}

// sumSquares returns Σ g², in sgdUpdate's order.
func sumSquares(isa ISA, g []float32) float64 {
	n, norm := vectorised(isa, len(g)), 0.0
	if n > 0 {
		norm = sumSquaresNEON(&g[0], n)
	}
	return norm + sumSquaresGeneric(g[n:])
}

// transpose sets dst[j·dstStride+i] = src[i·srcStride+j] for i < rows and j < cols. The assembly
// takes whole squares; what is left at the edges goes to the reference.
func transpose(isa ISA, dst, src []float32, rows, cols, dstStride, srcStride int) {
	const square = 4
	squares := cols / square
	if isa == Generic || squares == 0 || rows < square {
		transposeGeneric(dst, src, rows, cols, dstStride, srcStride)
		return
	}
	i := 0
	for ; i+square <= rows; i += square {
		transposeNEON(&dst[i], &src[i*srcStride], squares, square*dstStride, dstStride, srcStride)
	}
	if done := squares * square; done < cols {
		transposeGeneric(dst[done*dstStride:], src[done:], i, cols-done, dstStride, srcStride)
	}
	if i < rows {
		transposeGeneric(dst[i:], src[i*srcStride:], rows-i, cols, dstStride, srcStride)
	}
}

// runPeak runs peakSums·n independent multiply-adds on full vectors; n is even.
func runPeak(isa ISA, n int) {
	if isa == Generic {
		runtime.KeepAlive(peakGeneric(n)) // or the compiler drops the loop
	} else {
		peakNEON(n / 2)
	}
}

// pause spends a moment in a spin loop: n YIELD instructions.
func pause(n int) { pauseNEON(n) }

func splitLines(_, _ []float32, _, _, _, _ int) { panic("kern: copies of vectors: no assembly") }
