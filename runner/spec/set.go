package spec

import (
	"fmt"

	"drolab/dro"
)

// The settings that an uncertainty set reads, and the set in words.

// ofSet reports whether the setting means something to the named uncertainty set.
func (t *Setting) ofSet(name string) bool {
	return t.parameter == "" || dro.SetReads(name, t.parameter)
}

// Radius returns the set and its radius in a form short enough for a table: "χ², 0.5", "cvar 0.1".
func (s *Spec) Radius() string {
	set, err := s.Set()
	switch {
	case err != nil:
		return s.Uncertainty
	case !set.HasRadius():
		return set.Label()
	}
	return fmt.Sprintf("%s, %.3g", set.Label(), s.Rho)
}

// Bounds returns the sides of the box of z in words; a set without a radius has no λ.
func (s *Spec) Bounds(lambda, eta [2]float64) (sides []string) {
	if dro.SetReads(s.Uncertainty, "rho") {
		sides = append(sides, fmt.Sprintf("λ in [%.4g, %.4g]", lambda[0], lambda[1]))
	}
	return append(sides, fmt.Sprintf("η in [%.4g, %.4g]", eta[0], eta[1]))
}
