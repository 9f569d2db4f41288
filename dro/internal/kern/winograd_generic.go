package kern

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
			y := t.y[j]
			switch {
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
			s[j] = t.a[j][k]
			switch {
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
