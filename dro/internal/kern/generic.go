package kern

import "math"

// This file, norm_generic.go and winograd_generic.go are the reference: they define what the
// assembly must compute, and run where there is no assembly. The code is written for the Go
// compiler, with eight independent sums and one bounds check for four values.

// generic computes the tile in parts whose source values stay in the first-level cache while all
// rows visit them.
func (t *convTile) generic() {
	t.start()
	var part [partLen]tap
	n := 0
	for o := range t.outer {
		x, w := t.xBase+o*t.xStep, t.wBase+o*t.wStep
		for _, p := range t.taps {
			part[n] = tap{int32(x + int(p.x)), int32(w + int(p.w))}
			n++
			if n == partLen {
				t.addPart(part[:])
				n = 0
			}
		}
	}
	t.addPart(part[:n])
	t.finish()
}

// partLen is the number of steps in a part of a tile; each step has some cache lines in use.
const partLen = 256

// start sets y to the values that the sums start from.
func (t *convTile) start() {
	if t.add != 0 {
		return
	}
	for r := range t.rows {
		bias := float32(0)
		if t.bias != nil {
			bias = t.bias[r]
		}
		fill(t.y[r*t.lanes:][:t.lanes], bias)
	}
}

// addPart adds taps, whose offsets are from the start of x and w, to all rows and lanes.
func (t *convTile) addPart(taps []tap) {
	for j := 0; j < t.lanes; j += 8 {
		for r := range t.rows {
			addTaps((*[8]float32)(t.y[r*t.lanes+j:]), t.x[j:], t.w[r*t.wRow:], taps)
		}
	}
}

// addTaps adds a weight times eight values of x to y for each tap. The halves of a tap are apart,
// each behind a check of its own, because the compiler does all products between two branches
// before it adds them, and has registers left for four.
func addTaps(y *[8]float32, xs, ws []float32, taps []tap) {
	s0, s1, s2, s3, s4, s5, s6, s7 := y[0], y[1], y[2], y[3], y[4], y[5], y[6], y[7]
	for _, t := range taps {
		i, w := int(t.x), ws[t.w]
		x := (*[4]float32)(xs[i : i+4 : i+4])
		s0 += w * x[0]
		s1 += w * x[1]
		s2 += w * x[2]
		s3 += w * x[3]
		x = (*[4]float32)(xs[i+4 : i+8 : i+8])
		s4 += w * x[0]
		s5 += w * x[1]
		s6 += w * x[2]
		s7 += w * x[3]
	}
	*y = [8]float32{s0, s1, s2, s3, s4, s5, s6, s7}
}

// finish applies ReLU, plus and mask.
func (t *convTile) finish() { finishTile(t.y[:t.rows*t.lanes], t.plus, t.mask, t.relu) }

func finishTile(y, plus, mask []float32, relu int) {
	if relu != 0 {
		maskGeneric(y, y, y)
	}
	if plus != nil {
		addGeneric(y, y, plus)
	}
	if mask != nil {
		maskGeneric(y, y, mask[:len(y)])
	}
}

// generic computes the tile in parts as convTile's generic does, eight lanes per step.
func (t *gradTile) generic() {
	var part [partLen]pair
	n := 0
	for b := range t.blocks {
		dy, x := b*t.dyBlock, b*t.xBlock
		for _, p := range t.pairs {
			for j := 0; j < t.lanes; j += 8 {
				part[n] = pair{int32(dy + int(p.dy) + j), int32(x + int(p.x) + j)}
				n++
				if n == partLen {
					t.addPart(part[:])
					n = 0
				}
			}
		}
	}
	t.addPart(part[:n])
}

// addPart adds the products at pairs, of eight lanes each, to all sums.
func (t *gradTile) addPart(pairs []pair) {
	for r := range t.rows {
		for c := range t.cols {
			t.sum[r*gradCols+c] += dot(t.dy[r*t.lanes:], t.x[c*t.lanes:], pairs)
		}
	}
}

// dot returns the sum of the products of eight values of a and b for each pair, in halves as
// addTaps does.
func dot(as, bs []float32, pairs []pair) float32 {
	var s0, s1, s2, s3, s4, s5, s6, s7 float32
	for _, p := range pairs {
		i, j := int(p.dy), int(p.x)
		a, b := (*[4]float32)(as[i:i+4:i+4]), (*[4]float32)(bs[j:j+4:j+4])
		s0 += a[0] * b[0]
		s1 += a[1] * b[1]
		s2 += a[2] * b[2]
		s3 += a[3] * b[3]
		a, b = (*[4]float32)(as[i+4:i+8:i+8]), (*[4]float32)(bs[j+4:j+8:j+8])
		s4 += a[0] * b[0]
		s5 += a[1] * b[1]
		s6 += a[2] * b[2]
		s7 += a[3] * b[3]
	}
	return ((s0 + s1) + (s2 + s3)) + ((s4 + s5) + (s6 + s7))
}

// sumRowsGeneric adds to dst[r] the sum over positions p and lanes j of src[p·stride + r·lanes +
// j].
func sumRowsGeneric(dst, src []float32, positions, stride, lanes int) {
	for r := range dst {
		var s0, s1, s2, s3 float32
		for p := range positions {
			row := src[p*stride+r*lanes:][:lanes]
			for len(row) >= 4 {
				s0 += row[0]
				s1 += row[1]
				s2 += row[2]
				s3 += row[3]
				row = row[4:]
			}
		}
		dst[r] += (s0 + s1) + (s2 + s3)
	}
}

// transposeGeneric sets dst[j·dstStride+i] = src[i·srcStride+j] for i < rows and j < cols.
func transposeGeneric(dst, src []float32, rows, cols, dstStride, srcStride int) {
	for i := range rows {
		for j, v := range src[i*srcStride:][:cols] {
			dst[j*dstStride+i] = v
		}
	}
}

// maxGeneric sets y to the largest of the four inputs, NaN if one is NaN. All have y's length.
func maxGeneric(y, a, b, c, d []float32) {
	a, b, c, d = a[:len(y)], b[:len(y)], c[:len(y)], d[:len(y)]
	for i := range y {
		y[i] = max(max(a[i], b[i]), max(c[i], d[i]))
	}
}

// maxBackwardGeneric gives dy to the first of the four inputs that equals y (or is NaN), and 0 to
// the others; with relu, only where y > 0 or y is NaN. dx holds the four gradients in the inputs'
// order.
func maxBackwardGeneric(dx, x *[4][]float32, y, dy []float32, relu bool) {
	for i, g := range dy {
		// left is the part of the gradient not given yet, as bits for the reason in maskGeneric.
		v, left := y[i], math.Float32bits(g)
		if relu && v <= 0 {
			left = 0
		}
		for k := range dx {
			u, hit := x[k][i], uint32(0)
			if u == v {
				hit = math.MaxUint32
			}
			if u != u {
				hit = math.MaxUint32
			}
			dx[k][i] = math.Float32frombits(left & hit)
			left &^= hit
		}
	}
}

// maskGeneric sets dst to dy where y > 0 or y is NaN, and to 0 elsewhere. dst may be dy, and y. It
// chooses between bits, because that takes a conditional move and not a branch that is hard to
// predict.
func maskGeneric(dst, dy, y []float32) {
	dst, y = dst[:len(dy)], y[:len(dy)]
	for i, g := range dy {
		bits := math.Float32bits(g)
		if y[i] <= 0 {
			bits = 0
		}
		dst[i] = math.Float32frombits(bits)
	}
}

// sgdGeneric updates w and v, which have g's length, and returns Σ g².
func sgdGeneric(w, v, g []float32, c *SGDConfig) float64 {
	w, v = w[:len(g)], v[:len(g)]
	var norm float64
	for i, d := range g {
		norm += float64(d) * float64(d)
		v[i] = c.Momentum*v[i] + (d + c.WeightDecay*w[i])
		w[i] -= c.LearningRate * v[i]
	}
	return norm
}

// sumSquaresGeneric returns Σ g².
func sumSquaresGeneric(g []float32) float64 {
	var norm float64
	for _, d := range g {
		norm += float64(d) * float64(d)
	}
	return norm
}

// softmaxGeneric computes the tile's losses and predictions. It takes each step, the exponential
// and the logarithm among them, for all images before the next step, so that the images do not wait
// for each other.
func (t *lossTile) softmaxGeneric() {
	var largest, sum [vector]float64
	for i := range largest {
		largest[i] = math.Inf(-1)
	}
	for k := range t.classes {
		for i, v := range t.outputs[k*t.lanes:][:vector] {
			largest[i] = max(largest[i], float64(v))
		}
	}
	for k := range t.classes {
		e := t.exp[k*vector:][:vector]
		for i, v := range t.outputs[k*t.lanes:][:vector] {
			e[i] = math.Exp(float64(v) - largest[i])
			sum[i] += e[i]
		}
	}
	for i, label := range t.labels[:vector] {
		t.losses[i] = math.Log(sum[i]) - (float64(t.outputs[label*t.lanes+i]) - largest[i])
	}
	if t.predictions == nil {
		return
	}
	for k := range t.classes {
		p := t.predictions[k*t.lanes:][:vector]
		for i, e := range t.exp[k*vector:][:vector] {
			p[i] = float32(e / sum[i])
		}
	}
}

// gradientGeneric computes the tile's outputs, the gradients.
func (t *lossTile) gradientGeneric() {
	for i, label := range t.labels[:vector] {
		for k := range t.classes {
			p := float64(t.predictions[k*t.lanes+i])
			if k == label {
				p--
			}
			t.outputs[k*t.lanes+i] = float32(t.weights[i] * p)
		}
	}
}

func fill(a []float32, v float32) {
	for i := range a {
		a[i] = v
	}
}

func addGeneric(dst, a, b []float32) {
	a, b = a[:len(dst)], b[:len(dst)]
	for k := range dst {
		dst[k] = a[k] + b[k]
	}
}
