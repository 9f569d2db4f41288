package dro

import (
	"errors"
	"fmt"
	"math"
	"slices"
)

// Optimum is the least worst-case risk of a regression, between two bounds that hold, up to
// rounding, whatever the search did. The upper bound is R_ρ at X. The lower bound is a dual value
// of min_x E_Q ℓ, where Q is the worst distribution at X (weak duality).
type Optimum struct {
	Risk  float64   // R_ρ(X)
	Lower float64   // at most min_x E_Q ℓ
	X     []float64 // output by output: weights, then the bias
	Z     Z         // optimal at X, unshifted
}

// Gap returns an upper bound of Risk − min R_ρ.
func (o *Optimum) Gap() float64 { return o.Risk - o.Lower }

// Least returns min over x of R_ρ(x) to a gap of 1e-9 (1 + R_ρ), or an error. It is Newton's method
// for R_ρ(x): z is eliminated exactly (WorstCase), so the Hessian is the Schur complement of the
// Hessian of F(x; z), which is convex in both. Where λ* is 0, as always for CVaR, R_ρ has corners.
// Least then takes the limit, as λ0 → 0, of the risk with λ ≥ λ0, which is off by at most λ0 ρ. It
// uses no training method and no step of one.
func (s *Regression) Least(set Set, rho float64) (Optimum, error) {
	if err := s.check(set, rho); err != nil {
		return Optimum{}, err
	}
	d := newDescent(s)
	// The mean loss first: at x = 0 all losses are equal.
	d.fixed = slices.Repeat([]float64{1}, len(s.X))
	d.ratios = d.fixed
	d.run()
	d.set, d.rho, d.fixed = set, rho, nil
	if cvar, ok := set.(CVaR); ok { // smoothed, at a radius that never binds, it is CVaR at λ = 0
		d.set, d.rho = SmoothedCVaR(cvar), 1-math.Log(cvar.Mu)
	}
	var best Optimum
	for d.floor = 1; d.floor > minLambdaFloor; d.floor /= 4 {
		d.run()
		o, err := d.bounds(set, rho)
		if err != nil {
			return o, err
		}
		if best.X == nil || o.Gap() < best.Gap() {
			best = o
		}
		if o.Gap() <= optimumGapTolerance*(1+o.Risk) {
			return o, nil
		}
	}
	return best, fmt.Errorf(
		"the least risk lies between %.8g and %.8g, which is not known well enough",
		best.Lower, best.Risk)
}

const (
	// optimumGapTolerance is the gap that Least promises, relative to 1 + R_ρ.
	optimumGapTolerance = 1e-9
	// minLambdaFloor is the λ0 at which Least gives up.
	minLambdaFloor = 1e-11
	// maxDescentSteps bounds the steps of Newton's method; ten are usual, and a few more for each
	// λ0.
	maxDescentSteps = 200
)

func (s *Regression) check(set Set, rho float64) error {
	if len(s.X) == 0 || len(s.Labels) != len(s.X) || s.Classes < 2 {
		return errors.New("regression: expected samples, a label for each, and at least two " +
			"classes")
	}
	if err := set.Validate(); err != nil {
		return err
	}
	if err := checkDual(set); err != nil {
		return fmt.Errorf("%w, and the search needs one: set optimum to false", err)
	}
	return validateRho(set, rho)
}

// descent minimises inf { F(x; z) : λ ≥ floor } over x.
type descent struct {
	s     *Regression
	set   Set
	rho   float64
	floor float64   // λ0
	fixed []float64 // weights used in place of those of a set

	x, trial, step []float64
	losses, ratios []float64
	worst          Worst
	held           bool // λ is at the floor
	value          float64
	curve          curvature
}

func newDescent(s *Regression) *descent {
	size, n := s.size(), len(s.X)
	return &descent{
		s: s,
		x: make([]float64, size), trial: make([]float64, size), step: make([]float64, size),
		losses: make([]float64, n), ratios: make([]float64, n),
		curve: newCurvature(size),
	}
}

// run takes steps until Newton's decrement is too small to go on falling. Close to the end the last
// digits of the objective cannot tell a good step, so whole steps are taken there as long as the
// decrement falls.
func (d *descent) run() {
	d.evaluate(d.x)
	last := math.Inf(1)
	for range maxDescentSteps {
		d.curve.compute(d)
		decrement := d.curve.newton(d.step)
		near := decrement < 1e-9*(1+d.value)
		switch {
		case !(decrement > 0) || near && !(decrement < last/4):
			return
		case near:
			last = decrement
			axpy(d.x, 1, d.step)
			d.evaluate(d.x)
		case !d.advance(decrement):
			return
		}
	}
}

// evaluate evaluates the objective at x. Where too long a step leads to losses that are not finite,
// the objective is +Inf.
func (d *descent) evaluate(x []float64) {
	d.s.losses(d.losses, x)
	d.held = false
	if d.fixed != nil {
		d.value = 0
		for i, l := range d.losses {
			d.value += d.fixed[i] * l / float64(len(d.losses))
		}
		return
	}
	worst, err := WorstCase(d.set, d.ratios, d.losses, d.rho)
	if err == nil && worst.Z.Lambda < d.floor {
		d.held = true
		worst, err = Penalised(d.set, d.ratios, d.losses, d.floor)
	}
	if err != nil {
		d.value = math.Inf(1)
		return
	}
	d.worst, d.value = worst, worst.Risk
	if d.held {
		d.worst.Z.Lambda = d.floor
		d.value = worst.Risk + d.floor*(d.rho-worst.Divergence)
	}
}

// advance goes along the step, halved until the objective falls by enough (Armijo). It reports
// whether it found such a step.
func (d *descent) advance(decrement float64) bool {
	before := d.value
	for a := 1.0; a > 1e-12; a /= 2 {
		for i := range d.x {
			d.trial[i] = d.x[i] + a*d.step[i]
		}
		d.evaluate(d.trial)
		if d.value <= before-1e-4*a*decrement {
			d.x, d.trial = d.trial, d.x
			return true
		}
	}
	d.evaluate(d.x)
	return false
}

// bounds returns the result of the search: R_ρ of the set itself at x, and the lower bound from the
// weights of the last worst case. The weights from any x give a valid bound.
func (d *descent) bounds(set Set, rho float64) (Optimum, error) {
	above, err := WorstCase(set, nil, d.losses, rho)
	if err != nil {
		return Optimum{}, err
	}
	below := newDescent(d.s)
	below.fixed, below.ratios = d.ratios, d.ratios
	copy(below.x, d.x)
	below.run()
	lower := below.dualValue()
	return Optimum{Risk: above.Risk, Lower: lower, X: slices.Clone(d.x), Z: above.Z}, nil
}

// dualValue returns a lower bound of min_x E_Q ℓ for the fixed weights of Q. Each loss is convex in
// its logits u, so ℓ(u) ≥ ⟨v, u⟩ − ℓ*(v) for any v. Where mean r_i v_i xᵢᵀ = 0, the first terms
// vanish for every x, and E_Q ℓ ≥ −mean r_i ℓ*(v_i) (Fenchel). Newton's step s provides such v:
// with v = ∇ℓ + ∇²ℓ·(s xᵢ) the mean is g + H s = 0. For the softmax ℓ* is −entropy of v + e_y, +Inf
// where that is no distribution; for least squares it is ½‖v‖² + v_y.
func (d *descent) dualValue() float64 {
	d.curve.compute(d)
	d.curve.newton(d.step)
	outputs := d.s.outputs()
	p, u, v := make([]float64, outputs), make([]float64, outputs), make([]float64, outputs)
	sum := 0.0
	for i, r := range d.fixed {
		d.s.loss(p, d.x, i)
		d.s.logits(u, d.step, i)
		for c := range v {
			v[c] = p[c]
			for e := range u {
				v[c] += d.s.hessian(p, c, e) * u[e]
			}
		}
		sum -= r * d.s.conjugate(v, i)
	}
	return math.Max(0, sum/float64(len(d.fixed))) // no loss is negative
}

// curvature holds the gradient and the Hessian of a descent's objective at its x.
type curvature struct {
	grad      []float64
	hess      [][]float64
	crossHess [2][]float64 // ∂∇_x F/∂η and ∂∇_x F/∂λ
	dualHess  [3]float64   // ∇²F in (η, λ): ηη, ηλ, λλ

	slope []float64
}

func newCurvature(size int) curvature {
	c := curvature{
		grad:      make([]float64, size),
		hess:      make([][]float64, size),
		slope:     make([]float64, size),
		crossHess: [2][]float64{make([]float64, size), make([]float64, size)},
	}
	for i := range c.hess {
		c.hess[i] = make([]float64, size)
	}
	return c
}

// compute computes the curvature at the x of d. The gradient is mean r ∇ℓ. The Hessian is mean r
// ∇²ℓ plus the part of the dual variables: with h = φ*″, the mean of h/λ times the outer product of
// (∇ℓ, −1, −t) with itself.
func (c *curvature) compute(d *descent) {
	c.clear()
	z, n := d.worst.Z, float64(len(d.losses))
	p := make([]float64, d.s.outputs())
	for i, r := range d.ratios {
		l := d.s.loss(p, d.x, i)
		d.s.gradient(c.slope, p, i)
		d.s.addHessian(c.hess, r/n, p, i)
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
		axpy(c.crossHess[0], -h, c.slope)
		axpy(c.crossHess[1], -h*t, c.slope)
		c.dualHess[0] += h
		c.dualHess[1] += h * t
		c.dualHess[2] += h * t * t
	}
	c.eliminate(d.held)
}

func (c *curvature) clear() {
	clear(c.grad)
	clear(c.crossHess[0])
	clear(c.crossHess[1])
	for _, row := range c.hess {
		clear(row)
	}
	c.dualHess = [3]float64{}
}

// eliminate replaces the Hessian by its Schur complement with respect to η and, where it is not
// held, λ.
func (c *curvature) eliminate(held bool) {
	subtract := func(u []float64, pivot float64) {
		if pivot > 0 {
			for j := range u {
				axpy(c.hess[j], -u[j]/pivot, u)
			}
		}
	}
	subtract(c.crossHess[0], c.dualHess[0])
	if held || !(c.dualHess[0] > 0) {
		return
	}
	ratio := c.dualHess[1] / c.dualHess[0]
	axpy(c.crossHess[1], -ratio, c.crossHess[0])
	if pivot := c.dualHess[2] - ratio*c.dualHess[1]; pivot > 1e-14*c.dualHess[2] {
		subtract(c.crossHess[1], pivot)
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
