package dro

import (
	"fmt"
	"math"
)

// pan is PAN-DRO, the penalised problem: λ stays at its start, η takes
// projected gradient steps (math.md §5).
func pan() Method {
	return Method{
		Name: PAN, Doc: "penalised problem: λ is fixed, η by projected gradient",
		Source: "Jin, Zhang, Wang, Wang 2021 (arXiv 2110.12459), as the paper's baseline",
		Lambda: true, Penalised: true,
		Reads: dualReads("lr_z"), Live: []string{"lr_z"}, Measures: dualMeasures(),
		New: func(t Task) (Trainer, error) {
			p, err := newPenalised(t)
			return &descending{penalised: p, pace: newPace(t), clip: math.Inf(1)}, err
		},
	}
}

// penalised is a dual whose λ is fixed by a setting.
type penalised struct {
	dual
	lambda float64
}

func newPenalised(t Task) (p penalised, err error) {
	if p.dual, err = newDual(t); err != nil {
		return p, err
	}
	p.lambda = t.Number("lambda")
	p.z.Lambda = p.lambda
	return p, nil
}

// Confine implements Dual.
func (p *penalised) Confine() { p.place(p.problem.Box.Project(p.z)) }

// place moves η to the η of z and keeps λ at its setting.
func (p *penalised) place(z Z) { p.z = Z{Lambda: p.lambda, Eta: z.Eta} }

// Restore implements Trainer.
func (p *penalised) Restore(s State) error {
	err := p.dual.Restore(s)
	p.place(p.z)
	return err
}

// descending is a penalised dual whose η moves along its gradient, by at most clip times the step
// size.
type descending struct {
	penalised
	pace pace
	clip float64
}

// After implements Trainer.
func (d *descending) After(b Batch, s Step) {
	slope := clamp(d.gradient(b.Losses).Eta, [2]float64{-d.clip, d.clip})
	d.place(d.problem.Box.Project(d.z.along(-d.pace.rate(s), Z{Eta: slope})))
}

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
	in.prepare(set, s)
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
	in.prepare(set, s)
	curve := make([]Worst, len(rhos))
	for i, rho := range rhos {
		if err := validateRho(set, rho); err != nil {
			return nil, fmt.Errorf("rhos[%d]: %w", i, err)
		}
		curve[i] = in.solve(nil, rho)
	}
	return curve, nil
}
