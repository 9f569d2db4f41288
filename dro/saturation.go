package dro

import (
	"math"
	"slices"
)

// saturation describes where the radius of a set stops binding on a batch.
type saturation struct {
	// divergence is the largest divergence of a worst case: from ρ = divergence on, the worst case
	// is tail.
	divergence float64
	tail       tailRatios
	origin     float64 // the loss that η̃ tends to as λ → 0
}

// saturatingSet is a set with a rule of its own for when its radius stops binding. buf is memory
// for the computation.
type saturatingSet interface {
	saturate(s *sample, buf *buffer) saturation
}

// directSet is a set whose worst case needs no search where the radius binds. sorted holds the
// sorted losses, which its saturate has left in buf.
type directSet interface {
	directWorst(s *sample, sorted, ratios []float64, rho float64) Worst
}

// saturationOf returns the saturation of the set on s. A set without a rule of its own ends with
// all mass on the largest losses.
func saturationOf(set Set, s *sample, buf *buffer) saturation {
	if own, ok := set.(saturatingSet); ok {
		return own.saturate(s, buf)
	}
	share := float64(s.ties) / s.n()
	return s.atMax(share*set.Divergence(1/share) + (1-share)*set.Divergence(0))
}

// atMax returns the saturation of a set that ends, at this divergence, with all mass spread evenly
// on the largest losses: r = n/ties there and 0 elsewhere.
func (s *sample) atMax(divergence float64) saturation {
	end := tailRatios{edge: s.max, tie: s.ties, share: s.n() / float64(s.ties)}
	return saturation{divergence: divergence, tail: end, origin: s.max}
}

// tailRatios describes the worst distribution with r ≤ 1/μ: r = top above the loss
// edge, r = share on the losses equal to it, 0 below.
type tailRatios struct {
	edge       float64
	top, share float64
	above, tie int     // number of losses above edge, and equal to it
	excess     float64 // Σ over the losses above edge of (ℓ − edge)/span
}

// worstTail finds the worst distribution with r ≤ 1/μ from a sorted copy of the losses. The ties at
// the edge share the remaining mass evenly, which also gives the least divergence.
func (s *sample) worstTail(mu float64, buf *buffer) tailRatios {
	sorted := buf.values(len(s.losses))
	copy(sorted, s.losses)
	slices.Sort(sorted)
	n := len(sorted)
	// The edge is the first loss, from the top, whose full mass no longer fits.
	full := min(int(mu*s.n()), n-1)
	t := tailRatios{edge: sorted[n-1-full], top: 1 / mu}
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
func (s *sample) tailWorst(ratios []float64, t tailRatios, phi func(float64) float64) Worst {
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
