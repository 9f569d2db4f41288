package dro

import "math"

// DefaultBox returns the box of the settings "lambda_max: auto" and
// "eta_min: auto" for losses in [0, bound] (B), in the coordinates c. It
// contains the optimal z of every such batch whose λ* is at least lambda0.
//
//   - Paper coordinates (Cressie-Read): the paper's main-text box
//     λ̄ = (k−1)B/(X^{1/k*} − 1), η in [−λ̄/(k−1), B], X = 1 + k(k−1)ρ.
//   - Unshifted: λ̄ = B/ρ, because R_ρ is concave in ρ and at most B, and η̃ in
//     [0, B].
//   - CVaR has no λ; its λ is held at lambda0.
//
// B/ρ is the smaller of the two λ̄ and holds for every set (math.md §4). Where
// λ̄ falls below lambda0, the box holds λ = lambda0.
func DefaultBox(set Set, rho float64, c Coordinates, lambda0, bound float64) Box {
	box := Box{Lambda: [2]float64{lambda0, lambda0}, Eta: [2]float64{0, bound}}
	if !set.HasRadius() {
		return box
	}
	cr, ok := set.(CressieRead)
	if !ok || c != Paper {
		box.Lambda[1] = math.Max(lambda0, bound/rho)
		return box
	}
	box.Lambda[1] = math.Max(lambda0, cr.lambdaMax(rho, bound))
	box.Eta[0] = -box.Lambda[1] / (cr.K - 1)
	return box
}

// lambdaMax is the paper's λ̄ = (k−1)B/(X^{1/k*} − 1), with 1/k* = (k−1)/k and
// expm1 and log1p for a small ρ.
func (c CressieRead) lambdaMax(rho, bound float64) float64 {
	k := c.K
	return (k - 1) * bound / math.Expm1((k-1)/k*math.Log1p(k*(k-1)*rho))
}

// seen returns the part of the box in which the optimum for these losses lies. R_ρ is concave in ρ,
// equals the mean at ρ = 0 and never exceeds the maximum, so λ* ≤ (max − mean)/ρ. At every λ the
// best η̃ lies between the least and the greatest loss. Where the box does not reach that range,
// seen returns the nearest part of the box.
func (p *Problem) seen(losses []float64) Box {
	least, most, mean := losses[0], losses[0], 0.0
	for _, l := range losses {
		least, most, mean = math.Min(least, l), math.Max(most, l), mean+l
	}
	mean /= float64(len(losses))
	box := p.Box
	if p.Set.HasRadius() {
		box.Lambda[1] = clamp((most-mean)/p.Rho, p.Box.Lambda)
	}
	s := p.shift()
	box.Eta[0] = clamp(least-s*box.Lambda[1], p.Box.Eta)
	box.Eta[1] = clamp(most-s*box.Lambda[0], p.Box.Eta)
	return box
}
