package dro

import (
	"fmt"
	"math"
)

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
	in.take(set, s)
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
	in.take(set, s)
	curve := make([]Worst, len(rhos))
	for i, rho := range rhos {
		if err := validateRho(set, rho); err != nil {
			return nil, fmt.Errorf("rhos[%d]: %w", i, err)
		}
		curve[i] = in.solve(nil, rho)
	}
	return curve, nil
}
