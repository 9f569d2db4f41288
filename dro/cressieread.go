package dro

import (
	"fmt"
	"math"
)

// CressieRead is the set of the Cressie-Read divergence
// φ_k(t) = (t^k − kt + k − 1)/(k(k−1)), k in (1, 2]. At k = 2 it is χ² with the
// factor ½: φ_2(t) = (t−1)²/2. As k → 1 it tends to KL.
type CressieRead struct{ K float64 }

// Name returns "cressie-read".
func (CressieRead) Name() string { return "cressie-read" }

// Label returns "χ²" at k = 2, else k.
func (c CressieRead) Label() string {
	if c.K == 2 {
		return "χ²"
	}
	return fmt.Sprintf("k=%.3g", c.K)
}

// HasRadius returns true.
func (CressieRead) HasRadius() bool { return true }

// Validate checks that k lies in (1, 2].
func (c CressieRead) Validate() error {
	if c.K > 1 && c.K <= 2 {
		return nil
	}
	return fmt.Errorf("k %v: expected a value in (1, 2] (the limit k = 1 is the set kl)", c.K)
}

// Divergence implements Set.
func (c CressieRead) Divergence(r float64) float64 {
	switch {
	case r < 0:
		return math.Inf(1)
	case r == 0:
		return 1 / c.K
	}
	t := math.Expm1((c.K-1)*math.Log(r)) / (c.K - 1)
	return (t*r - (r - 1)) / c.K
}

// Conjugate implements Set with r = (1 + (k−1)t)₊^{1/(k−1)}. Expm1 and Log1p
// give e = r − 1 without cancellation for every k, and then
//
//	φ*(t) = (e + (k−1) t r)/k        φ(r) = (t r − e)/k        φ*″(t) = r^{2−k} = r/r^{k−1}
//
// where r > 0, because r^{k−1} = 1 + (k−1)t and φ(r) = t r − φ*(t) (Fenchel).
func (c CressieRead) Conjugate(t float64) (excess, conj, div, second float64) {
	w := (c.K - 1) * t
	switch {
	case w <= -1:
		return -1, -1 / c.K, 1 / c.K, 0
	case c.K == 2:
		return t, t + t*t/2, t * t / 2, 1
	}
	e := expm1(math.Log1p(w) / (c.K - 1))
	r := 1 + e
	return e, (e + w*r) / c.K, (t*r - e) / c.K, r / (1 + w)
}

// saturate implements saturatingSet. From ρ = ((n/m)^{k−1} − 1)/(k(k−1)) on, the radius does not
// bind: this is the divergence of all mass on the m largest losses.
func (c CressieRead) saturate(s *sample, _ *buffer) saturation {
	top := s.n() / float64(s.ties)
	return s.atMax(math.Expm1((c.K-1)*math.Log(top)) / (c.K * (c.K - 1)))
}
