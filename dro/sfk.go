package dro

import (
	"math"
	"math/rand/v2"
)

// sfk is SFK-DRO, the paper's Algorithm 1: a stochastic gradient step on x,
// then a Frank-Wolfe step on z over the box, on an independent draw.
func sfk() Method {
	return Method{
		Name: SFK, Doc: "SFK-DRO: gradient on x, Frank-Wolfe on z = (λ, η)",
		Source:   "Zhang, Zhou, Prater-Bennette, Shen, Zou 2024 (arXiv 2404.01200), Algorithm 1",
		Theorem1: true,
		Settings: []Setting{
			{Key: "c", Doc: "C in γ = min(gap/C, 1)", Default: Fixed(1000),
				Want: "a number > 0", Check: above0, Live: true},
			{Key: "share_batch", Doc: "use the weights' batch for z as well: faster, but not " +
				"independent",
				Default: Fixed(0), Want: "true or false", On: true},
			{Key: "output", Doc: "step that Algorithm 1 outputs: least, by ‖∇_x f‖² + gap² on " +
				"its batches; random, as the proof of Theorem 1 needs",
				Default: Fixed(0), Want: "least or random", Choices: []string{"least", "random"}},
			{Key: "momentum_z", Default: Fixed(0), Want: "a number in [0, 1)",
				Doc:   "share that a step on z keeps of the averaged gradient; 0: no average",
				Check: func(v float64) bool { return v >= 0 && v < 1 }},
		},
		Reads: dualReads("batch_z"), Live: []string{"lambda0", "lambda_max"},
		Measures: frankWolfeMeasures(), Cost: frankWolfeCost,
		New: func(t Task) (Trainer, error) {
			f, err := newFrankWolfe(t)
			if err != nil {
				return nil, err
			}
			f.beta = t.Number("momentum_z")
			return &sfkTrainer{f, t.Number("c"), t.Number("output") == 1, t.Seed}, nil
		},
	}
}

// sfkTrainer takes the step on z as printed in the paper, lines 6 to 10 of Algorithm 1.
type sfkTrainer struct {
	frankWolfe
	c      float64
	random bool // the output is that of a random step
	seed   uint64
}

// After implements Trainer.
func (p *sfkTrainer) After(b Batch, s Step) {
	before := p.z
	_, dir := p.aim(b.Losses, p.problem.Box)
	p.gamma = math.Min(p.gap/p.c, 1)
	p.z = p.z.along(p.gamma, dir)
	p.Confine() // γ = 1 may be a rounding beyond the corner
	if !p.random {
		p.rule.Observe(s, p.gap, before)
	} else if choosesStep(p.seed, uint64(s.T)) {
		p.rule = PaperIterate{Step: int(s.T), GradNorm: s.GradNorm, Gap: p.gap, Z: before}
	}
}

// choosesStep chooses step t of a run with probability 1/t. The last of the steps chosen up to any
// T is then uniform over the T steps.
func choosesStep(seed, t uint64) bool {
	var pcg rand.PCG
	pcg.Seed(seed, t)
	return float64(pcg.Uint64()>>11)*float64(t) < 1<<53
}

// Warning implements Warner.
func (p *sfkTrainer) Warning() string {
	if p.gamma == 1 {
		return "a step on z went the whole way to a corner of its box (γ = 1), so c is too small " +
			"for the box: raise c, take sfk-auto, or narrow the box (lambda_max, eta_min, eta_max)"
	}
	return p.dualBase.Warning()
}
