package dro

import (
	"errors"
	"fmt"
	"math"
	"slices"
)

// Worst is the exact solution of sup { E_Q ℓ : D_φ(Q‖P0) ≤ ρ } for one batch,
// or, from Penalised, of sup { E_Q ℓ − λ D_φ(Q‖P0) }.
type Worst struct {
	// Risk is E_Q ℓ at the worst distribution Q (the primal value), in the unit
	// of the losses.
	Risk float64 `json:"risk"`
	// Z is an optimal (λ, η̃), unshifted. λ is 0 where the radius does not bind,
	// and for CVaR.
	Z
	// Divergence is D_φ(Q‖P0), at most ρ up to rounding.
	Divergence float64 `json:"divergence"`
	// EffectiveSampleSize is n (mean r)²/mean r², between 1 and n.
	EffectiveSampleSize float64 `json:"effective_sample_size"`
	// MeanLoss and MaxLoss bound Risk from below and above.
	MeanLoss float64 `json:"mean_loss"`
	MaxLoss  float64 `json:"max_loss"`
	// Saturated reports that a larger radius would not raise the risk.
	Saturated bool `json:"saturated"`
}

// sample is a checked batch and its scale. The solvers work with
// x = (ℓ − min)/span in [0, 1], which neither a loss of 1e300 nor a spread of
// 1e-12 can spoil.
type sample struct {
	losses         []float64
	min, max, span float64
	mean           float64 // of x
	ties           int     // losses equal to max
}

// block is the number of terms that a pass adds up before it adds them to its total: two short sums
// lose less than one long sum, at no cost.
const block = 512

func newSample(losses []float64) (sample, error) {
	if len(losses) == 0 {
		return sample{}, errors.New("losses: none given; want at least one")
	}
	s := sample{losses: losses, min: math.Inf(1)}
	for i, l := range losses {
		if !(l >= 0) || math.IsInf(l, 1) {
			return sample{}, fmt.Errorf("losses[%d] %v: want a finite value, not negative", i, l)
		}
		if l > s.max || i == 0 {
			s.max, s.ties = l, 0
		}
		if l == s.max {
			s.ties++
		}
		s.min = math.Min(s.min, l)
	}
	s.span = s.max - s.min
	if s.span == 0 {
		return s, nil
	}
	for terms := range slices.Chunk(losses, block) {
		var part float64
		for _, l := range terms {
			part += s.scaled(l)
		}
		s.mean += part
	}
	s.mean /= s.n()
	return s, nil
}

func (s *sample) n() float64 { return float64(len(s.losses)) }

func (s *sample) scaled(l float64) float64 { return (l - s.min) / s.span }

// worst returns the fields of a Worst that do not depend on the distribution.
func (s *sample) worst() Worst {
	return Worst{MeanLoss: s.min + s.span*s.mean, MaxLoss: s.max}
}

// Solver is a Set that computes by itself what WorstCase returns.
type Solver interface {
	WorstCase(ratios, losses []float64, rho float64) (Worst, error)
}

// WorstCase returns the exact worst-case risk of the losses at radius rho and writes the worst
// distribution's likelihood ratios into ratios unless that is nil. The losses must be finite and
// not negative, rho positive and finite (CVaR ignores it). A set of another package whose φ is not
// finite on [0, ∞) must be a [Solver].
func WorstCase(set Set, ratios, losses []float64, rho float64) (Worst, error) {
	return new(interior).worstCase(set, ratios, losses, rho)
}

// Penalised returns the exact worst case of the penalised problem
// sup { E_Q ℓ − λ D_φ(Q‖P0) } at a fixed λ > 0, which is what PAN-DRO
// minimises. Its value is Risk − lambda·Divergence; it is also the constrained
// worst case at the radius ρ = Divergence. ratios are filled unless nil.
func Penalised(set Set, ratios, losses []float64, lambda float64) (Worst, error) {
	if !(lambda > 0) || math.IsInf(lambda, 1) {
		return Worst{}, fmt.Errorf("lambda %v: want a positive finite value", lambda)
	}
	if !set.HasRadius() {
		return Worst{}, fmt.Errorf("uncertainty %s: it has no lambda; want a set with a radius",
			set.Name())
	}
	if err := checkDual(set); err != nil {
		return Worst{}, err
	}
	s, err := checked(set, ratios, losses)
	if err != nil {
		return Worst{}, err
	}
	var in interior
	in.prepare(set, s)
	if s.span == 0 {
		return in.saturated(ratios), nil
	}
	z := Z{Lambda: lambda / s.span}
	z.Eta, _ = in.centre(z, in.moments(z), 1e-14)
	return in.finish(ratios, z), nil
}

// Curve returns the exact worst case at every radius of rhos, in their order.
// Each search starts at the previous solution, so sorted radii are fastest.
func Curve(set Set, losses, rhos []float64) ([]Worst, error) {
	s, err := checked(set, nil, losses)
	if err != nil {
		return nil, err
	}
	var in interior
	in.prepare(set, s)
	curve := make([]Worst, len(rhos))
	for i, rho := range rhos {
		if err := validateRho(set, rho); err != nil {
			return nil, fmt.Errorf("rhos[%d]: %w", i, err)
		}
		curve[i] = in.solve(nil, rho)
	}
	return curve, nil
}

// saturation describes where the radius of a set stops binding on a batch.
type saturation struct {
	// divergence is the largest divergence of a worst case: from ρ = divergence on, the worst case
	// is tail.
	divergence float64
	tail       tail
	origin     float64 // the loss that η̃ tends to as λ → 0
}

// saturating is a set with a rule of its own for when its radius stops binding. room is memory for
// the computation.
type saturating interface {
	saturate(s *sample, room *room) saturation
}

// direct is a set whose worst case needs no search where the radius binds. sorted holds the sorted
// losses, which its saturate has left in room.
type direct interface {
	direct(s *sample, sorted, ratios []float64, rho float64) Worst
}

// saturate returns the saturation of the set on s. A set without a rule of its own ends with all
// mass on the largest losses.
func saturate(set Set, s *sample, room *room) saturation {
	if own, ok := set.(saturating); ok {
		return own.saturate(s, room)
	}
	share := float64(s.ties) / s.n()
	return s.atMax(share*set.Divergence(1/share) + (1-share)*set.Divergence(0))
}

// atMax returns the saturation of a set that ends, at this divergence, with all mass spread evenly
// on the largest losses: r = n/ties there and 0 elsewhere.
func (s *sample) atMax(divergence float64) saturation {
	end := tail{edge: s.max, tie: s.ties, share: s.n() / float64(s.ties)}
	return saturation{divergence: divergence, tail: end, origin: s.max}
}

// room is memory that successive solutions reuse. It grows to the largest size asked for.
type room []float64

// values returns n places with arbitrary contents.
func (r *room) values(n int) []float64 {
	if cap(*r) < n {
		*r = make(room, n)
	}
	return (*r)[:n]
}

// checked returns the sample of the losses, or an error if the losses, the set or the destination
// are not usable.
func checked(set Set, ratios, losses []float64) (sample, error) {
	if err := set.Validate(); err != nil {
		return sample{}, fmt.Errorf("uncertainty %s: %w", set.Name(), err)
	}
	if ratios != nil && len(ratios) != len(losses) {
		return sample{}, fmt.Errorf("ratios: length %d for %d losses; want the same length, or nil",
			len(ratios), len(losses))
	}
	return newSample(losses)
}
