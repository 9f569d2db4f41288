package dro

import (
	"fmt"
	"math"
	"slices"
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

// WorstCase implements Set. rho is ignored.
func (c CVaR) WorstCase(ratios, losses []float64, rho float64) (Worst, error) {
	return WorstCase(c, ratios, losses, rho)
}

// saturate implements saturating: there is no radius that could bind.
func (c CVaR) saturate(s *sample, room *room) saturation {
	return saturation{divergence: math.Inf(-1), tail: s.tail(c.Mu, room)}
}

// tail describes the worst distribution with r ≤ 1/μ: r = top above the loss
// edge, r = share on the losses equal to it, 0 below.
type tail struct {
	edge       float64
	top, share float64
	above, tie int     // number of losses above edge, and equal to it
	excess     float64 // Σ over the losses above edge of (ℓ − edge)/span
}

// tail finds the worst distribution with r ≤ 1/μ from a sorted copy of the losses. The ties at the
// edge share the remaining mass evenly, which also gives the least divergence.
func (s *sample) tail(mu float64, room *room) tail {
	sorted := room.of(len(s.losses))
	copy(sorted, s.losses)
	slices.Sort(sorted)
	n := len(sorted)
	// The edge is the first loss, from the top, whose full mass no longer fits.
	full := min(int(mu*s.n()), n-1)
	t := tail{edge: sorted[n-1-full], top: 1 / mu}
	first, _ := slices.BinarySearch(sorted, t.edge)
	for t.above = 0; sorted[n-1-t.above] > t.edge; t.above++ {
		t.excess += (sorted[n-1-t.above] - t.edge) / s.span
	}
	t.tie = n - t.above - first
	t.share = math.Max(0, s.n()-float64(t.above)*t.top) / float64(t.tie)
	return t
}

// tailWorst returns the Worst of a tail, with the risk edge + mean r (ℓ − edge), and fills ratios,
// if any.
func (s *sample) tailWorst(ratios []float64, t tail, phi func(float64) float64) Worst {
	for i, l := range s.losses[:len(ratios)] {
		switch {
		case l > t.edge:
			ratios[i] = t.top
		case l == t.edge:
			ratios[i] = t.share
		default:
			ratios[i] = 0
		}
	}
	n := s.n()
	w := s.worst()
	w.Risk = math.Min(t.edge+s.span*(t.excess*t.top/n), s.max)
	w.Z.Eta, w.Saturated = t.edge, true
	above, tie := float64(t.above)/n, float64(t.tie)/n
	w.Divergence = above*phi(t.top) + tie*phi(t.share)
	if rest := 1 - above - tie; t.above+t.tie < len(s.losses) {
		w.Divergence += rest * phi(0)
	}
	w.EffectiveSampleSize = n / (above*t.top*t.top + tie*t.share*t.share)
	return w
}
