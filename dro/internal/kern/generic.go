package kern

// This file is the reference: what the assembly must compute, and what runs where there is none. It is written for the Go compiler: eight
// or four independent sums, and one bounds check for each group of values.

// generic computes the tile, one row and eight lanes at a time.
func (t *convTile) generic() {
	for r := range t.rows {
		bias := float32(0)
		if t.bias != nil {
			bias = t.bias[r]
		}
		for j := 0; j < t.lanes; j += 8 {
			y := (*[8]float32)(t.y[r*t.lanes+j:])
			start := [8]float32{bias, bias, bias, bias, bias, bias, bias, bias}
			if t.add != 0 {
				start = *y
			}
			t.genericSums(y, r, j, &start)
			if t.relu != 0 {
				for i, v := range y {
					if v < 0 {
						y[i] = 0
					}
				}
			}
			if t.mask != nil {
				for i, m := range (*[8]float32)(t.mask[r*t.lanes+j:]) {
					if m <= 0 {
						y[i] = 0
					}
				}
			}
		}
	}
}

// genericSums computes lanes j to j+7 of row r, from s, before ReLU and mask.
func (t *convTile) genericSums(y *[8]float32, r, j int, s *[8]float32) {
	s0, s1, s2, s3, s4, s5, s6, s7 := s[0], s[1], s[2], s[3], s[4], s[5], s[6], s[7]
	for o := range t.outer {
		xo, wo := t.xBase+o*t.xStep+j, t.wBase+o*t.wStep+r*t.wRow
		for _, tap := range t.taps {
			w := t.w[wo+int(tap.w)]
			x := (*[8]float32)(t.x[xo+int(tap.x):])
			s0 += w * x[0]
			s1 += w * x[1]
			s2 += w * x[2]
			s3 += w * x[3]
			s4 += w * x[4]
			s5 += w * x[5]
			s6 += w * x[6]
			s7 += w * x[7]
		}
	}
	*y = [8]float32{s0, s1, s2, s3, s4, s5, s6, s7}
}

// generic computes the tile, one dot product at a time.
func (t *gradTile) generic() {
	for r := range t.rows {
		for c := range t.cols {
			var s [4]float32
			for b := range t.blocks {
				dy, x := t.dy[b*t.dyBlock+r*t.lanes:], t.x[b*t.xBlock+c*t.lanes:]
				for _, p := range t.pairs {
					dotTo(&s, dy[p.dy:][:t.lanes], x[p.x:][:t.lanes])
				}
			}
			t.sum[r*gradCols+c] += (s[0] + s[1]) + (s[2] + s[3])
		}
	}
}

// dotTo adds the products of a and b, which are as long as each other and a multiple of 4, to four sums.
func dotTo(s *[4]float32, a, b []float32) {
	s0, s1, s2, s3 := s[0], s[1], s[2], s[3]
	for len(a) >= 4 && len(b) >= 4 {
		s0 += a[0] * b[0]
		s1 += a[1] * b[1]
		s2 += a[2] * b[2]
		s3 += a[3] * b[3]
		a, b = a[4:], b[4:]
	}
	*s = [4]float32{s0, s1, s2, s3}
}

// sumRowsGeneric adds to dst[r] the sum over positions p and lanes j of src[p·stride + r·lanes + j].
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

// maxBackwardGeneric gives dy to the first of the four inputs that equals y (or is NaN), and 0 to the others; with relu, only where y > 0
// or y is NaN. dx holds the four gradients in the inputs' order.
func maxBackwardGeneric(dx, x *[4][]float32, y, dy []float32, relu bool) {
	for i, g := range dy {
		v := y[i]
		if relu && v <= 0 {
			g = 0
		}
		open := true
		for k := range dx {
			u := x[k][i]
			if hit := u == v || u != u; open && hit {
				dx[k][i] = g
				open = false
			} else {
				dx[k][i] = 0
			}
		}
	}
}

// maskGeneric sets dst to dy where y > 0 or y is NaN, and to 0 elsewhere. dst may be dy.
func maskGeneric(dst, dy, y []float32) {
	dst, y = dst[:len(dy)], y[:len(dy)]
	for i, g := range dy {
		if y[i] <= 0 {
			g = 0
		}
		dst[i] = g
	}
}

// sgdGeneric updates w and v, which have g's length, and returns Σ g².
func sgdGeneric(w, v, g []float32, p *sgdParams) float64 {
	w, v = w[:len(g)], v[:len(g)]
	var norm float64
	for i, d := range g {
		norm += float64(d) * float64(d)
		v[i] = p.momentum*v[i] + (d + p.decay*w[i])
		w[i] -= p.rate * v[i]
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
