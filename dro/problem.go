package dro

import "fmt"

// Coordinates says which η a problem's dual variables hold.
type Coordinates string

const (
	// Paper is the shifted η = η̃ − λ/(k−1) of the paper, for Cressie-Read only.
	// It is well conditioned near k = 2 and breaks below about k = 1.5 in
	// training (math.md §2).
	Paper Coordinates = "paper"
	// Unshifted is the multiplier η̃ itself, which lies between the smallest and
	// the largest loss for every set.
	Unshifted Coordinates = "unshifted"
)

// ParseCoordinates accepts "paper" and "unshifted".
func ParseCoordinates(s string) (Coordinates, error) {
	if c := Coordinates(s); c == Paper || c == Unshifted {
		return c, nil
	}
	return "", fmt.Errorf("coordinates %q: expected paper or unshifted", s)
}

// DefaultCoordinates returns Paper for Cressie-Read at k = 2, Unshifted
// otherwise.
func DefaultCoordinates(set Set) Coordinates {
	if cr, ok := set.(CressieRead); ok && cr.K == 2 {
		return Paper
	}
	return Unshifted
}

// Problem is the dual problem inf over z in Box of F(z), for one set and one
// radius, in one choice of coordinates.
type Problem struct {
	Set Set
	// Rho is the radius ρ > 0. CVaR ignores it.
	Rho         float64
	Coordinates Coordinates
	// Box is M, in Coordinates.
	Box Box
}

// Validate checks every field and that they fit together.
func (p *Problem) Validate() error {
	if p.Set == nil {
		return fmt.Errorf("uncertainty: no set given; expected one of NewSet's")
	}
	if err := p.Set.Validate(); err != nil {
		return fmt.Errorf("uncertainty %s: %w", p.Set.Name(), err)
	}
	if err := validateRho(p.Set, p.Rho); err != nil {
		return err
	}
	if _, err := ParseCoordinates(string(p.Coordinates)); err != nil {
		return err
	}
	if _, ok := p.Set.(CressieRead); !ok && p.Coordinates == Paper {
		return fmt.Errorf("coordinates paper: the set %s has no shift; expected unshifted",
			p.Set.Name())
	}
	return p.Box.validate()
}

// shift returns s in η = η̃ − s λ.
func (p *Problem) shift() float64 {
	if cr, ok := p.Set.(CressieRead); ok && p.Coordinates == Paper {
		return 1 / (cr.K - 1)
	}
	return 0
}

// Unshift maps z from the problem's coordinates to (λ, η̃). It is linear, so it
// maps directions too.
func (p *Problem) Unshift(z Z) Z { return Z{z.Lambda, z.Eta + p.shift()*z.Lambda} }

// Shift is the inverse of Unshift.
func (p *Problem) Shift(z Z) Z { return Z{z.Lambda, z.Eta - p.shift()*z.Lambda} }

// Evaluate evaluates the dual objective of the losses at z, both in the problem's coordinates, and
// writes the likelihood ratios into ratios unless that is nil. λ must be positive. Evaluate neither
// allocates nor checks values: losses that are not finite give a result that is not finite.
// n ∂F/∂ℓ_i = r_i, so ∇_x F = mean r_i ∇ℓ_i.
func (p *Problem) Evaluate(ratios, losses []float64, z Z) Eval {
	if ratios != nil && len(ratios) != len(losses) {
		panic("dro: ratios and losses differ in length")
	}
	u := p.Unshift(z)
	var excess, conj, div float64
	for i, l := range losses {
		e, c, d, _ := p.Set.Conjugate((l - u.Eta) / u.Lambda)
		if ratios != nil {
			ratios[i] = 1 + e
		}
		excess += e
		conj += c
		div += d
	}
	n := float64(len(losses))
	excess, conj, div = excess/n, conj/n, div/n
	eval := Eval{Value: u.Lambda*conj + u.Eta, MeanRatio: 1 + excess, Divergence: div}
	// Chain rule of η̃ = η + s λ (math.md §2).
	eval.Grad = Z{Lambda: -div - p.shift()*excess, Eta: -excess}
	if p.Set.HasRadius() {
		eval.Value += u.Lambda * p.Rho
		eval.Grad.Lambda += p.Rho
	}
	return eval
}

// Curvature returns dᵀ(∇²F)d at z, both in the problem's coordinates:
// mean φ*″(t) (d_η + t d_λ)²/λ with unshifted d.
func (p *Problem) Curvature(losses []float64, z, d Z) float64 {
	u, v := p.Unshift(z), p.Unshift(d)
	var sum float64
	for _, l := range losses {
		t := (l - u.Eta) / u.Lambda
		_, _, _, second := p.Set.Conjugate(t)
		along := v.Eta + t*v.Lambda
		sum += second * along * along
	}
	return sum / (u.Lambda * float64(len(losses)))
}

// Eval is the dual objective of one batch at one point z.
type Eval struct {
	// Value is F(z) = mean f_i, an upper bound of the batch's worst-case risk
	// for every z with λ > 0.
	Value float64
	// Grad is ∂F/∂z, in the coordinates that z was given in.
	Grad Z
	// MeanRatio is mean r; it is 1 where F is minimal in η.
	MeanRatio float64
	// Divergence is mean φ(r); it is ρ where F is minimal in an interior λ.
	Divergence float64
}
