package dro

import (
	"fmt"
	"math"
)

// SmoothedCVaR is the set of the smoothed conditional value at risk,
// φ(t) = t log t + ((1−μt)/μ) log((1−μt)/(1−μ)) on [0, 1/μ], μ in (0, 1).
// Ratios stay below 1/μ. At large ρ its risk is that of CVaR at the same μ.
type SmoothedCVaR struct{ Mu float64 }

// Name returns "smoothed-cvar".
func (SmoothedCVaR) Name() string { return "smoothed-cvar" }

// Label returns the short name with μ.
func (s SmoothedCVaR) Label() string { return fmt.Sprintf("scvar %.3g", s.Mu) }

// HasRadius returns true.
func (SmoothedCVaR) HasRadius() bool { return true }

// Validate checks that μ lies in (0, 1).
func (s SmoothedCVaR) Validate() error { return validateMu(s.Mu) }

// Divergence implements Set. A ratio that rounding put just above 1/μ counts as
// 1/μ.
func (s SmoothedCVaR) Divergence(r float64) float64 {
	rest := 1 - s.Mu*r
	switch {
	case r < 0 || rest < -ratioSlack:
		return math.Inf(1)
	case rest <= ratioSlack:
		return -math.Log(s.Mu) / s.Mu
	case r == 0:
		return -math.Log1p(-s.Mu) / s.Mu
	}
	// rest/(1−μ) = 1 − μ(r−1)/(1−μ)
	return r*math.Log(r) + rest/s.Mu*math.Log1p(-s.Mu*(r-1)/(1-s.Mu))
}

// Conjugate implements Set: φ*(t) = log(1 − μ + μe^t)/μ,
// r = e^t/(1 − μ + μe^t), φ*″ = r(1 − μr). The second branch divides by e^t, which keeps a
// large t from overflowing.
func (s SmoothedCVaR) Conjugate(t float64) (excess, conj, div, second float64) {
	if t <= 1 {
		e := expm1(t)
		den := 1 + s.Mu*e
		r := (1 + e) / den
		if r == 0 { // t r would be NaN at t = −Inf
			conj = math.Log1p(-s.Mu) / s.Mu
			return -1, conj, -conj, 0
		}
		conj = math.Log1p(s.Mu*e) / s.Mu
		return (1 - s.Mu) * e / den, conj, t*r - conj, r * (1 - s.Mu) / den
	}
	small := (1 - s.Mu) * math.Exp(-t)
	r := 1 / (s.Mu + small)
	log := math.Log(s.Mu + small)
	// φ(r) = t r − φ* with r − 1/μ = −small r/μ, which leaves no difference of
	// two terms of the size of t.
	return (1 - s.Mu - small) * r, (t + log) / s.Mu, -(t*small*r + log) / s.Mu, small * r * r
}

// Saturation returns ρ_sat = log(1/μ) + ((1−μ)/μ) log(1/(1−μ)). From this radius on the constraint
// does not bind and the risk is that of CVaR. If μn is not an integer, that happens at a slightly
// smaller radius, which WorstCase finds exactly.
func (s SmoothedCVaR) Saturation() float64 {
	return -math.Log(s.Mu) - (1-s.Mu)/s.Mu*math.Log1p(-s.Mu)
}

// saturate implements saturatingSet. The radius binds until the set contains the worst case of CVaR
// in which the ties at the edge share their mass evenly.
func (s SmoothedCVaR) saturate(b *sample, buf *buffer) saturation {
	w := b.worstTail(s.Mu, buf)
	divergence := b.tailWorst(nil, w, s.Divergence).Divergence
	return saturation{divergence: divergence, tail: w, origin: w.edge}
}
