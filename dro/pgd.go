package dro

// pgd takes one projected gradient step on (x, λ, η) as a whole: one batch, the
// same step size for x and z (math.md §5).
func pgd() Method {
	return Method{
		Name: PGD, Doc: "projected gradient on (x, λ, η) as a whole",
		Source: "Zhang et al. 2024 (arXiv 2404.01200), the baseline of §5",
		Reads:  dualReads(), Live: []string{"lambda0", "lambda_max"}, Measures: dualMeasures(),
		New: func(t Task) (Trainer, error) {
			d, err := newDual(t)
			return &projected{d}, err
		},
	}
}

type projected struct{ dual }

// After implements Trainer.
func (p *projected) After(b Batch, s Step) {
	p.z = p.problem.Box.Project(p.z.along(-s.Rate, p.gradient(b.Losses)))
}
