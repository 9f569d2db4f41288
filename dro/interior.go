package dro

import (
	"math"
	"slices"
)

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
	start  Z
	buffer buffer
}

// prepare prepares the solver for exact solutions of the losses at several radii. It forgets what
// it had before, except the memory of its buffer.
func (in *interior) prepare(set Set, s sample) {
	in.set, in.sample, in.start = set, s, Z{}
	in.saturation = saturationOf(set, &in.sample, &in.buffer)
}

// worstCase is WorstCase that allocates nothing once its buffer is large enough.
func (in *interior) worstCase(set Set, ratios, losses []float64, rho float64) (Worst, error) {
	if own, ok := set.(Solver); ok {
		return own.WorstCase(ratios, losses, rho)
	}
	if err := validateRho(set, rho); err != nil {
		return Worst{}, err
	}
	s, err := checkedSample(set, ratios, losses)
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
	for losses := range slices.Chunk(in.sample.losses, sumBlock) {
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
	// maxRootSteps bounds the Newton and bisection steps; about 4 are usual, and
	// bisection alone ends within 70 once bracketed.
	maxRootSteps = 200
	// excessTolerance is the |mean r − 1| up to which first-order corrections are made;
	// strictExcessTolerance replaces it where they prove too rough.
	excessTolerance, strictExcessTolerance = 1e-2, 1e-9
	// rootTolerance is the relative error in λ, D and mean r at which the search ends. Newton's
	// method squares it in the last step, so the result is not checked again.
	rootTolerance = 1e-7
	// minLambda is the least λ tried, relative to the span. A batch with one loss of 1e300 and the
	// rest near 1 needs 1e-302.
	minLambda = 1e-306
	// strictRootTolerance replaces rootTolerance where the last step left a duality gap above
	// gapTolerance times the risk, which happens next to a kink of φ*′.
	strictRootTolerance, gapTolerance = 1e-13, 1e-12
	// In a batch of at least subsampleMin losses, every subsampleStride-th loss is used to find the
	// starting point.
	subsampleMin, subsampleStride = 4096, 16
)

// solve returns the worst case at radius rho and fills ratios, if any.
func (in *interior) solve(ratios []float64, rho float64) Worst {
	if !(rho < in.divergence) { // CVaR ignores rho, whatever it is
		return in.saturated(ratios)
	}
	if own, ok := in.set.(directSet); ok {
		return own.directWorst(&in.sample, in.buffer[:len(in.sample.losses)], ratios, rho)
	}
	if in.start.Lambda == 0 {
		in.start = in.guess(rho)
	}
	var w Worst
	for _, tolerance := range []float64{rootTolerance, strictRootTolerance} {
		in.start, _ = in.root(in.start, rho, tolerance)
		w = in.finish(ratios, in.start)
		// λ (ρ − D) is the duality gap of a point with mean r = 1.
		if w.Z.Lambda*math.Abs(w.Divergence-rho) <= gapTolerance*w.Risk {
			break
		}
	}
	return w
}

// guess returns a starting point. For a large batch it is the root for every subsampleStride-th
// loss. Otherwise it is the root of the expansion at small ρ, where φ(r) ≈ (r−1)²/2 and so
// D ≈ var/(2λ²).
func (in *interior) guess(rho float64) Z {
	s := &in.sample
	if n := len(s.losses); n >= subsampleMin {
		part := *in
		part.buffer = nil // its losses lie in the buffer of in
		part.sample.losses = in.buffer.values((n + subsampleStride - 1) / subsampleStride)
		for i := range part.sample.losses {
			part.sample.losses[i] = s.losses[i*subsampleStride]
		}
		if z, ok := part.root(part.guess(rho), rho, rootTolerance); ok {
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
	for range maxRootSteps {
		m := in.moments(z)
		eta, div := in.onCurve(z, &m, rho)
		z.Eta = eta
		next := nextLambda(z.Lambda, m, div, rho)
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
	for _, tolerance := range []float64{excessTolerance, strictExcessTolerance} {
		if !(math.Abs(m.excess) <= tolerance) {
			eta, *m = in.solveEta(Z{z.Lambda, eta}, *m, tolerance)
		}
		if !(m.h[0] > 0) { // every loss lies where φ* is flat: λ is far too small
			return eta, math.Inf(1)
		}
		shift := m.excess / m.h[0] // in units of λ
		div = m.div - shift*m.h[1]
		if shift*shift <= .01*math.Abs(div-rho) || tolerance == strictExcessTolerance {
			eta += z.Lambda * shift
			break
		}
	}
	return eta, div
}

// nextLambda returns the next λ, from the slope d log D/d log λ = −(h2 − h1²/h0)/D on the curve.
func nextLambda(lambda float64, m moments, div, rho float64) float64 {
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
		lo = math.Max(hi/b.reach, minLambda)
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

// solveEta solves mean r = 1 for η̃ at fixed λ to the given tolerance, and returns η̃ and the
// moments there. It is Newton's method for log mean r, which is linear in η̃ for KL. It starts at
// z, where the moments are m, unless those overflow or η̃ is outside the range of the losses.
func (in *interior) solveEta(z Z, m moments, tolerance float64) (float64, moments) {
	s := &in.sample
	// mean r ≥ 1 at the smallest loss, ≤ 1 at the largest.
	lo, hi := (s.min-in.origin)/s.span, (s.max-in.origin)/s.span
	if !(m.excess < math.MaxFloat64 && z.Eta >= lo && z.Eta <= hi) {
		z.Eta = 0
		m = in.moments(z)
	}
	for range maxRootSteps {
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
			next = floatMidpoint(lo, hi)
		}
		if next == lo || next == hi {
			break
		}
		z.Eta = next
		m = in.moments(z)
		if math.Abs(m.excess) > last/2 && hi > lo {
			// Newton's method creeps: halve instead.
			z.Eta = floatMidpoint(lo, hi)
			m = in.moments(z)
		}
	}
	return z.Eta, m
}

// floatMidpoint returns the middle of lo < hi in the order of the floating-point numbers, which
// halves the work whatever the scale.
func floatMidpoint(lo, hi float64) float64 {
	switch {
	case lo < 0 && hi > 0:
		return 0
	case hi <= 0:
		return -floatMidpoint(-hi, -lo)
	}
	a, b := math.Float64bits(math.Abs(lo)), math.Float64bits(hi)
	return math.Float64frombits(a + (b-a)/2)
}

// finish returns the worst case at z and fills ratios, if any. Its risk is the primal value
// mean ℓ + mean (r−1)(ℓ − mean ℓ) with r normalised, the form that loses no digits (math.md §3).
func (in *interior) finish(ratios []float64, z Z) Worst {
	var f primalSums
	rest := ratios
	for losses := range slices.Chunk(in.sample.losses, sumBlock) {
		f.add(in.sumPrimal(rest, losses, z))
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

// primalSums holds, in order, the sums over losses of r − 1, r², (r − 1)(x − mean x), φ(r) and t r.
type primalSums struct{ excess, square, gain, div, tilt float64 }

func (f *primalSums) add(g primalSums) {
	f.excess += g.excess
	f.square += g.square
	f.gain += g.gain
	f.div += g.div
	f.tilt += g.tilt
}

func (in *interior) sumPrimal(ratios, losses []float64, z Z) (f primalSums) {
	for i, l := range losses {
		t := ((l-in.origin)/in.sample.span - z.Eta) / z.Lambda
		e, _, d, _ := in.set.Conjugate(t)
		r := 1 + e
		if ratios != nil {
			ratios[i] = r
		}
		x := in.sample.scaled(l)
		f.add(primalSums{e, r * r, e * (x - in.sample.mean), d, t * r})
	}
	return f
}
