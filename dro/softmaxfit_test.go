package dro

import (
	"math"
	"testing"
)

// slopes returns the derivatives of Σ v ℓ in a layer's weights and biases, written out.
func slopes(w []float64, rows [][]float64, labels []int, v []float64, classes int) []float64 {
	d := len(rows[0]) + 1
	grad := make([]float64, len(w))
	for i, row := range rows {
		p, sum := make([]float64, classes), 0.0
		for k := range p {
			u := w[k*d+d-1]
			for j, x := range row {
				u += w[k*d+j] * x
			}
			p[k] = math.Exp(u)
			sum += p[k]
		}
		for k := range p {
			p[k] /= sum
			if k == labels[i] {
				p[k]--
			}
			for j, x := range row {
				grad[k*d+j] += v[i] * p[k] * x
			}
			grad[k*d+d-1] += v[i] * p[k]
		}
	}
	return grad
}

// At the solution under L1, a coordinate's slope is −sign(w), or within ±1 where w is 0. Two
// classes take one logistic regression, three take the softmax.
func TestLassoIsStationary(t *testing.T) {
	for classes := 2; classes <= 3; classes++ {
		h := cells(testRand(71), 200, 6, .3)
		rows := h.rows()
		for i := range h.Labels {
			h.Labels[i] = (h.Labels[i] + i%classes) % classes
		}
		for _, c := range []float64{.01, .1, 1} {
			w := make([]float64, classes*7)
			fitLasso(w, rows, h.Labels, c, classes, noOrders)
			v, zeros := make([]float64, 200), 0
			fill(v, c)
			first := 0
			if classes == 2 {
				first = 7 // the other class is held at 0
			}
			for j, g := range slopes(w, rows, h.Labels, v, classes)[first:] {
				at := w[first+j]
				if at == 0 {
					zeros++
				}
				if at == 0 && math.Abs(g) > 1+1e-3 ||
					at != 0 && math.Abs(g+math.Copysign(1, at)) > 2e-3 {
					t.Errorf("%d classes, C = %v: coordinate %d is %v, its slope %v", classes, c,
						j, at, g)
				}
			}
			if c == .01 && zeros == 0 {
				t.Errorf("%d classes: no coordinate is 0", classes)
			}
		}
	}
}
