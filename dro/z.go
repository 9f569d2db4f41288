package dro

import "math"

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
	return Z{end(g.Lambda, b.Lambda), end(g.Eta, b.Eta)}
}

// Diameter returns D, the largest distance between two points of b.
func (b Box) Diameter() float64 {
	return math.Hypot(b.Lambda[1]-b.Lambda[0], b.Eta[1]-b.Eta[0])
}

func clamp(v float64, side [2]float64) float64 {
	return math.Min(math.Max(v, side[0]), side[1])
}

func end(slope float64, side [2]float64) float64 {
	if slope < 0 {
		return side[1]
	}
	return side[0]
}
