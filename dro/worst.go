package dro

import (
	"fmt"
	"math"
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
	if err := checkLambda(lambda); err != nil {
		return Worst{}, err
	}
	if !set.HasRadius() {
		return Worst{}, fmt.Errorf("uncertainty %s: it has no lambda; expected a set with a radius",
			set.Name())
	}
	if err := checkDual(set); err != nil {
		return Worst{}, err
	}
	s, err := checkedSample(set, ratios, losses)
	if err != nil {
		return Worst{}, err
	}
	var in interior
	in.prepare(set, s)
	if s.span == 0 {
		return in.saturated(ratios), nil
	}
	z := Z{Lambda: lambda / s.span}
	z.Eta, _ = in.solveEta(z, in.moments(z), 1e-14)
	return in.finish(ratios, z), nil
}

// Sensitivity returns S in R_ρ = mean ℓ + S √ρ + o(√ρ), ρ → 0, for the losses of a batch: the price
// of the first robustness (math.md §3). S is √(2 φ*″(0) Var ℓ). It is false for sets whose R_ρ has
// no such form, those without a radius or without a dual.
func Sensitivity(set Set, losses []float64) (s float64, ok bool) {
	if !set.HasRadius() || checkDual(set) != nil {
		return 0, false
	}
	var mean, variance float64
	n := float64(len(losses))
	for _, l := range losses {
		mean += l / n
	}
	for _, l := range losses {
		variance += (l - mean) * (l - mean) / n
	}
	_, _, _, second := set.Conjugate(0)
	return math.Sqrt(2 * second * variance), true
}

// Curve returns the exact worst case at every radius of rhos, in their order.
// Each search starts at the previous solution, so sorted radii are fastest.
func Curve(set Set, losses, rhos []float64) ([]Worst, error) {
	s, err := checkedSample(set, nil, losses)
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
