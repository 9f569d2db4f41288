//go:build (!amd64 && !arm64) || purego

package kern

import "runtime"

// isas are the instruction sets of this build.
var isas = []ISA{Generic}

func (t *convTile) run(ISA) { t.generic() }

func (t *windowTile) run(ISA) { t.generic() }

func (t *squareTile) run(ISA) { t.generic() }

func (t *spreadTile) run(ISA) { t.generic() }

func (t *kernelTile) run(ISA) { t.generic() }

func (t *foldTile) run(ISA) { t.generic() }

func (t *gradTile) run(ISA) { t.generic() }

func (t *tapsTile) run(bool) { panic("kern: gradient of taps: no assembly") } // GradTaps is false

func (t *rowsTile) run(ISA) { panic("kern: Rows: no assembly") } // NewRows has refused

func (t *outerTile) run(ISA) { panic("kern: Rows: no assembly") }

func (t *lossTile) softmax(ISA) { t.softmaxGeneric() }

func (t *lossTile) gradient(ISA) { t.gradientGeneric() }

func sumRows(_ ISA, dst, src []float32, positions, stride, lanes int) {
	sumRowsGeneric(dst, src, positions, stride, lanes)
}

func maxOf4(_ ISA, y, a, b, c, d []float32) { maxGeneric(y, a, b, c, d) }

func maxOf4Backward(_ ISA, dx, x *[4][]float32, y, dy []float32, relu bool) {
	maxBackwardGeneric(dx, x, y, dy, relu)
}

func mask(_ ISA, dst, dy, y []float32) { maskGeneric(dst, dy, y) }

func add(_ ISA, dst, a, b []float32) { addGeneric(dst, a, b) }

func (t *momentTile) add(ISA) { t.generic() }

func (t *normTile) forward(ISA) { t.forwardGeneric() }

func (t *normTile) backward(ISA) { t.backwardGeneric() }

func sgdUpdate(_ ISA, w, v, g []float32, c *SGDConfig) float64 { return sgdGeneric(w, v, g, c) }

func sumSquares(_ ISA, g []float32) float64 { return sumSquaresGeneric(g) }

func transpose(_ ISA, dst, src []float32, rows, cols, dstStride, srcStride int) {
	transposeGeneric(dst, src, rows, cols, dstStride, srcStride)
}

func runPeak(_ ISA, n int) { runtime.KeepAlive(peakGeneric(n)) }

// pause spends a moment in a spin loop.
func pause(int) { runtime.Gosched() }

func splitLines(_, _ []float32, _, _, _, _ int) { panic("kern: copies of vectors: no assembly") }

func (t *vectorWindowTile) run(ISA) { t.generic() }

func (t *vectorProductTile) run(ISA) { t.generic() }

func (t *vectorSquareTile) run(ISA) { t.generic() }

func (t *vectorSpreadTile) run(ISA) { t.generic() }
