package dro

import "math"

// scdro is stochastic constrained DRO for KL. Each batch first moves y, the average of e^{ℓ/λ}. It
// is then weighed by e^{ℓ/λ}/y, and at last λ moves along an average of its gradient (math.md §5).
func scdro() Method {
	return Method{
		Name: "scdro", Doc: "problem of KL with a radius: λ by gradient, moving averages",
		Source: "our reading of Qi, Lyu, Chan, Bai, Yang, TMLR 2023 (arXiv 2210.05740), SCDRO; " +
			"the order and the start are those of the authors' code",
		Lambda: true, KL: true,
		Reads: []string{"lambda", "lambda0", "lambda_max", "lr_z"},
		Live:  []string{"lambda0", "lambda_max", "lr_z"},
		Settings: []Setting{{
			Key: "scdro_beta", Doc: "share β of a batch in the averages of scdro",
			Default: Fixed(.1), Want: "a number > 0 and < 1", Live: true,
			Check: func(x float64) bool { return x > 0 && x < 1 },
		}},
		Measures: entropicMeasures(),
		New: func(t Task) (Trainer, error) {
			if t.Problem == nil {
				return nil, errNoProblem
			}
			if err := t.Problem.Validate(); err != nil {
				return nil, err
			}
			e, err := newEntropic(t)
			if err != nil {
				return nil, err
			}
			s := &scdroTrainer{entropic: e, side: t.Problem.Box.Lambda,
				beta: t.Number("scdro_beta"), stepRatio: newStepRatio(t)}
			s.Confine()
			if s.kl {
				return &scdroDual{s}, nil
			}
			return s, nil
		},
	}
}

type scdroTrainer struct {
	entropic
	side      [2]float64 // bounds of λ
	beta      float64
	stepRatio stepRatio
	slope     float64 // average of ∂F/∂λ
}

// share returns β, or all for the first batch.
func (s *scdroTrainer) share() batchShare {
	if !s.begun {
		return wholeShare
	}
	return batchShare{keep: math.Log1p(-s.beta), take: math.Log(s.beta)}
}

// Before implements Trainer.
func (s *scdroTrainer) Before(b Batch) { s.average(b.Losses, s.share()) }

// Form implements Trainer.
func (s *scdroTrainer) Form(into []float64) Form { return s.form(into, s.share()) }

// After implements Trainer. F is λ log y + λρ here, with y in the place of mean e^{ℓ/λ}. Its slope
// in λ is log y + ρ − mean(ℓ e^{ℓ/λ})/(λy).
func (s *scdroTrainer) After(b Batch, step Step) {
	weighted := 0.0
	for _, l := range b.Losses {
		weighted += l * math.Exp(l/s.lambda-s.nu)
	}
	weighted /= float64(len(b.Losses))
	slope := s.nu + s.rho - weighted/s.lambda
	s.slope = (1-s.beta)*s.slope + s.beta*slope
	s.lambda -= s.stepRatio.rate(step) * s.slope
	s.Confine()
}

// Confine moves λ between its bounds.
func (s *scdroTrainer) Confine() { s.lambda = clamp(s.lambda, s.side) }

// Warning implements Warner. y is an average of e^{ℓ/λ} at the λ of earlier steps, so it lies far
// above those of a batch where λ has risen quickly.
func (s *scdroTrainer) Warning() string {
	if s.vanishes() {
		return "every weight of a batch is below 1e-30, so the network got no gradient: lower " +
			"lr_z, raise lambda0, or raise scdro_beta"
	}
	return ""
}

// State implements Trainer.
func (s *scdroTrainer) State() State {
	n := s.numbers()
	n["lambda"], n["lambda_slope"] = s.lambda, s.slope
	return State{Numbers: n}
}

// Restore implements Trainer.
func (s *scdroTrainer) Restore(from State) error {
	v, err := from.numbers("lambda", "lambda_slope")
	if err != nil {
		return err
	}
	s.lambda, s.slope = v[0], v[1]
	return s.restore(from)
}

// scdroDual is scdro in a run whose uncertainty set is KL.
type scdroDual struct{ *scdroTrainer }

// Z implements Dual.
func (s *scdroDual) Z() Z { return s.z() }
