package dro

import "math"

// KL is the set of the Kullback-Leibler divergence, φ(t) = t log t − t + 1: the
// limit k → 1 of CressieRead.
type KL struct{}

// Name returns "kl".
func (KL) Name() string { return "kl" }

// Label returns "kl".
func (KL) Label() string { return "kl" }

// HasRadius returns true.
func (KL) HasRadius() bool { return true }

// Validate returns nil: the set has no parameter.
func (KL) Validate() error { return nil }

// Divergence implements Set.
func (KL) Divergence(r float64) float64 {
	switch {
	case r < 0:
		return math.Inf(1)
	case r == 0:
		return 1
	}
	return r*math.Log(r) - (r - 1)
}

// Conjugate implements Set: φ*(t) = e^t − 1, r = φ*″ = e^t. The dual with η
// eliminated, λ log mean e^{ℓ/λ} + λρ, is not used: its mini-batch estimate is
// biased (math.md §2).
func (KL) Conjugate(t float64) (excess, conj, div, second float64) {
	e := expm1(t)
	r := 1 + e
	if r == 0 { // φ(0) = 1; t r would be NaN at t = −Inf
		return -1, -1, 1, 0
	}
	return e, e, t*r - e, r
}

// saturate implements saturatingSet. With m ties at the maximum, the radius does not bind from
// ρ = log(n/m) on.
func (k KL) saturate(s *sample, _ *buffer) saturation {
	return s.atMax(math.Log(s.n() / float64(s.ties)))
}
