package dro

import (
	"fmt"
	"math"
)

// Z holds the dual variables of one problem: the multiplier λ of the radius
// constraint and the multiplier η of the constraint mean r = 1. Both have the
// unit of the losses. The package also uses a Z for directions and gradients
// in the (λ, η) plane.
type Z struct {
	Lambda float64 `json:"lambda"`
	Eta    float64 `json:"eta"`
}

func (z Z) dot(w Z) float64 { return z.Lambda*w.Lambda + z.Eta*w.Eta }

func (z Z) sub(w Z) Z { return Z{z.Lambda - w.Lambda, z.Eta - w.Eta} }

// along returns z + a d.
func (z Z) along(a float64, d Z) Z { return Z{z.Lambda + a*d.Lambda, z.Eta + a*d.Eta} }

// Box is the set M = [λ0, λ̄] × [η_min, η_max] that the dual variables of a
// training run stay in, in the coordinates of the problem that it belongs to.
type Box struct{ Lambda, Eta [2]float64 }

func (b Box) validate() error {
	for _, side := range []struct {
		key  string
		ends [2]float64
	}{{"lambda", b.Lambda}, {"eta", b.Eta}} {
		lo, hi := side.ends[0], side.ends[1]
		if math.IsInf(lo, 0) || math.IsInf(hi, 0) || !(lo <= hi) {
			return fmt.Errorf("box of %s [%v, %v]: expected two finite ends in order", side.key,
				lo, hi)
		}
	}
	if !(b.Lambda[0] > 0) {
		return fmt.Errorf("lambda0 %v: expected a positive lower end for lambda", b.Lambda[0])
	}
	return nil
}

// Contains reports whether z lies in b, boundary included. It is false for a
// NaN.
func (b Box) Contains(z Z) bool {
	return z.Lambda >= b.Lambda[0] && z.Lambda <= b.Lambda[1] &&
		z.Eta >= b.Eta[0] && z.Eta <= b.Eta[1]
}

// Project returns the point of b nearest to z. A NaN stays one, so that a
// diverged run is seen and not repaired.
func (b Box) Project(z Z) Z {
	return Z{clamp(z.Lambda, b.Lambda), clamp(z.Eta, b.Eta)}
}

// Corner returns argmin over e in b of ⟨e, g⟩, the linear minimisation step of
// Frank-Wolfe. Where a coordinate of g is zero every value is a minimiser and
// Corner takes the lower end.
func (b Box) Corner(g Z) Z {
	return Z{cornerEnd(g.Lambda, b.Lambda), cornerEnd(g.Eta, b.Eta)}
}

// Diameter returns D, the largest distance between two points of b.
func (b Box) Diameter() float64 {
	return math.Hypot(b.Lambda[1]-b.Lambda[0], b.Eta[1]-b.Eta[0])
}

func clamp(v float64, ends [2]float64) float64 {
	return math.Min(math.Max(v, ends[0]), ends[1])
}

func cornerEnd(slope float64, ends [2]float64) float64 {
	if slope < 0 {
		return ends[1]
	}
	return ends[0]
}

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

// optimumBox returns the part of the box in which the optimum for these losses lies. R_ρ is concave
// in ρ, equals the mean at ρ = 0 and never exceeds the maximum, so λ* ≤ (max − mean)/ρ. At every λ
// the best η̃ lies between the least and the greatest loss. Where the box does not reach that
// range, optimumBox returns the nearest part of the box.
func (p *Problem) optimumBox(losses []float64) Box {
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
