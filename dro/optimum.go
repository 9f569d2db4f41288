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
	for d.floor = 1; d.floor > cornered; d.floor /= 4 {
		d.run()
		o, err := d.bounds(set, rho)
		if err != nil {
			return o, err
		}
		if best.X == nil || o.Gap() < best.Gap() {
			best = o
		}
		if o.Gap() <= accurate*(1+o.Risk) {
			return o, nil
		}
	}
	return best, fmt.Errorf(
		"the least risk lies between %.8g and %.8g, which is not known well enough",
		best.Lower, best.Risk)
}

const (
	// accurate is the gap that Least promises, relative to 1 + R_ρ.
	accurate = 1e-9
	// cornered is the λ0 at which Least gives up.
	cornered = 1e-11
	// mostSteps bounds the steps of Newton's method; ten are usual, and a few more for each λ0.
	mostSteps = 200
)

func (s *Regression) check(set Set, rho float64) error {
	if len(s.X) == 0 || len(s.Labels) != len(s.X) || s.Classes < 2 {
		return errors.New("regression: want samples, a label for each, and at least two classes")
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
	for range mostSteps {
		d.curve.compute(d)
		decrement := d.curve.newton(d.step)
		switch near := decrement < 1e-9*(1+d.value); {
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
	var err error
	d.worst, err = WorstCase(d.set, d.ratios, d.losses, d.rho)
	d.value = d.worst.Risk
	if d.held = err == nil && d.worst.Z.Lambda < d.floor; d.held {
		d.worst, err = Penalised(d.set, d.ratios, d.losses, d.floor)
		d.worst.Z.Lambda = d.floor
		d.value = d.worst.Risk + d.floor*(d.rho-d.worst.Divergence)
	}
	if err != nil {
		d.value = math.Inf(1)
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
		if d.evaluate(d.trial); d.value <= before-1e-4*a*decrement {
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
	return Optimum{Risk: above.Risk, Lower: below.dual(), X: slices.Clone(d.x), Z: above.Z}, nil
}

// dual returns a lower bound of min_x E_Q ℓ for the fixed weights of Q. Each loss is convex in its
// logits u, so ℓ(u) ≥ ⟨v, u⟩ − ℓ*(v) for any v. Where mean r_i v_i xᵢᵀ = 0, the first terms vanish
// for every x, and E_Q ℓ ≥ −mean r_i ℓ*(v_i) (Fenchel). Newton's step s provides such v: with
// v = ∇ℓ + ∇²ℓ·(s xᵢ) the mean is g + H s = 0. For the softmax ℓ* is −entropy of v + e_y, +Inf
// where that is no distribution; for least squares it is ½‖v‖² + v_y.
func (d *descent) dual() float64 {
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

// compute computes the curvature at the x of d. The gradient is mean r ∇ℓ. The Hessian is mean r
// ∇²ℓ plus the part of the dual variables: with h = φ*″, the mean of h/λ times the outer product of
// (∇ℓ, −1, −t) with itself.
func (c *curvature) compute(d *descent) {
	clear(c.grad)
	clear(c.mix[0])
	clear(c.mix[1])
	for _, row := range c.hess {
		clear(row)
	}
	c.duo = [3]float64{}
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
		axpy(c.mix[0], -h, c.slope)
		axpy(c.mix[1], -h*t, c.slope)
		c.duo[0], c.duo[1], c.duo[2] = c.duo[0]+h, c.duo[1]+h*t, c.duo[2]+h*t*t
	}
	c.eliminate(d.held)
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
	subtract(c.mix[0], c.duo[0])
	if held || !(c.duo[0] > 0) {
		return
	}
	ratio := c.duo[1] / c.duo[0]
	axpy(c.mix[1], -ratio, c.mix[0])
	if pivot := c.duo[2] - ratio*c.duo[1]; pivot > 1e-14*c.duo[2] {
		subtract(c.mix[1], pivot)
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

// interior solves for the worst case where the radius binds: the (λ, η̃) with
// mean r = 1 and D = mean φ(r) = ρ. Both are the first-order conditions of
// min F, which is convex, so λ ↦ D along the curve mean r = 1 falls
// monotonically and the root is bracketed.
//
// The solver divides λ and η̃ by the sample's span, and measures η̃ from origin, the loss that η̃
// tends to as λ → 0. So losses close to origin keep their differences.
type interior struct {
	set    Set
	sample sample
	saturation
	// start is the last solution, where the next search begins.
	start Z
	room  room
}

// prepare prepares the solver for exact solutions of the losses at several radii. It forgets what
// it had before, except the memory of room.
func (in *interior) prepare(set Set, s sample) {
	in.set, in.sample, in.start = set, s, Z{}
	in.saturation = saturate(set, &in.sample, &in.room)
}

// worstCase is WorstCase that allocates nothing once its room is large enough.
func (in *interior) worstCase(set Set, ratios, losses []float64, rho float64) (Worst, error) {
	if own, ok := set.(Solver); ok {
		return own.WorstCase(ratios, losses, rho)
	}
	if err := validateRho(set, rho); err != nil {
		return Worst{}, err
	}
	s, err := checked(set, ratios, losses)
	if err != nil {
		return Worst{}, err
	}
	in.prepare(set, s)
	return in.solve(ratios, rho), nil
}

// saturated returns the worst case where the radius does not bind, and fills ratios, if any.
func (in *interior) saturated(ratios []float64) Worst {
	return in.sample.tailWorst(ratios, in.tail, in.set.Divergence)
}

// moments holds means over the batch at one z; see Set.Conjugate.
type moments struct {
	excess float64    // mean r − 1
	div    float64    // mean φ(r)
	h      [3]float64 // mean φ*″(t) t^j: the Hessian of F, times λ
}

func (in *interior) moments(z Z) moments {
	var m moments
	for losses := range slices.Chunk(in.sample.losses, block) {
		var p moments
		for _, l := range losses {
			t := ((l-in.origin)/in.sample.span - z.Eta) / z.Lambda
			e, _, d, h := in.set.Conjugate(t)
			p.excess += e
			p.div += d
			p.h[0] += h
			p.h[1] += h * t
			p.h[2] += h * t * t
		}
		m.add(1, p)
	}
	var mean moments
	mean.add(1/in.sample.n(), m)
	return mean
}

func (m *moments) add(a float64, p moments) {
	m.excess += a * p.excess
	m.div += a * p.div
	for j := range m.h {
		m.h[j] += a * p.h[j]
	}
}

const (
	// maxSteps bounds the Newton and bisection steps; about 4 are usual, and
	// bisection alone ends within 70 once bracketed.
	maxSteps = 200
	// far is the |mean r − 1| up to which first-order corrections are made; near replaces it where
	// they prove too rough.
	far, near = 1e-2, 1e-9
	// polish is the relative error in λ, D and mean r at which the search ends. Newton's method
	// squares it in the last step, so the result is not checked again.
	polish = 1e-7
	// smallest is the least λ tried, relative to the span. A batch with one loss of 1e300 and the
	// rest near 1 needs 1e-302.
	smallest = 1e-306
	// strict replaces polish where the last step left a duality gap above gapTolerance times the
	// risk, which happens next to a kink of φ*′.
	strict, gapTolerance = 1e-13, 1e-12
	// In a batch of at least large losses, every stride-th loss is used to find the starting point.
	large, stride = 4096, 16
)

// solve returns the worst case at radius rho and fills ratios, if any.
func (in *interior) solve(ratios []float64, rho float64) Worst {
	if !(rho < in.divergence) { // CVaR ignores rho, whatever it is
		return in.saturated(ratios)
	}
	if own, ok := in.set.(direct); ok {
		return own.direct(&in.sample, in.room[:len(in.sample.losses)], ratios, rho)
	}
	if in.start.Lambda == 0 {
		in.start = in.guess(rho)
	}
	var w Worst
	for _, tolerance := range []float64{polish, strict} {
		in.start, _ = in.root(in.start, rho, tolerance)
		w = in.finish(ratios, in.start)
		// λ (ρ − D) is the duality gap of a point with mean r = 1.
		if w.Z.Lambda*math.Abs(w.Divergence-rho) <= gapTolerance*w.Risk {
			break
		}
	}
	return w
}

// guess returns a starting point. For a large batch it is the root for every stride-th loss.
// Otherwise it is the root of the expansion at small ρ, where φ(r) ≈ (r−1)²/2 and so D ≈ var/(2λ²).
func (in *interior) guess(rho float64) Z {
	s := &in.sample
	if n := len(s.losses); n >= large {
		part := *in
		part.room = nil // its losses lie in the room of in
		part.sample.losses = in.room.values((n + stride - 1) / stride)
		for i := range part.sample.losses {
			part.sample.losses[i] = s.losses[i*stride]
		}
		if z, ok := part.root(part.guess(rho), rho, polish); ok {
			return z
		}
	}
	var sum float64
	for _, l := range s.losses {
		d := s.scaled(l) - s.mean
		sum += d * d
	}
	return Z{math.Sqrt(sum / s.n() / (2 * rho)), s.mean + (s.min-in.origin)/s.span}
}

// root finds z with mean r = 1 and D = ρ. It is Newton's method for log D as a function of log λ
// along the curve mean r = 1, kept inside a bracket, with one pass over the losses a step. It
// reports whether Newton's method converged. Where the bracket has shrunk to nothing instead, z is
// the answer all the same.
func (in *interior) root(z Z, rho, tolerance float64) (Z, bool) {
	b := bracket{hi: math.Inf(1), reach: 8}
	// φ near r = 1 is a difference of nearly equal numbers, which leaves D a
	// relative noise of about 1e-16/√ρ. The risk does not feel it.
	tolerance += 4e-16 / math.Sqrt(rho)
	for range maxSteps {
		m := in.moments(z)
		eta, div := in.onCurve(z, &m, rho)
		z.Eta = eta
		next := newton(z.Lambda, m, div, rho)
		done := math.Abs(next/z.Lambda-1) <= tolerance &&
			math.Abs(div/rho-1) <= tolerance && math.Abs(m.excess) <= tolerance
		if div > rho {
			b.lo = z.Lambda
		} else {
			b.hi = z.Lambda
		}
		if !done {
			next = b.inside(next)
		}
		if b.hi-b.lo <= 4e-16*b.lo {
			return z, false
		}
		z.Eta -= m.h[1] / m.h[0] * (next - z.Lambda)
		z.Lambda = next
		if done {
			return z, true
		}
	}
	return z, false
}

// onCurve returns the η̃ with mean r = 1 at z.Lambda, and D there, both to first order from m, the
// moments at z. Where that is too rough to tell on which side of ρ D lies, it searches for η̃ first
// and updates m.
func (in *interior) onCurve(z Z, m *moments, rho float64) (eta, div float64) {
	eta = z.Eta
	for _, tolerance := range []float64{far, near} {
		if !(math.Abs(m.excess) <= tolerance) {
			eta, *m = in.centre(Z{z.Lambda, eta}, *m, tolerance)
		}
		if !(m.h[0] > 0) { // every loss lies where φ* is flat: λ is far too small
			return eta, math.Inf(1)
		}
		shift := m.excess / m.h[0] // in units of λ
		div = m.div - shift*m.h[1]
		if shift*shift <= .01*math.Abs(div-rho) || tolerance == near {
			eta += z.Lambda * shift
			break
		}
	}
	return eta, div
}

// newton returns the next λ, from the slope d log D/d log λ = −(h2 − h1²/h0)/D on the curve.
func newton(lambda float64, m moments, div, rho float64) float64 {
	slope := (m.h[2] - m.h[1]*m.h[1]/m.h[0]) / div
	if !(slope > 0) { // flat up to rounding: no direction
		return math.NaN()
	}
	return lambda * math.Exp(math.Log(div/rho)/slope)
}

// bracket holds the root of a decreasing D: D(lo) > ρ ≥ D(hi). lo is 0 and hi
// +Inf until a point on that side is known.
type bracket struct {
	lo, hi float64
	reach  float64 // the factor to try beyond the known end, while one is open
}

// inside returns next if it lies between the ends, otherwise (NaN included) their geometric mean.
// While one end is open, the other end multiplied or divided by reach stands in for it and for the
// mean. reach then grows, so that a root 1e300 away takes ten steps.
func (b *bracket) inside(next float64) float64 {
	lo, hi := b.lo, b.hi
	middle := math.Sqrt(lo) * math.Sqrt(hi)
	if lo == 0 {
		lo = math.Max(hi/b.reach, smallest)
		middle = lo
	}
	if math.IsInf(hi, 1) {
		hi = math.Min(lo*b.reach, math.MaxFloat64)
		middle = hi
	}
	if next > lo && next < hi {
		return next
	}
	b.reach = math.Min(b.reach*b.reach, 1e300)
	return middle
}

// centre solves mean r = 1 for η̃ at fixed λ to the given tolerance, and returns η̃ and the moments
// there. It is Newton's method for log mean r, which is linear in η̃ for KL. It starts at z, where
// the moments are m, unless those overflow or η̃ is outside the range of the losses.
func (in *interior) centre(z Z, m moments, tolerance float64) (float64, moments) {
	s := &in.sample
	// mean r ≥ 1 at the smallest loss, ≤ 1 at the largest.
	lo, hi := (s.min-in.origin)/s.span, (s.max-in.origin)/s.span
	if !(m.excess < math.MaxFloat64 && z.Eta >= lo && z.Eta <= hi) {
		z.Eta = 0
		m = in.moments(z)
	}
	for range maxSteps {
		if math.Abs(m.excess) <= tolerance {
			break
		}
		if m.excess < 0 {
			hi = z.Eta
		} else {
			lo = z.Eta
		}
		last := math.Abs(m.excess)
		next := z.Eta + z.Lambda*math.Log1p(m.excess)*(1+m.excess)/m.h[0]
		if !(next > lo && next < hi) {
			next = between(lo, hi)
		}
		if next == lo || next == hi {
			break
		}
		z.Eta = next
		m = in.moments(z)
		if math.Abs(m.excess) > last/2 && hi > lo {
			// Newton's method creeps: halve instead.
			z.Eta = between(lo, hi)
			m = in.moments(z)
		}
	}
	return z.Eta, m
}

// between returns the middle of lo < hi in the order of the floating-point numbers, which halves
// the work whatever the scale.
func between(lo, hi float64) float64 {
	switch {
	case lo < 0 && hi > 0:
		return 0
	case hi <= 0:
		return -between(-hi, -lo)
	}
	a, b := math.Float64bits(math.Abs(lo)), math.Float64bits(hi)
	return math.Float64frombits(a + (b-a)/2)
}

// finish returns the worst case at z and fills ratios, if any. Its risk is the primal value
// mean ℓ + mean (r−1)(ℓ − mean ℓ) with r normalised, the form that loses no digits (math.md §3).
func (in *interior) finish(ratios []float64, z Z) Worst {
	var f final
	rest := ratios
	for losses := range slices.Chunk(in.sample.losses, block) {
		f.add(in.final(rest, losses, z))
		rest = rest[min(len(losses), len(rest)):] // nil stays nil
	}
	s, n := &in.sample, in.sample.n()
	total := 1 + f.excess/n // mean r
	for i := range ratios {
		ratios[i] /= total
	}
	w := s.worst()
	w.Risk = math.Min(s.min+s.span*(s.mean+f.gain/n/total), s.max)
	w.Z = Z{s.span * z.Lambda, in.origin + s.span*z.Eta}
	w.Divergence = f.div/n - f.excess/n*f.tilt/n // dφ = t dr, dr = −r (mean r − 1)
	w.EffectiveSampleSize = n * n * total * total / f.square
	return w
}

// final holds, in order, the sums over losses of r − 1, r², (r − 1)(x − mean x), φ(r) and t r.
type final struct{ excess, square, gain, div, tilt float64 }

func (f *final) add(g final) {
	f.excess += g.excess
	f.square += g.square
	f.gain += g.gain
	f.div += g.div
	f.tilt += g.tilt
}

func (in *interior) final(ratios, losses []float64, z Z) (f final) {
	for i, l := range losses {
		t := ((l-in.origin)/in.sample.span - z.Eta) / z.Lambda
		e, _, d, _ := in.set.Conjugate(t)
		r := 1 + e
		if ratios != nil {
			ratios[i] = r
		}
		x := in.sample.scaled(l)
		f.add(final{e, r * r, e * (x - in.sample.mean), d, t * r})
	}
	return f
}
