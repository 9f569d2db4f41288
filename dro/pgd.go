package dro

// pgd takes projected gradient steps on (x, λ, η) as a whole: on one batch, and with the same step
// size for x and z where lr_z is not set (math.md §5).
func pgd() Method {
	return Method{
		Name: PGD, Doc: "projected gradient on (x, λ, η) as a whole",
		Source:   "Zhang et al. 2024 (arXiv 2404.01200), the baseline of §5",
		Reads:    dualReads("lr_z"),
		Live:     []string{"lambda0", "lambda_max", "lr_z"},
		Measures: dualMeasures(),
		New: func(t Task) (Trainer, error) {
			d, err := newDualBase(t)
			if err != nil {
				return nil, err
			}
			return &pgdTrainer{d, newStepRatio(t)}, nil
		},
	}
}

type pgdTrainer struct {
	dualBase
	stepRatio stepRatio
}

// After implements Trainer.
func (p *pgdTrainer) After(b Batch, s Step) {
	p.z = p.problem.Box.Project(p.z.along(-p.stepRatio.rate(s), p.gradient(b.Losses)))
}

// stepRatio is the step size of z as a multiple of the step size of x, so that a drop of lr acts on
// both.
type stepRatio float64

// newStepRatio reads the setting lr_z, where auto stands for lr.
func newStepRatio(t Task) stepRatio {
	if v := t.Settings["lr_z"]; !v.IsAuto() {
		return stepRatio(v.Or(0) / t.Number("lr"))
	}
	return 1
}

func (p stepRatio) rate(s Step) float64 { return float64(p) * s.Rate }
