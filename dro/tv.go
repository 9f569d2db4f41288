package dro

import (
	"math"
	"slices"
)

// TV is the set of total variation, φ(t) = |t − 1|/2: Q may move at most a share ρ of the mass of
// the samples. The worst Q takes it off the smallest losses and puts it on the largest, so that R_ρ
// = (1−ρ) CVaR_{1−ρ} + ρ max ℓ. CVaR_μ is the mean of the worst fraction μ (math.md §3; Jiang,
// Guan, Operations Research 2018, 66(5), 1390–1405).
//
// φ grows no faster than t, so φ* is +Inf above ½ (Ben-Tal, den Hertog, De Waegenaere, Melenberg,
// Rennen, Management Science 2013, 59(2), table 2, for 2φ). The dual is then infinite unless
// η̃ + λ/2 reaches the largest of all losses, and no method can keep such a z. At ρ ≥ 1 the set has
// every distribution on the samples, and R_ρ is the largest loss.
type TV struct{}

// Name returns "tv".
func (TV) Name() string { return "tv" }

// Label returns "tv".
func (TV) Label() string { return "tv" }

// HasRadius returns true.
func (TV) HasRadius() bool { return true }

// Validate returns nil: there are no parameters.
func (TV) Validate() error { return nil }

// Divergence implements Set.
func (TV) Divergence(r float64) float64 {
	if r < 0 {
		return math.Inf(1)
	}
	return math.Abs(r-1) / 2
}

// Conjugate implements Set: φ*(t) = max(t, −½), with r = 1 above −½ and r = 0 from −½ down. Above ½
// it is +Inf.
func (TV) Conjugate(t float64) (excess, conj, div, second float64) {
	switch {
	case t > .5:
		return math.Inf(1), math.Inf(1), math.Inf(1), 0
	case t > -.5:
		return 0, t, 0, 0
	}
	return -1, -.5, .5, 0
}

// saturate implements saturatingSet. With m ties at the maximum, no more than the mass of the other
// losses, 1 − m/n, can move. The sorted losses are left in buf.
func (TV) saturate(s *sample, buf *buffer) saturation {
	copy(buf.values(len(s.losses)), s.losses)
	slices.Sort(buf.values(len(s.losses)))
	return s.atMax(1 - float64(s.ties)/s.n())
}

// directWorst implements directSet. With c the loss up to which mass is taken off, the dual is R_ρ
// = min over c of mean max(ℓ, c) + ρ (max ℓ − c). It is the dual of the other sets at λ = max ℓ −
// c, η̃ = (max ℓ + c)/2.
func (TV) directWorst(s *sample, sorted, ratios []float64, rho float64) Worst {
	n := s.n()
	// The edge is the first loss that keeps some of its mass. Rounding must not carry it to the
	// largest loss, which gives up no mass.
	edge := sorted[min(int(rho*n), len(sorted)-s.ties-1)]
	below, _ := slices.BinarySearch(sorted, edge)
	tie, _ := slices.BinarySearch(sorted[below:], math.Nextafter(edge, math.Inf(1)))
	share := clamp(1-(rho*n-float64(below))/float64(tie), [2]float64{0, 1})
	top := 1 + rho*n/float64(s.ties)
	// The mass that a loss gives up gains the distance to the largest loss: no terms cancel.
	gain := (1 - share) * float64(tie) * (1 - s.scaled(edge))
	for _, l := range sorted[:below] {
		gain += 1 - s.scaled(l)
	}
	for i, l := range s.losses[:len(ratios)] {
		switch {
		case l < edge:
			ratios[i] = 0
		case l == edge:
			ratios[i] = share
		case l < s.max:
			ratios[i] = 1
		default:
			ratios[i] = top
		}
	}
	w := s.worst()
	w.Risk = math.Min(s.min+s.span*(s.mean+gain/n), s.max)
	w.Z = Z{Lambda: s.max - edge, Eta: edge + (s.max-edge)/2}
	w.Divergence = (float64(below) + (1-share)*float64(tie)) / n
	whole := n - float64(below+tie+s.ties) // losses that keep their mass
	w.EffectiveSampleSize = n * n / (share*share*float64(tie) + whole + top*top*float64(s.ties))
	return w
}
