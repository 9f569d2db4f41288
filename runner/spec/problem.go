package spec

import (
	"fmt"

	"drolab/dro"
	"drolab/runner/measure"
)

// MoveStart moves z_1 to the nearest point of the box, which depends on the set, its radius and the
// bounds. The error is about settings that do not make a problem.
func (s *Spec) MoveStart() error {
	p, err := s.Problem()
	if err != nil {
		return err
	}
	z := p.Box.Project(dro.Z{Lambda: s.Lambda, Eta: s.Eta})
	s.Eta = z.Eta
	if p.Set.HasRadius() {
		s.Lambda = z.Lambda
	}
	return nil
}

// Set returns the uncertainty set. The error is about a name, order or level for which there is no
// set.
func (s *Spec) Set() (dro.Set, error) { return dro.NewSet(s.Uncertainty, s.K, s.Mu) }

// MeasureSettings returns the settings that decide which measures the Spec's runs have, and what
// some of them are.
func (s *Spec) MeasureSettings() measure.Settings {
	m := measure.Settings{MinGroup: s.MinGroup, ByVal: s.Threshold.ByVal(),
		RiskRadii: s.RiskRadii, EtaMax: s.EtaMax, Batch: s.Batch}
	if s.Threshold.IsSet() && !s.Threshold.ByVal() {
		m.Threshold = measure.Num(s.Threshold.Number())
	}
	set, err := s.Set()
	if err == nil {
		m.HasRadius = set.HasRadius()
		_, m.Smooth = dro.Sensitivity(set, nil)
	}
	m.BoundsEta = s.BoundsEta()
	return m
}

// BoundsEta reports whether the method keeps η in its box.
func (s *Spec) BoundsEta() bool {
	m, err := dro.Find(s.Algorithm())
	return err == nil && m.ReadsKey("eta_max")
}

// Problem returns the constrained problem that the Spec states: set, radius, coordinates and box,
// with every "auto" derived (math.md §4). The error is about settings that are valid one by one but
// make no problem together, such as an empty box.
func (s *Spec) Problem() (*dro.Problem, error) {
	set, err := s.Set()
	if err != nil {
		return nil, err
	}
	c := dro.DefaultCoordinates(set)
	if s.Coordinates != "auto" {
		if c, err = dro.ParseCoordinates(s.Coordinates); err != nil {
			return nil, err
		}
	}
	derived := dro.DefaultBox(set, s.Rho, c, s.Lambda0, s.EtaMax)
	p := &dro.Problem{Set: set, Rho: s.Rho, Coordinates: c, Box: dro.Box{
		Lambda: [2]float64{s.Lambda0, s.LambdaMax.Or(derived.Lambda[1])},
		Eta:    [2]float64{s.EtaMin.Or(derived.Eta[0]), s.EtaMax},
	}}
	return p, p.Validate()
}

// The settings that an uncertainty set reads, and the set in words.

// ofSet reports whether the setting means something to the named uncertainty set.
func (t *Setting) ofSet(name string) bool {
	return t.parameter == "" || dro.SetReads(name, t.parameter)
}

// Radius returns the set and its radius, as all pages write them: "χ², ρ 0.5", "cvar 0.1".
func (s *Spec) Radius() string {
	set, err := s.Set()
	switch {
	case err != nil:
		return s.Uncertainty
	case !set.HasRadius():
		return set.Label()
	}
	return fmt.Sprintf("%s, ρ %.3g", set.Label(), s.Rho)
}

// Bounds returns the sides of the box of z in words; a set without a radius has no λ.
func (s *Spec) Bounds(lambda, eta [2]float64) (sides []string) {
	if dro.SetReads(s.Uncertainty, "rho") {
		sides = append(sides, fmt.Sprintf("λ in [%.4g, %.4g]", lambda[0], lambda[1]))
	}
	return append(sides, fmt.Sprintf("η in [%.4g, %.4g]", eta[0], eta[1]))
}
