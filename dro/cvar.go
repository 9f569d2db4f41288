package dro

import (
	"fmt"
	"math"
)

// CVaR is the conditional value at risk at level μ in (0, 1): the mean of the
// worst fraction μ of the losses. As an uncertainty set it is {r ≤ 1/μ}; it has
// no radius, and its dual η + (1/μ) mean (ℓ−η)₊ has no λ. (The paper's display
// puts η inside the mean's factor 1/μ, which is wrong; math.md §3.)
type CVaR struct{ Mu float64 }

// Name returns "cvar".
func (CVaR) Name() string { return "cvar" }

// Label returns the name with μ.
func (c CVaR) Label() string { return fmt.Sprintf("cvar %.3g", c.Mu) }

// HasRadius returns false.
func (CVaR) HasRadius() bool { return false }

// Validate checks that μ lies in (0, 1).
func (c CVaR) Validate() error { return validateMu(c.Mu) }

// Divergence implements Set: 0 on [0, 1/μ], +Inf elsewhere.
func (c CVaR) Divergence(r float64) float64 {
	if r < 0 || c.Mu*r > 1+ratioSlack {
		return math.Inf(1)
	}
	return 0
}

// Conjugate implements Set: φ*(t) = t₊/μ, r = 1/μ where t > 0 and 0 elsewhere, a
// subgradient. λ φ*((ℓ−η)/λ) is the same for every λ > 0, so the dual of the
// other sets serves with ρ = 0.
func (c CVaR) Conjugate(t float64) (excess, conj, div, second float64) {
	if t <= 0 {
		return -1, 0, 0, 0
	}
	return 1/c.Mu - 1, t / c.Mu, 0, 0
}

// saturate implements saturatingSet: there is no radius that could bind.
func (c CVaR) saturate(s *sample, buf *buffer) saturation {
	return saturation{divergence: math.Inf(-1), tail: s.worstTail(c.Mu, buf)}
}

// ratioSlack is how far rounding may carry μr from 1.
const ratioSlack = 1e-15
