package dro

import "math"

// pan is PAN-DRO, the penalised problem: λ stays at its start, η takes
// projected gradient steps (math.md §5).
func pan() Method {
	return Method{
		Name: PAN, Doc: "penalised problem: λ is fixed, η by projected gradient",
		Source: "Jin, Zhang, Wang, Wang 2021 (arXiv 2110.12459), as the paper's baseline",
		Lambda: true, Penalised: true,
		Reads: dualReads("lr_z"), Live: []string{"lr_z"}, Measures: dualMeasures(),
		New: func(t Task) (Trainer, error) {
			p, err := newPenalisedDual(t)
			if err != nil {
				return nil, err
			}
			return &penalisedDescent{penalisedDual: p, stepRatio: newStepRatio(t),
				clip: math.Inf(1)}, nil
		},
	}
}

// penalisedDual is a dual whose λ is fixed by a setting.
type penalisedDual struct {
	dualBase
	lambda float64
}

func newPenalisedDual(t Task) (p penalisedDual, err error) {
	if p.dualBase, err = newDualBase(t); err != nil {
		return p, err
	}
	p.lambda = t.Number("lambda")
	p.z.Lambda = p.lambda
	return p, nil
}

// Confine implements Dual.
func (p *penalisedDual) Confine() { p.place(p.problem.Box.Project(p.z)) }

// place moves η to the η of z and keeps λ at its setting.
func (p *penalisedDual) place(z Z) { p.z = Z{Lambda: p.lambda, Eta: z.Eta} }

// Restore implements Trainer.
func (p *penalisedDual) Restore(s State) error {
	err := p.dualBase.Restore(s)
	p.place(p.z)
	return err
}

// penalisedDescent is a penalised dual whose η moves along its gradient, by at most clip times the
// step size.
type penalisedDescent struct {
	penalisedDual
	stepRatio stepRatio
	clip      float64
}

// After implements Trainer.
func (d *penalisedDescent) After(b Batch, s Step) {
	slope := clamp(d.gradient(b.Losses).Eta, [2]float64{-d.clip, d.clip})
	d.place(d.problem.Box.Project(d.z.along(-d.stepRatio.rate(s), Z{Eta: slope})))
}
