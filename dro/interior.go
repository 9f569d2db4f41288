package dro

import "math"

// interior solves for the worst case where the radius binds: the (λ, η̃) with
// mean r = 1 and D = mean φ(r) = ρ. Both are the first-order conditions of
// min F, which is convex, so λ ↦ D along the curve mean r = 1 falls
// monotonically and the root is bracketed.
//
// Everything but the result is in the units of sample.scaled.
type interior struct {
	set    Set
	sample sample
	// limit is the largest divergence that a worst case has; from ρ = limit on
	// the answer is saturated.
	limit     float64
	saturated func(ratios []float64) Worst
	// start is the last solution, where the next search begins.
	start Z
}

// moments are means over the batch at one z, see Set.conjugate.
type moments struct {
	excess float64    // mean r − 1
	div    float64    // mean φ(r)
	h      [3]float64 // mean φ*″(t) t^j: the Hessian of F, times λ
}

func (in *interior) moments(z Z) moments {
	var m moments
	losses := in.sample.losses
	for start := 0; start < len(losses); start += block {
		var p moments
		for _, l := range losses[start:min(start+block, len(losses))] {
			t := (in.sample.scaled(l) - z.Eta) / z.Lambda
			e, _, d, h := in.set.conjugate(t)
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
	// bisection alone ends within 60 once bracketed.
	maxSteps = 200
	// centred is the largest |mean r − 1| at which D may be carried to mean
	// r = 1 by its derivative.
	centred = 1e-3
	// polish is the relative error from which one more Newton step, which
	// squares it, ends the search without another look.
	polish = 3e-7
	// stride is the share of a large batch that finds the starting point.
	stride = 64
)

// solve implements solver.
func (in *interior) solve(ratios []float64, rho float64) Worst {
	if rho >= in.limit {
		return in.saturated(ratios)
	}
	if in.start.Lambda == 0 {
		in.start = in.guess(rho)
	}
	in.start, _ = in.root(in.start, rho)
	return in.finish(ratios, in.start)
}

// guess returns a starting point: the root of every stride-th loss of a large
// batch, otherwise that of the expansion at small ρ, where φ(r) ≈ (r−1)²/2 and
// so D ≈ var/(2λ²).
func (in *interior) guess(rho float64) Z {
	if n := len(in.sample.losses); n >= stride*stride {
		part := *in
		part.sample.losses = make([]float64, 0, n/stride+1)
		for i := 0; i < n; i += stride {
			part.sample.losses = append(part.sample.losses, in.sample.losses[i])
		}
		if z, ok := part.root(part.guess(rho), rho); ok {
			return z
		}
	}
	var sum float64
	for _, l := range in.sample.losses {
		d := in.sample.scaled(l) - in.sample.mean
		sum += d * d
	}
	return Z{math.Sqrt(sum / in.sample.n() / (2 * rho)), in.sample.mean}
}

// root finds z with mean r = 1 and D = ρ by Newton's method for log D as a
// function of log λ along the curve mean r = 1, one pass over the losses a
// step, kept inside a bracket. It reports whether it converged; a bracket that
// shrank to nothing is the answer all the same.
func (in *interior) root(z Z, rho float64) (Z, bool) {
	lo, hi := 0.0, math.Inf(1) // D(lo) > ρ ≥ D(hi)
	for range maxSteps {
		m := in.moments(z)
		if !(math.Abs(m.excess) < centred) {
			z.Eta, m = in.centre(z, centred)
		}
		if !(m.h[0] > 0) { // no loss lies where φ* is curved: λ is far too small
			lo, z.Lambda = z.Lambda, bracketed(math.NaN(), z.Lambda, hi)
			continue
		}
		// To first order: the η̃ that centres, and D there.
		shift := z.Lambda * m.excess / m.h[0]
		z.Eta += shift
		div := m.div - shift*m.h[1]/z.Lambda
		if div > rho {
			lo = z.Lambda
		} else {
			hi = z.Lambda
		}
		if (hi-lo)/hi <= 4e-16 {
			return z, false
		}
		next := newton(z.Lambda, m, div, rho)
		step := bracketed(next, lo, hi)
		z.Eta -= m.h[1] / m.h[0] * (step - z.Lambda)
		z.Lambda = step
		if step == next && math.Abs(div-rho) <= polish*rho && math.Abs(m.excess) <= polish {
			return z, true
		}
	}
	return z, false
}

// newton returns the next λ: d log D/d log λ = −(h2 − h1²/h0)/D on the curve.
func newton(lambda float64, m moments, div, rho float64) float64 {
	slope := (m.h[2] - m.h[1]*m.h[1]/m.h[0]) / div
	return lambda * math.Exp(math.Log(div/rho)/slope)
}

// bracketed returns next if it lies between the ends, otherwise (NaN included)
// their geometric mean. While an end is still open, 8 times past the other
// stands in for it and for the mean.
func bracketed(next, lo, hi float64) float64 {
	middle := math.Sqrt(lo) * math.Sqrt(hi)
	if lo == 0 {
		lo, middle = hi/8, hi/8
	}
	if math.IsInf(hi, 1) {
		hi, middle = 8*lo, 8*lo
	}
	if next > lo && next < hi {
		return next
	}
	return middle
}

// centre solves mean r = 1 for η̃ at fixed λ to the given tolerance, by Newton's
// method for log mean r, which is linear in η̃ for KL, from the largest loss
// down, where no r exceeds 1 and nothing overflows.
func (in *interior) centre(z Z, tolerance float64) (float64, moments) {
	lo, hi := 0.0, 1.0 // mean r ≥ 1 at the smallest loss, ≤ 1 at the largest
	eta := hi
	var m moments
	for range maxSteps {
		m = in.moments(Z{z.Lambda, eta})
		if math.Abs(m.excess) <= tolerance || hi-lo <= 4e-16*hi {
			break
		}
		if m.excess < 0 {
			hi = eta
		} else {
			lo = eta
		}
		eta += z.Lambda * math.Log1p(m.excess) * (1 + m.excess) / m.h[0]
		if !(eta > lo && eta < hi) {
			eta = lo + (hi-lo)/2
		}
	}
	return eta, m
}

// finish computes the primal value mean ℓ + mean (r−1)(ℓ − mean ℓ) with r
// normalised, the form that loses no digits (math.md §3).
func (in *interior) finish(ratios []float64, z Z) Worst {
	var f final
	losses := in.sample.losses
	for start := 0; start < len(losses); start += block {
		end := min(start+block, len(losses))
		var into []float64
		if ratios != nil {
			into = ratios[start:end]
		}
		f.add(in.final(into, losses[start:end], z))
	}
	s, n := &in.sample, in.sample.n()
	total := 1 + f.excess/n // mean r
	for i := range ratios {
		ratios[i] /= total
	}
	w := s.worst()
	w.Risk = math.Min(s.min+s.span*(s.mean+f.gain/n/total), s.max)
	w.Z = Z{s.span * z.Lambda, s.min + s.span*z.Eta}
	w.Divergence = f.div/n - f.excess/n*f.tilt/n // dφ = t dr, dr = −r (mean r − 1)
	w.EffectiveSampleSize = n * n * total * total / f.square
	return w
}

// final holds sums over losses: of r − 1, r², (r − 1)(x − mean x), φ(r), t r.
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
		x := in.sample.scaled(l)
		t := (x - z.Eta) / z.Lambda
		e, _, d, _ := in.set.conjugate(t)
		r := 1 + e
		if ratios != nil {
			ratios[i] = r
		}
		f.add(final{e, r * r, e * (x - in.sample.mean), d, t * r})
	}
	return f
}
