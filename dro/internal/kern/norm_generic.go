package kern

// generic adds the moments to the tile's sums.
func (t *momentTile) generic() {
	for p := range t.positions {
		for c := range t.channels {
			at := p*t.stride + c*t.apart
			t.sums[c].add(t.a[at:][:t.lanes], t.b[at:][:t.lanes], t.around[c])
		}
	}
}

// add adds the moments of a and b, which have the same length, in four independent sums, so that
// additions do not wait for one another.
func (m *moment) add(a, b []float32, around float64) {
	var s0, s1, s2, s3, p0, p1, p2, p3 float64
	for len(a) >= 4 && len(b) >= 4 {
		a0, a1, a2, a3 := float64(a[0]), float64(a[1]), float64(a[2]), float64(a[3])
		s0 += a0
		s1 += a1
		s2 += a2
		s3 += a3
		p0 += a0 * (float64(b[0]) - around)
		p1 += a1 * (float64(b[1]) - around)
		p2 += a2 * (float64(b[2]) - around)
		p3 += a3 * (float64(b[3]) - around)
		a, b = a[4:], b[4:]
	}
	for i, v := range a {
		s0 += float64(v)
		p0 += float64(v) * (float64(b[i]) - around)
	}
	m.sum += (s0 + s1) + (s2 + s3)
	m.product += (p0 + p1) + (p2 + p3)
}

func (t *normTile) forwardGeneric() {
	for k := range t.positions * t.channels {
		c, at := k%t.channels, k*t.lanes
		centre, scale, offset := t.centre[c], t.scale[c], t.offset[c]
		y := t.dst[at:][:t.lanes]
		for j, v := range t.x[at:][:t.lanes] {
			y[j] = scale*(v-centre) + offset
		}
		if t.plus != nil {
			addGeneric(y, y, t.plus[at:])
		}
	}
	if t.relu != 0 {
		y := t.dst[:t.positions*t.channels*t.lanes]
		maskGeneric(y, y, y)
	}
}

func (t *normTile) backwardGeneric() {
	for k := range t.positions * t.channels {
		c, at := k%t.channels, k*t.lanes
		centre, scale, slope, offset := t.centre[c], t.scale[c], t.slope[c], t.offset[c]
		dx, x := t.dst[at:][:t.lanes], t.x[at:][:t.lanes]
		for j, d := range t.dy[at:][:t.lanes] {
			dx[j] = scale*d + slope*(x[j]-centre) + offset
		}
	}
}
