package dro

import "math"

// curvature holds the gradient and the Hessian of a descent's objective at its x.
type curvature struct {
	grad []float64
	hess [][]float64
	mix  [2][]float64 // ∂∇_x F/∂η and ∂∇_x F/∂λ
	duo  [3]float64   // ∇²F in (η, λ): ηη, ηλ, λλ

	slope []float64
}

func newCurvature(size int) curvature {
	c := curvature{
		grad:  make([]float64, size),
		hess:  make([][]float64, size),
		slope: make([]float64, size),
		mix:   [2][]float64{make([]float64, size), make([]float64, size)},
	}
	for i := range c.hess {
		c.hess[i] = make([]float64, size)
	}
	return c
}

// of computes the curvature at the x of d. The gradient is mean r ∇ℓ. The Hessian is mean r ∇²ℓ
// plus the part of the dual variables: with h = φ*″, the mean of h/λ times the outer product of
// (∇ℓ, −1, −t) with itself.
func (c *curvature) of(d *descent) {
	c.clear()
	z, n := d.worst.Z, float64(len(d.losses))
	p := make([]float64, d.s.outputs())
	for i, r := range d.ratios {
		l := d.s.loss(p, d.x, i)
		d.s.slope(c.slope, p, i)
		d.s.bend(c.hess, r/n, p, i)
		axpy(c.grad, r/n, c.slope)
		if d.fixed != nil {
			continue
		}
		t := (l - z.Eta) / z.Lambda
		_, _, _, h := d.set.Conjugate(t)
		if h == 0 {
			continue
		}
		h /= z.Lambda * n
		for j, g := range c.slope {
			axpy(c.hess[j], h*g, c.slope)
		}
		axpy(c.mix[0], -h, c.slope)
		axpy(c.mix[1], -h*t, c.slope)
		c.duo[0], c.duo[1], c.duo[2] = c.duo[0]+h, c.duo[1]+h*t, c.duo[2]+h*t*t
	}
	c.eliminate(d.held)
}

func (c *curvature) clear() {
	clear(c.grad)
	clear(c.mix[0])
	clear(c.mix[1])
	for _, row := range c.hess {
		clear(row)
	}
	c.duo = [3]float64{}
}

// eliminate replaces the Hessian by its Schur complement with respect to η and, where it is not
// held, λ.
func (c *curvature) eliminate(held bool) {
	take := func(u []float64, pivot float64) {
		if pivot > 0 {
			for j := range u {
				axpy(c.hess[j], -u[j]/pivot, u)
			}
		}
	}
	take(c.mix[0], c.duo[0])
	if held || !(c.duo[0] > 0) {
		return
	}
	ratio := c.duo[1] / c.duo[0]
	axpy(c.mix[1], -ratio, c.mix[0])
	if pivot := c.duo[2] - ratio*c.duo[1]; pivot > 1e-14*c.duo[2] {
		take(c.mix[1], pivot)
	}
}

// newton writes −H⁻¹g to step and returns the decrement gᵀH⁻¹g. Directions in which H is flat, such
// as those of repeated features, are left alone: a ridge far below the size of H stands in for the
// curvature there.
func (c *curvature) newton(step []float64) float64 {
	size, trace := len(c.grad), 0.0
	for i := range size {
		trace += c.hess[i][i]
	}
	ridge := 1e-13 * trace
	for i := range size {
		c.hess[i][i] += ridge
	}
	cholesky(c.hess, ridge)
	for i := range size { // L y = −g
		y := -c.grad[i]
		for k := range i {
			y -= c.hess[i][k] * step[k]
		}
		step[i] = y / c.hess[i][i]
	}
	decrement := 0.0
	for _, y := range step {
		decrement += y * y
	}
	for i := size - 1; i >= 0; i-- { // Lᵀ x = y
		for k := i + 1; k < size; k++ {
			step[i] -= c.hess[k][i] * step[k]
		}
		step[i] /= c.hess[i][i]
	}
	return decrement
}

// cholesky writes L of LLᵀ = h into the lower triangle of h. A pivot that rounding has spoilt is
// raised to floor.
func cholesky(h [][]float64, floor float64) {
	for i := range h {
		for j := range i + 1 {
			v := h[i][j]
			for k := range j {
				v -= h[i][k] * h[j][k]
			}
			if i == j {
				h[i][i] = math.Sqrt(math.Max(v, floor))
			} else {
				h[i][j] = v / h[j][j]
			}
		}
	}
}

// axpy adds a x to y.
func axpy(y []float64, a float64, x []float64) {
	for i := range y {
		y[i] += a * x[i]
	}
}
