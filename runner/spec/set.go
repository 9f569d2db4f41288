package spec

import (
	"fmt"

	"drolab/dro"
)

// What the uncertainty set decides: the settings that are read, and the words for the rest.

// ofSet tells whether the setting means something to the uncertainty set of that name.
func (t *Setting) ofSet(name string) bool {
	return t.parameter == "" || dro.SetReads(name, t.parameter)
}

// Radius names set and radius as a table has room for: "χ², 0.5", "cvar 0.1".
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

// Bounds names the sides of the box of z that the Spec's set has: no λ without a radius.
func (s *Spec) Bounds(lambda, eta [2]float64) (sides []string) {
	if dro.SetReads(s.Uncertainty, "rho") {
		sides = append(sides, fmt.Sprintf("λ in [%.4g, %.4g]", lambda[0], lambda[1]))
	}
	return append(sides, fmt.Sprintf("η in [%.4g, %.4g]", eta[0], eta[1]))
}
