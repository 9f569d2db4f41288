package dro

import "math"

// scent is the penalised problem of KL, λ log mean e^{ℓ/λ}, as a minimum over x and ν = log y: of
// mean e^{ℓ/λ−ν} + ν − 1. ν takes a proximal step on the batch before the batch is weighed. That
// makes y an average in which the batch has a share γ, so no weight exceeds n/γ (math.md §5).
func scent() Method {
	return Method{
		Name: "scent", Doc: "penalised problem of KL: λ is fixed, η by a proximal step",
		Source: "Wei, Zhou, Wang, Lin, Yang 2026 (arXiv 2602.02877); scent_alpha: auto is our " +
			"reading",
		Penalised: true, KL: true, Reads: []string{"lambda"},
		Settings: []Setting{{
			Key: "scent_alpha", Doc: "step size α of log y, y the average of e^{ℓ/λ}; auto " +
				"takes half of y from the second batch",
			Auto: true, Want: "auto or a number > 0", Check: above0, Live: true,
		}},
		Measures: entropicMeasures(),
		New: func(t Task) (Trainer, error) {
			e, err := newEntropic(t)
			if err != nil {
				return nil, err
			}
			s := &scentTrainer{entropic: e, alpha: t.Settings["scent_alpha"]}
			s.logAlpha = math.Log(s.alpha.Or(1))
			if s.kl {
				return &scentDual{s}, nil
			}
			return s, nil
		},
	}
}

type scentTrainer struct {
	entropic
	alpha    Auto
	logAlpha float64
}

// share returns γ = αy/(1+αy), the share of the batch in y⁺ = (y + αym)/(1 + αy), m the batch's
// mean e^{ℓ/λ}. That y⁺ is the minimum of α(m/y⁺ + log y⁺) + D(ν⁺, ν), D the Bregman distance of
// e^{−ν}.
func (s *scentTrainer) share() batchShare {
	if !s.begun {
		return wholeShare
	}
	a := s.logAlpha + s.nu
	return batchShare{keep: -logAddExp(0, a), take: -logAddExp(0, -a)}
}

// Before implements Trainer. Where α is auto, the first batch sets it to 1/y, so that the second
// has γ = ½.
func (s *scentTrainer) Before(b Batch) {
	first := !s.begun
	s.average(b.Losses, s.share())
	if first && s.alpha.IsAuto() {
		s.logAlpha = -s.nu
	}
}

// Form implements Trainer.
func (s *scentTrainer) Form(into []float64) Form { return s.form(into, s.share()) }

// Warning implements Warner. At a small λ, y of the first batch can be so large that γ is nearly 0,
// and y stays there when the losses fall.
func (s *scentTrainer) Warning() string {
	if s.vanishes() {
		return "every weight of a batch is below 1e-30, so the network got no gradient: raise " +
			"lambda or scent_alpha"
	}
	return ""
}

// State implements Trainer.
func (s *scentTrainer) State() State {
	n := s.numbers()
	n["log_alpha"] = s.logAlpha
	return State{Numbers: n}
}

// Restore implements Trainer. An α that is set takes precedence over that of the state.
func (s *scentTrainer) Restore(from State) error {
	v, err := from.numbers("log_alpha")
	if err != nil {
		return err
	}
	if s.alpha.IsAuto() {
		s.logAlpha = v[0]
	}
	return s.restore(from)
}

// scentDual is scent in a run whose uncertainty set is KL.
type scentDual struct{ *scentTrainer }

// Z implements Dual.
func (s *scentDual) Z() Z { return s.z() }

// Confine implements Dual: λ is fixed, and η has no bounds.
func (s *scentDual) Confine() {}
